#include "schedule/block_range.h"

#include "support.h"

namespace toccata {
namespace {

using test::expand;
using test::Random;

BlockRange random_range(Random& random) {
  BlockRange range{random.coin() ? Buffer::recv : Buffer::scratch, random.number(0, 30),
                   random.number(0, 3), random.number(-8, 8), random.number(0, 3)};
  if (range.repeat == 1) range.stride = 0;
  return range;
}

TEST(BlockRange, SaysItsBlocksInOrder) {
  EXPECT_EQ(expand(BlockRanges{{Buffer::recv, 1, 2, 4, 2}}), (std::vector{1, 2, 5, 6}));
  EXPECT_EQ(expand(BlockRanges{{Buffer::recv, 9, 1, -3, 4}}), (std::vector{9, 6, 3, 0}));
  EXPECT_EQ(expand(BlockRanges{recv(3, 2), send(0)}), (std::vector{3, 4, 0}));
}

TEST(BlockRange, CountsItsBlocks) {
  Random random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    const BlockRanges ranges{random_range(random), random_range(random)};
    EXPECT_EQ(blocks(ranges), static_cast<std::int64_t>(expand(ranges).size()));
  }
}

TEST(BlockRange, KnowsWhetherItIsOnePiece) {
  EXPECT_TRUE(recv(5, 3).consecutive());
  EXPECT_TRUE((BlockRange{Buffer::recv, 5, 3, 3, 4}).consecutive());
  EXPECT_FALSE((BlockRange{Buffer::recv, 5, 3, 4, 2}).consecutive());
  EXPECT_FALSE((BlockRange{Buffer::recv, 5, 1, -1, 2}).consecutive());
}

TEST(Append, KeepsEveryBlockInItsPlace) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    BlockRanges merged, plain;
    for (int i = random.number(1, 8); i > 0; --i) {
      plain.push_back(random_range(random));
      append(merged, plain.back());
    }
    ASSERT_EQ(expand(merged), expand(plain));
    ASSERT_LE(merged.size(), plain.size());
    // Blocks must keep their buffers.
    std::vector<Buffer> buffers_merged, buffers_plain;
    for (const auto& range : merged)
      buffers_merged.insert(buffers_merged.end(), range.blocks(), range.buffer);
    for (const auto& range : plain)
      buffers_plain.insert(buffers_plain.end(), range.blocks(), range.buffer);
    ASSERT_EQ(buffers_merged, buffers_plain);
  }
}

BlockRanges appended(std::initializer_list<BlockRange> ranges) {
  BlockRanges result;
  for (const BlockRange& range : ranges) append(result, range);
  return result;
}

TEST(Append, MergesWhatIsOneRange) {
  EXPECT_EQ(appended({recv(0), recv(1), recv(2, 3)}), (BlockRanges{recv(0, 5)}));
  EXPECT_EQ(appended({recv(0, 2), recv(5, 2), recv(10, 2)}),
            (BlockRanges{{Buffer::recv, 0, 2, 5, 3}}));
  EXPECT_EQ(appended({recv(9), recv(7), recv(5)}), (BlockRanges{{Buffer::recv, 9, 1, -2, 3}}));
  // Adjacent pieces are one run.
  EXPECT_EQ(appended({{Buffer::recv, 2, 3, 3, 4}}), (BlockRanges{recv(2, 12)}));
}

TEST(Append, LeavesApartWhatIsNot) {
  EXPECT_EQ(appended({recv(0), send(1)}).size(), 2U);
  EXPECT_EQ(appended({recv(0, 2), recv(5, 3)}).size(), 2U);
  EXPECT_EQ(appended({recv(0), recv(2), recv(5)}).size(), 2U);
}

TEST(Append, TakesNothingFromAnEmptyRange) {
  EXPECT_TRUE(appended({recv(4, 0), {Buffer::recv, 4, 1, 2, 0}}).empty());
}

TEST(Circular, WalksTheCircle) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int modulus = random.number(1, 40);
    const int first = random.number(-100, 100);
    const int count = random.number(0, 2 * modulus);
    const int step = random.number(-2 * modulus, 2 * modulus);
    std::vector<int> expected;
    for (int i = 0; i < count; ++i)
      expected.push_back((((first + i * step) % modulus) + modulus) % modulus);
    const BlockRanges found = circular(Buffer::recv, first, count, modulus, step);
    ASSERT_EQ(expand(found), expected);

    int passes = 0;  // a walk without wrap-around is one range
    for (std::size_t i = 1; i < expected.size(); ++i)
      passes += expected[i] != expected[i - 1] + step % modulus ? 1 : 0;
    ASSERT_LE(found.size(), passes + 1U);
  }
}

TEST(Circular, IsShort) {
  EXPECT_EQ(circular(Buffer::recv, 0, 8, 8), (BlockRanges{recv(0, 8)}));
  EXPECT_EQ(circular(Buffer::recv, 6, 4, 8), (BlockRanges{{Buffer::recv, 6, 2, -6, 2}}));
  EXPECT_EQ(circular(Buffer::recv, 8, 4, 10, -2), (BlockRanges{{Buffer::recv, 8, 1, -2, 4}}));
}

TEST(Circular, MovesRangesRoundACircle) {
  test::Random random(1);
  for (int trial = 0; trial < 5000; ++trial) {
    const int modulus = random.number(1, 40);
    const int count = random.number(1, modulus);
    const int stride = random.number(count, 50);
    const BlockRanges ranges =
        runs_below(Buffer::recv, random.number(0, modulus - 1), count, stride, modulus);
    const int shift = random.number(-100, 100);
    std::vector<int> expected = expand(ranges);
    for (int& block : expected) block = ((block + shift) % modulus + modulus) % modulus;
    const BlockRanges moved = circular(ranges, shift, modulus);
    ASSERT_EQ(expand(moved), expected) << "trial " << trial;
    ASSERT_LE(moved.size(), ranges.size() + 3) << "trial " << trial;
  }
}

TEST(RunsBelow, AreThoseThatFit) {
  EXPECT_EQ(expand(runs_below(Buffer::recv, 1, 2, 4, 10)), (std::vector{1, 2, 5, 6, 9}));
  for (int first = 0; first < 12; ++first)
    for (int count = 1; count < 6; ++count)
      for (int stride = count; stride < 9; ++stride)
        for (int limit = 0; limit < 30; ++limit) {
          std::vector<int> expected;
          for (int run = first; run < limit; run += stride)
            for (int i = run; i < std::min(run + count, limit); ++i) expected.push_back(i);
          const BlockRanges found = runs_below(Buffer::scratch, first, count, stride, limit);
          ASSERT_EQ(expand(found), expected)
              << first << ' ' << count << ' ' << stride << ' ' << limit;
          ASSERT_LE(found.size(), 2U);
        }
  const std::int64_t beyond_an_int = std::int64_t{1} << 40;
  EXPECT_EQ(expand(runs_below(Buffer::recv, 3, beyond_an_int, beyond_an_int, 5)),
            (std::vector{3, 4}));
  EXPECT_TRUE(runs_below(Buffer::recv, beyond_an_int, 1, 1, 5).empty());
}

}  // namespace
}  // namespace toccata
