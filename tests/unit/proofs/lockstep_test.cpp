#include "proofs/lockstep.h"

#include <array>

#include "support.h"

namespace toccata {
namespace {

using test::Random;

// An element type of `size` bytes: a few pieces with holes, in any order of the type map. The lower
// bound may be negative. The extent may be negative, or larger than the span of the pieces.
ElementType random_type(Random& random, int size) {
  ElementType type{{}, 0};
  std::int64_t offset = random.number(-9, 9);
  const std::int64_t low = offset;
  for (int left = size; left > 0;) {
    const int length = random.number(1, left);
    type.pieces.emplace_back(offset, length);
    offset += length + random.number(0, 3);
    left -= length;
  }
  random.shuffle(type.pieces);
  type.extent = offset - low + random.number(0, 5);
  if (random.number(0, 9) == 0) type.extent = -type.extent;
  return type;
}

// Counts for `data` data, all equal if `alike`.
std::vector<std::int64_t> random_counts(Random& random, int data, bool alike) {
  std::vector<std::int64_t> counts(data);
  if (data == 0) return counts;  // a barrier
  const int total = random.number(0, 3 * data);
  switch (alike ? 0 : random.number(0, 4)) {
    case 0:  // the regular form, of 0, 1 or more elements
      std::ranges::fill(counts, random.number(0, 4));
      break;
    case 1:  // a total, divided as evenly as possible
      for (int i = 0; i < data; ++i) counts[i] = total / data + (i < total % data ? 1 : 0);
      break;
    case 2:  // fewer elements than ranks
      for (int i = random.number(0, data - 1); i > 0; --i) ++counts[random.number(0, data - 1)];
      break;
    case 3:  // all with one rank
      counts[random.number(0, data - 1)] = total;
      break;
    default:
      for (auto& count : counts) count = random.number(0, 6);
  }
  return counts;
}

// Positions of recv's blocks in any order, with gaps. Every position has room on every rank.
std::vector<std::int64_t> random_displacements(Random& random, const Collective& collective,
                                               const Shape& shape,
                                               const std::vector<std::int64_t>& counts) {
  int blocks = 0;
  for (int rank = 0; rank < shape.p; ++rank)
    blocks = std::max(blocks, collective.blocks(shape, rank, Buffer::recv));
  std::vector<std::int64_t> result(blocks);
  std::int64_t next = random.number(-5, 5);
  for (const int block : random.permutation(static_cast<int>(result.size()))) {
    result[block] = next;
    std::int64_t most = 0;
    for (int rank = 0; rank < shape.p; ++rank)
      most = std::max(most, counts[collective.sized(shape, rank, Buffer::recv, block)]);
    next += most + random.number(0, 3);
  }
  return result;
}

ByteCall random_call(Random& random, const Algorithm& algorithm, const Shape& shape) {
  const Collective& collective = algorithm.collective;
  const int size = collective.reduces ? 2 * random.number(1, 6) : random.number(1, 12);
  ByteCall call;
  call.counts = random_counts(random, collective.data(shape), algorithm.blocks_alike);
  call.send_type = random_type(random, size);
  call.recv_type = collective.reduces ? call.send_type : random_type(random, size);
  if (algorithm.ordered) call.reduction = compose;
  if (random.coin())
    call.displacements = random_displacements(random, collective, shape, call.counts);
  call.in_place = random.number(0, 2) == 0;
  return call;
}

using Lockstep = test::AlgorithmTest;

// If all ranks together move more blocks, only the proof checks the algorithm.
constexpr std::int64_t affordable = test::sanitized ? 6'000 : 60'000;

TEST_P(Lockstep, LeavesTheRightBytes) {
  const Algorithm& algorithm = *GetParam();
  const unsigned seeds = test::sanitized ? 100 : 400;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const int p = seed < 40 ? static_cast<int>(seed) + 1 : random.number(1, 41);
    // All settings for every number of ranks, then one random setting.
    std::vector<Shape> shapes = sample_shapes(algorithm, p);
    if (seed >= 40 && !shapes.empty())
      shapes = {shapes[random.number(0, static_cast<int>(shapes.size()) - 1)]};
    for (const Shape& shape : shapes) {
      if (proof_effort(algorithm, shape) > affordable) continue;
      const ByteCall call = random_call(random, algorithm, shape);
      ASSERT_EQ(lockstep(algorithm, shape, call), "")
          << test::describe(algorithm, shape) << (call.in_place ? ", in place" : "") << ", seed "
          << seed;
    }
  }
}

EVERY_ALGORITHM(Lockstep);

// Lockstep must be able to fail. Each value breaks a ring in one way:
enum class Break { nothing, order, gap, send, size, wait };

template <Break broken>
void broken_ring(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p;
  const auto block = [&](int i) { return (rank - i + p) % p; };
  schedule.round().copy(send(0), recv(rank));
  for (int i = 0; i < p - 1; ++i) {
    const bool last = i == p - 2;
    int into = block(i + 1);
    if (broken == Break::order && last) into = block(i);  // over earlier data
    schedule.round();
    if (broken != Break::wait || rank != 0 || !last) schedule.send((rank + 1) % p, recv(block(i)));
    schedule.recv((rank + p - 1) % p, recv(into));
    if (broken == Break::send && last) schedule.copy(recv(into), send(0));
  }
  if (broken == Break::gap && p > 1) schedule.copy(recv(block(1)), recv(rank));
}

template <Break broken>
std::string run_broken(const ByteCall& call) {
  const Algorithm algorithm{.name = "broken",
                            .collective = allgather,
                            .summary = "",
                            .citation = "",
                            .write = broken_ring<broken>};
  return lockstep(algorithm, {static_cast<int>(call.counts.size())}, call);
}

TEST(LockstepFails, NotWhereNothingIsWrong) {
  EXPECT_EQ(run_broken<Break::nothing>({{2, 2, 2, 2}}), "");
}

TEST(LockstepFails, OnBlocksInAnotherOrder) {
  EXPECT_EQ(run_broken<Break::order>({{2, 2, 2, 2}}), "rank 0: recv is wrong at byte 2");
}

TEST(LockstepFails, OnABlockOverwritten) {
  EXPECT_EQ(run_broken<Break::gap>({{4, 4, 4, 4}}), "rank 0: recv is wrong at byte 0");
}

TEST(LockstepFails, OnAWriteIntoSend) {
  EXPECT_EQ(run_broken<Break::send>({{4, 4, 4, 4}}),
            "rank 0: block 0 of send is input, but is written");
}

TEST(LockstepFails, OnAWriteIntoTheMessageOfABroadcast) {
  const auto write = [](const Shape&, int rank, ScheduleBuilder& schedule) {
    for (int round = 0; round < 2; ++round)
      if (rank == round)
        schedule.round().send(1 - rank, recv(0));
      else
        schedule.round().recv(1 - rank, recv(0));
  };
  const Algorithm back_and_forth{
      .name = "broken", .collective = bcast, .summary = "", .citation = "", .write = write};
  EXPECT_EQ(lockstep(back_and_forth, {.p = 2}, {{4}}),
            "rank 0: block 0 of recv is input, but is written");
}

TEST(LockstepFails, OnBlocksOfOtherSizes) {
  const std::string error = run_broken<Break::order>({{4, 3, 2, 1}});
  EXPECT_NE(error.find("do not match the sizes of its blocks"), std::string::npos) << error;
}

TEST(LockstepFails, OnAMessageThatNeverComes) {
  EXPECT_EQ(run_broken<Break::wait>({{1, 1, 1}}),
            "rank 1, round 2: waits forever to receive from rank 0; rank 0 has ended");
}

// Combines four contributions, from scratch 0 to 3, in the given order.
std::string run_reduction(Operator reduction, const std::vector<int>& order) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < 4; ++rank) {
    ScheduleBuilder out;
    out.scratch({send(0), send(0), send(0), send(0)});
    out.round().copy(send(0), test::scratch(rank)).round();
    for (int other = 0; other < 4; ++other)
      if (other != rank) out.send(other, send(0)).recv(other, test::scratch(other));
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      out.reduce(test::scratch(order[i]), test::scratch(order.back()));
    out.copy(test::scratch(order.back()), recv(0));
    all.push_back(std::move(out).build());
  }
  const ElementType pairs{{{0, 2}}, 2};
  return lockstep(allreduce, {4}, std::move(all),
                  {.counts = {3}, .send_type = pairs, .recv_type = pairs, .reduction = reduction});
}

TEST(LockstepReduces, InTheOrderOfTheRanks) {
  EXPECT_EQ(run_reduction(add, {2, 1, 0, 3}), "");
  EXPECT_EQ(run_reduction(add, {0, 3, 2, 1}), "") << "the operation is commutative";
  EXPECT_EQ(run_reduction(compose, {2, 1, 0, 3}), "");
  EXPECT_NE(run_reduction(compose, {1, 2, 0, 3}), "");
  EXPECT_NE(run_reduction(add, {2, 1, 3}), "") << "rank 0 is missing";
  EXPECT_NE(run_reduction(add, {2, 1, 1, 0, 3}), "") << "rank 1 occurs twice";
}

TEST(Operators, Associate) {
  using Element = std::array<std::byte, 2>;
  Random random(1);
  const auto element = [&] {
    return Element{std::byte(random.number(0, 255)), std::byte(random.number(0, 255))};
  };
  for (const Operator each : {add, compose})
    for (int i = 0; i < 1000; ++i) {
      const Element a = element(), b = element(), c = element();
      Element from_left = b, right = c, from_right = c;
      each(a, from_left);
      each(from_left, right);
      each(b, from_right);
      each(a, from_right);
      EXPECT_EQ(right, from_right);
    }
}

TEST(ElementTypes, CountTheirBytes) { EXPECT_EQ((ElementType{{{4, 3}, {-2, 1}}, 16}.size()), 4); }

}  // namespace
}  // namespace toccata
