#include <cmath>

#include "support.h"

namespace toccata {
namespace {

using test::expand;

// One block of one round.
struct Move {
  int peer, block;
  bool operator==(const Move&) const = default;
};
struct Round {
  std::vector<Move> sends, recvs;
  bool operator==(const Round&) const = default;
};

std::vector<Round> rounds(const Schedule& schedule) {
  std::vector<Round> result;
  for (int i = 1; i < schedule.rounds(); ++i) {  // round 0 copies the rank's own block
    Round& round = result.emplace_back();
    for (const Message& each : schedule.sends(i))
      for (const int block : expand(schedule.ranges(each)))
        round.sends.push_back({each.peer, block});
    for (const Message& each : schedule.recvs(i))
      for (const int block : expand(schedule.ranges(each)))
        round.recvs.push_back({each.peer, block});
  }
  return result;
}

// Algorithm 1 of [loch2021], line by line (line 7 reads ignore_steps).
std::vector<Round> algorithm_1(int p, int rank) {
  std::vector<Round> result;
  const int logarithm = static_cast<int>(std::ceil(std::log2(p)));
  int data = 1;
  int ignore = 0;
  int d = logarithm == 0 ? 0 : 1 << (logarithm - 1);
  int last_ignore = 0;
  while ((p >> last_ignore) % 2 == 0) ++last_ignore;
  const int ignore_steps = (~(p >> last_ignore) | 1) << last_ignore;
  const auto modulo = [p](int x) { return ((x % p) + p) % p; };
  for (int i = 0; i < logarithm; ++i) {
    if (d & ignore_steps) ignore = 1;
    Round& round = result.emplace_back();
    for (int j = 0; j < data - ignore; ++j) {
      round.sends.push_back({modulo(rank + d), modulo(rank - 2 * j * d)});
      round.recvs.push_back({modulo(rank - d), modulo(rank - (2 * j + 1) * d)});
    }
    d >>= 1;
    data = (data << 1) - ignore;
    ignore = 0;
  }
  return result;
}

TEST(Sparbit, IsAlgorithm1OfThePaper) {
  const Algorithm& sparbit = *find_algorithm(allgather, "sparbit");
  for (int p = 1; p <= 200; ++p)
    for (const Shape& shape : sample_shapes(sparbit, p))
      for (int rank = 0; rank < p; ++rank)
        ASSERT_EQ(rounds(sparbit.schedule(shape, rank)), algorithm_1(p, rank))
            << "p = " << p << ", rank " << rank;
}

// Figures 2 and 3: five ranks; rank 0 has A, then A B, then A B . D ., then all.
TEST(Sparbit, DrawsFigure3) {
  const Algorithm& sparbit = *find_algorithm(allgather, "sparbit");
  const auto found = rounds(sparbit.schedule(sample_shapes(sparbit, 5)[0], 0));
  const std::vector<Round> expected{
      {.sends = {{4, 0}}, .recvs = {{1, 1}}},
      {.sends = {{2, 0}}, .recvs = {{3, 3}}},  // block 1 ends here: rank 0 is a leaf of its tree
      {.sends = {{1, 0}, {1, 3}}, .recvs = {{4, 4}, {4, 2}}},
  };
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace toccata
