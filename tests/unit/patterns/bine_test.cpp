#include "patterns/bine.h"

#include "support.h"

namespace toccata {
namespace {

TEST(Bine, DistancesSwing) {
  for (const auto& [j, distance] :
       std::vector<std::pair<int, int>>{{0, 1}, {1, -1}, {2, 3}, {3, -5}, {4, 11}, {5, -21}})
    EXPECT_EQ(bine_distance(j), distance);
}

TEST(Bine, PeersArePairs) {
  for (const int places : {2, 4, 8, 64})
    for (int j = 0; 2 << j <= places; ++j)
      for (const bool mirrored : {false, true})
        for (int place = 0; place < places; ++place) {
          const int peer = bine_peer(place, j, places, mirrored);
          EXPECT_NE(peer, place);
          EXPECT_EQ(bine_peer(peer, j, places, mirrored), place);
        }
}

// As drawn in bine.h. One bit of a label corresponds to one Bine distance.
TEST(Bine, LabelsAreABinomialTreeOverBineDistances) {
  const BineLabels eight{8};
  const std::vector<int> labels{0b000, 0b001, 0b101, 0b100, 0b110, 0b111, 0b011, 0b010};
  for (int place = 0; place < 8; ++place) EXPECT_EQ(eight.label(place), labels[place]);
  for (const int places : {1, 2, 4, 16, 1024}) {
    const BineLabels all{places};
    for (int label = 0; label < places; ++label) {
      EXPECT_EQ(all.label(all.place(label)), label);
      for (int bit = 0; 1 << bit < places && label % (1 << bit) == 0; ++bit) {
        const int way = wrap(all.place(label ^ (1 << bit)) - all.place(label), places);
        EXPECT_TRUE(way == wrap(bine_distance(bit), places) ||
                    way == wrap(-bine_distance(bit), places));
        for (int other = label; other < label + (1 << bit); ++other)
          EXPECT_LT(wrap(all.place(other) - all.first(label, bit), places), 1 << bit);
      }
    }
  }
}

}  // namespace
}  // namespace toccata
