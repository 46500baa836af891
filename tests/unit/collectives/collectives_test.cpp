#include <set>

#include "collectives/collective.h"
#include "support.h"

namespace toccata {
namespace {

TEST(Collectives, AreFoundByName) {
  std::set<std::string_view> variables;
  for (const Collective* each : collectives()) {
    EXPECT_EQ(find_collective(each->name), each);
    EXPECT_TRUE(each->variable.starts_with("TOCCATA_"));
    EXPECT_TRUE(variables.insert(each->variable).second) << each->variable;
  }
  EXPECT_EQ(find_collective("no such"), nullptr);
  EXPECT_EQ(find_collective(""), nullptr);
}

// What every reader of a collective relies on, whichever it is.
TEST(Collectives, PromiseOnlyWhatFits) {
  for (const Collective* collective : collectives())
    for (const int p : {1, 2, 3, 8}) {
      SCOPED_TRACE(std::string(collective->name) + " with p = " + std::to_string(p));
      const Shape shape{p};
      for (int rank = 0; rank < p; ++rank)
        for (const Buffer buffer : {Buffer::send, Buffer::recv})
          for (int block = 0; block < collective->blocks(shape, rank, buffer); ++block) {
            const Datum sized = collective->sized(shape, rank, buffer, block);
            EXPECT_TRUE(sized >= 0 && sized < collective->data(shape));
            for (const auto holds : {collective->before, collective->after}) {
              const Datum datum = holds(shape, rank, buffer, block);
              EXPECT_TRUE(datum == nothing || datum == sized);
            }
            if (buffer == Buffer::send && collective->in_place != nullptr) {
              const int place = collective->in_place(shape, rank, block);
              ASSERT_TRUE(place >= 0 && place < collective->blocks(shape, rank, Buffer::recv));
              EXPECT_EQ(collective->sized(shape, rank, Buffer::recv, place), sized);
            }
          }
    }
}

TEST(Allgather, GivesEveryRankAllBlocksInTheOrderOfTheRanks) {
  const Shape shape{3};
  EXPECT_EQ(allgather.blocks(shape, 0, Buffer::send), 1);
  EXPECT_EQ(allgather.blocks(shape, 0, Buffer::recv), 3);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(allgather.before(shape, rank, Buffer::send, 0), rank);
    EXPECT_EQ(allgather.in_place(shape, rank, 0), rank);
    for (int block = 0; block < 3; ++block) {
      EXPECT_EQ(allgather.before(shape, rank, Buffer::recv, block), nothing);
      EXPECT_EQ(allgather.after(shape, rank, Buffer::recv, block), block);
    }
  }
}

TEST(Alltoall, GivesEveryRankItsBlockOfEveryRank) {
  const Shape shape{3};
  for (const Collective* each : {&alltoall, &alltoallv}) {
    EXPECT_EQ(each->blocks(shape, 0, Buffer::send), 3);
    EXPECT_EQ(each->blocks(shape, 0, Buffer::recv), 3);
    EXPECT_EQ(each->data(shape), 9);
    EXPECT_EQ(each->in_place, nullptr) << "blocks would be overwritten before they are sent";
    for (int rank = 0; rank < 3; ++rank)
      for (int other = 0; other < 3; ++other) {
        EXPECT_EQ(each->before(shape, rank, Buffer::send, other), 3 * rank + other);
        EXPECT_EQ(each->before(shape, rank, Buffer::recv, other), nothing);
        EXPECT_EQ(each->after(shape, rank, Buffer::recv, other), 3 * other + rank);
      }
  }
}

TEST(Alltoall, LendsItsAlgorithmsToItsVectorForm) {
  EXPECT_EQ(&alltoallv.regular(), &alltoall);
  EXPECT_EQ(&alltoall.regular(), &alltoall);
  EXPECT_NE(find_algorithm(alltoallv, "pairwise"), nullptr);
  EXPECT_EQ(find_algorithm(alltoallv, "pairwise"), find_algorithm(alltoall, "pairwise"));
}

}  // namespace
}  // namespace toccata
