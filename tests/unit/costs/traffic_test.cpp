#include "costs/traffic.h"

#include "support.h"

namespace toccata {
namespace {

Traffic of(std::string_view name, int p, const std::vector<std::int64_t>& bytes, int sample = 0) {
  const Algorithm& algorithm = *find_algorithm(allgather, name);
  return traffic(algorithm, sample_shapes(algorithm, p)[sample], bytes);
}

// Blocks A, B, C of 10, 0 and 7 bytes.
TEST(Traffic, CountsTheBytesOfUnevenBlocks) {
  const std::vector<std::int64_t> bytes{10, 0, 7};
  // Rank 0 forwards A and C, rank 1 B and A, rank 2 C and B.
  EXPECT_EQ(of("ring", 3, bytes), (Traffic{2, 2, 2, 17, 1, 10}));
  // Bruck: every rank sends its own block twice. It copies this block once, and then all blocks
  // once.
  EXPECT_EQ(of("bruck", 3, bytes), (Traffic{2, 2, 2, 20, 4, 27}));
  EXPECT_EQ(of("bruck", 3, bytes, 1), (Traffic{2, 2, 2, 20, 1, 10}));
}

TEST(Traffic, CountsOneRank) {
  const Algorithm& ring = *find_algorithm(allgather, "ring");
  const std::vector<std::int64_t> bytes{10, 0, 7};
  const auto rank = [&](int r) { return traffic(allgather, {3}, r, ring.schedule({3}, r), bytes); };
  EXPECT_EQ(rank(0).sent_bytes, 17);
  EXPECT_EQ(rank(1).sent_bytes, 10);
  EXPECT_EQ(rank(2).sent_bytes, 7);
  EXPECT_EQ(rank(1).copied_bytes, 0);
}

// Four ranks with 1, 2, 4 and 8 bytes: ranks 0-1 and 2-3 swap blocks, then 0-2 and 1-3 swap two
// blocks.
TEST(Traffic, FollowsRecursiveDoubling) {
  const std::vector<std::int64_t> bytes{1, 2, 4, 8};
  const Algorithm& cube = *find_algorithm(allgather, "recursive_doubling");
  const std::vector<std::int64_t> sent{1 + 3, 2 + 3, 4 + 12, 8 + 12};
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(traffic(allgather, {4}, rank, cube.schedule({4}, rank), bytes),
              (Traffic{2, 2, 3, sent[rank], 1, bytes[rank]}));
}

// p = 5, see figure 3: rank 0 sends A, A, then A and D.
TEST(Traffic, CountsAMessageABlockWhereBlocksTravelAlone) {
  const std::vector<std::int64_t> bytes{1, 10, 100, 1000, 10000};
  const Algorithm& sparbit = *find_algorithm(allgather, "sparbit");
  const auto shapes = sample_shapes(sparbit, 5);
  EXPECT_EQ(traffic(allgather, shapes[0], 0, sparbit.schedule(shapes[0], 0), bytes),
            (Traffic{3, 3, 4, 1003, 1, 1}));
  EXPECT_EQ(traffic(allgather, shapes[1], 0, sparbit.schedule(shapes[1], 0), bytes),
            (Traffic{3, 4, 4, 1003, 1, 1}));
}

TEST(Traffic, CountsABlockAsAMessageWhereBlocksTravelAlone) {
  ScheduleBuilder builder;
  builder.round().send(1, {recv(0), recv(2)}, Travel::per_block).send(1, recv(3, 2));
  EXPECT_EQ(traffic(allgather, {5}, 0, std::move(builder).build()), (Traffic{1, 3, 4, 4, 0, 0}));
}

TEST(Traffic, TakesBlocksForBytesWhereNoneAreGiven) {
  const Traffic found = of("bruck", 6, {});
  EXPECT_EQ(found.sent, found.sent_bytes);
  EXPECT_EQ(found.copied, found.copied_bytes);
}

TEST(Traffic, IsTheLargestOfEach) {
  EXPECT_EQ(largest({1, 5, 3, 7, 0, 9}, {2, 4, 3, 8, 1, 0}), (Traffic{2, 5, 3, 8, 1, 9}));
}

}  // namespace
}  // namespace toccata
