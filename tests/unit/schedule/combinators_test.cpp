// Proves the combinators: combinations of correct algorithms are correct algorithms.
#include "schedule/combinators.h"

#include <functional>

#include "support.h"

namespace toccata {
namespace {

using test::expand;
using test::Random;
using test::scratch;

// ---- Blocks of an inner collective among those of the outer one

BlockRanges mapped(const BlockMap& map, const BlockRange& inner) {
  BlockRanges outer;
  map.map(inner, outer);
  return outer;
}

TEST(BlockMap, MapsEveryBlock) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int first = random.number(0, 9), width = random.number(1, 4);
    const int stride = random.coin() ? width : random.number(-6, 6);
    const BlockMap affine = BlockMap::affine(Buffer::recv, first, stride, width);
    std::vector<BlockRanges> rows;
    for (int block = 0; block < 40; ++block) rows.push_back({recv(first + block * stride, width)});
    const BlockMap table = BlockMap::table(rows);

    const BlockRange inner{Buffer::send, random.number(8, 20), random.number(1, 4),
                           random.number(-4, 4), random.number(1, 3)};
    std::vector<int> expected;
    for_each_block(inner, [&](int block) {
      for (int i = 0; i < width; ++i) expected.push_back(first + block * stride + i);
    });
    ASSERT_EQ(expand(mapped(affine, inner)), expected);
    ASSERT_EQ(expand(mapped(table, inner)), expected);
    ASSERT_EQ(affine.width(3), width);
    ASSERT_EQ(table.width(3), width);
  }
}

TEST(BlockMap, KeepsRangesShort) {
  const BlockRange bruck{Buffer::recv, 1, 1, 2, 1000};
  EXPECT_EQ(mapped(BlockMap::affine(Buffer::recv, 3, 1), bruck),
            (BlockRanges{{Buffer::recv, 4, 1, 2, 1000}}));
  EXPECT_EQ(mapped(BlockMap::affine(Buffer::recv, 0, 4, 4), bruck),
            (BlockRanges{{Buffer::recv, 4, 4, 8, 1000}}));
  EXPECT_EQ(mapped(BlockMap::affine(Buffer::recv, 2, 5, 1), recv(0, 1000)),
            (BlockRanges{{Buffer::recv, 2, 1, 5, 1000}}));
  EXPECT_EQ(mapped(BlockMap::affine(Buffer::recv, 0, 6, 2), bruck),
            (BlockRanges{{Buffer::recv, 6, 2, 12, 1000}}));
}

// ---- Proofs of compositions

using Write = std::function<Schedule(int rank)>;

std::string prove(const Collective& collective, int p, const Write& write, bool in_place = false) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < p; ++rank) all.push_back(write(rank));
  return verify(collective, {p}, all, in_place);
}

Shape shape_of(const Algorithm& algorithm, int p) { return {p, Parameters(algorithm.parameters)}; }

std::vector<int> everyone(int p) {
  std::vector<int> ranks(p);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Ranks first, first + stride, ...
std::vector<int> line(int first, int stride, int count) {
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return ranks;
}

using Composed = test::AlgorithmTest;

// Uses every algorithm as the inner one of the compositions below, with each of its parameters, and
// with its scratch and channels.
void with_inner(const Algorithm& algorithm, std::vector<std::pair<int, int>> grids,
                const std::function<void(int, int, const Shape&, const Shape&)>& test) {
  for (const auto& [nodes, size] : grids)
    for (const Shape& among_nodes : sample_shapes(algorithm, nodes))
      for (const Shape& in_node : sample_shapes(algorithm, size)) {
        SCOPED_TRACE(test::describe(algorithm, among_nodes) + " nodes, " +
                     in_node.parameters.text() + " " + std::to_string(size) + " ranks each");
        test(nodes, size, among_nodes, in_node);
      }
}
const std::vector<std::pair<int, int>> grids{{2, 2}, {2, 4}, {4, 2}, {8, 2}, {2, 6},
                                             {6, 4}, {3, 5}, {5, 3}, {1, 6}, {6, 1}};

// First inside a node, then between ranks with the same position in all nodes. One block covers a
// node: width == stride.
TEST_P(Composed, GathersInNodesThenBetweenThem) {
  const Algorithm& inner = *GetParam();
  with_inner(inner, grids, [&](int nodes, int size, const Shape& among, const Shape& in_node) {
    const auto write = [&](int rank) {
      const int node = rank / size, place = rank % size;
      return then(
          on(line(node * size, 1, size), inner.schedule(in_node, place),
             BlockMap::affine(Buffer::send, 0), BlockMap::affine(Buffer::recv, node * size)),
          on(line(place, size, nodes), inner.schedule(among, node),
             BlockMap::affine(Buffer::recv, node * size, size, size),
             BlockMap::affine(Buffer::recv, 0, size, size)));
    };
    for (const bool in_place : {false, true})
      EXPECT_EQ(prove(allgather, nodes * size, write, in_place), "");
  });
}

// First between nodes, separately for each position (width 1), then inside a node. One block covers
// a position: a table of strided ranges.
TEST_P(Composed, GathersBetweenNodesThenInThem) {
  const Algorithm& inner = *GetParam();
  with_inner(inner, grids, [&](int nodes, int size, const Shape& among, const Shape& in_node) {
    std::vector<BlockRanges> places;
    for (int place = 0; place < size; ++place)
      places.push_back({{Buffer::recv, place, 1, size, nodes}});
    const auto write = [&](int rank) {
      const int node = rank / size, place = rank % size;
      return then(
          on(line(place, size, nodes), inner.schedule(among, node),
             BlockMap::affine(Buffer::send, 0), BlockMap::affine(Buffer::recv, place, size)),
          on(line(node * size, 1, size), inner.schedule(in_node, place),
             BlockMap::table({places[place]}), BlockMap::table(places)));
    };
    for (const bool in_place : {false, true})
      EXPECT_EQ(prove(allgather, nodes * size, write, in_place), "");
  });
}

// The same with pairs of ranks that share all their data: blocks of width 2, `size` pairs apart.
TEST_P(Composed, GathersPairsBetweenNodesThenInThem) {
  const Algorithm& inner = *GetParam();
  with_inner(inner, grids, [&](int nodes, int size, const Shape& among, const Shape& in_node) {
    const int width = 2;
    std::vector<BlockRanges> places;
    for (int place = 0; place < size; ++place)
      places.push_back({{Buffer::recv, place * width, width, size * width, nodes}});
    const Algorithm& ring = *find_algorithm(allgather, "ring");
    const auto write = [&](int rank) {
      const int node = rank / width / size, place = rank / width % size, half = rank % width;
      ScheduleBuilder result;
      result.then(on(line(rank - half, 1, width), ring.schedule({width}, half),
                     BlockMap::affine(Buffer::send, 0),
                     BlockMap::affine(Buffer::recv, rank - half)));
      result.then(on(line(place * width + half, size * width, nodes), inner.schedule(among, node),
                     BlockMap::affine(Buffer::recv, rank - half, 1, width),
                     BlockMap::affine(Buffer::recv, place * width, size * width, width)));
      result.then(on(line(node * size * width + half, width, size), inner.schedule(in_node, place),
                     BlockMap::table({places[place]}), BlockMap::table(places)));
      return std::move(result).build();
    };
    for (const bool in_place : {false, true})
      EXPECT_EQ(prove(allgather, nodes * size * width, write, in_place), "");
  });
}

// Node leaders gather, exchange and distribute; the other ranks wait. Nodes have different sizes,
// so the leaders' blocks have different widths: tables, also for scratch.
TEST_P(Composed, GathersAmongLeadersOfUnevenNodes) {
  const Algorithm& inner = *GetParam();
  for (const std::vector<int>& sizes : std::vector<std::vector<int>>{
           {3}, {1, 4}, {2, 3, 1}, {3, 1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8}})
    for (const Shape& shape : sample_shapes(inner, static_cast<int>(sizes.size()))) {
      std::vector<int> leaders;
      std::vector<BlockRanges> blocks_of_node;
      int p = 0;
      for (const int size : sizes) {
        leaders.push_back(p);
        blocks_of_node.push_back({recv(p, size)});
        p += size;
      }
      const auto write = [&](int rank) {
        const int node =
            static_cast<int>(std::ranges::upper_bound(leaders, rank) - leaders.begin()) - 1;
        const int leader = leaders[node], size = sizes[node];
        ScheduleBuilder result;
        if (rank != leader) {
          result.round().send(leader, send(0));
          result.then(on({}, Schedule{}, BlockMap::affine(Buffer::send, 0),
                         BlockMap::affine(Buffer::recv, 0)));
          result.round().recv(leader, recv(0, p));
          return std::move(result).build();
        }
        result.round();
        for (int peer = leader + 1; peer < leader + size; ++peer) result.recv(peer, recv(peer));
        result.copy(send(0), recv(rank));
        result.then(on(leaders, inner.schedule(shape, node),
                       BlockMap::table({blocks_of_node[node]}), BlockMap::table(blocks_of_node)));
        result.round();
        for (int peer = leader + 1; peer < leader + size; ++peer) result.send(peer, recv(0, p));
        return std::move(result).build();
      };
      EXPECT_EQ(prove(allgather, p, write), "") << test::describe(inner, shape);
    }
}

TEST_P(Composed, MayExchangeItsRanks) {
  const Algorithm& algorithm = *GetParam();
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const int p = random.number(1, 33);
    const std::vector<int> permutation = random.permutation(p);
    for (const Shape& shape : sample_shapes(algorithm, p)) {
      std::vector<Schedule> all(p);
      for (int i = 0; i < p; ++i)
        all[permutation[i]] = relabel(permutation, algorithm.schedule(shape, i), {Buffer::recv});
      for (const bool in_place : {false, true})
        ASSERT_EQ(verify(allgather, shape, all, in_place), "")
            << test::describe(algorithm, shape) << ", seed " << seed;
    }
  }
}

TEST_P(Composed, KeepsTravelAndChannels) {
  const Algorithm& algorithm = *GetParam();
  Schedule inner;
  int p = 8;
  for (const Shape& shape : sample_shapes(algorithm, p)) inner = algorithm.schedule(shape, 3);
  inner.set_travel(Travel::packed);
  const Schedule twice = beside(inner, inner);
  const Schedule outer =
      on(everyone(p), twice, BlockMap::affine(Buffer::send, 0), BlockMap::affine(Buffer::recv, 0));
  ASSERT_EQ(outer.rounds(), inner.rounds());
  EXPECT_EQ(outer.channels(), 2 * inner.channels());
  for (int round = 0; round < outer.rounds(); ++round) {
    ASSERT_EQ(outer.sends(round).size(), twice.sends(round).size());
    for (std::size_t i = 0; i < outer.sends(round).size(); ++i) {
      EXPECT_EQ(outer.sends(round)[i].travel, twice.sends(round)[i].travel);
      EXPECT_EQ(outer.sends(round)[i].channel, twice.sends(round)[i].channel);
    }
  }
}

// The algorithms that do not divide blocks. If they did, the outer blocks would have to be divided,
// too.
std::vector<const Algorithm*> of_whole_blocks() {
  std::vector<const Algorithm*> result = test::algorithms_of(allgather);
  std::erase_if(result, [](const Algorithm* each) { return each->parts != nullptr; });
  return result;
}
INSTANTIATE_TEST_SUITE_P(Registry, Composed, testing::ValuesIn(of_whole_blocks()), test::test_name);

// ---- At the same time

// An allgather in which every rank contributes two blocks: datum 2 r + h is half h of rank r.
const Collective halves{
    .name = "halves",
    .variable = "",
    .blocks = [](const Shape& shape, int,
                 Buffer buffer) { return buffer == Buffer::send ? 2 : 2 * shape.p; },
    .data = [](const Shape& shape) -> Datum { return 2 * shape.p; },
    .sized = [](const Shape&, int rank, Buffer buffer, int block) -> Datum {
      return buffer == Buffer::send ? 2 * rank + block : block;
    },
    .before = [](const Shape&, int rank, Buffer buffer, int block) -> Datum {
      return buffer == Buffer::send ? 2 * rank + block : nothing;
    },
    .after = [](const Shape&, int rank, Buffer buffer, int block) -> Datum {
      return buffer == Buffer::send ? 2 * rank + block : block;
    },
    .in_place = [](const Shape&, int rank, int block) { return 2 * rank + block; },
};

// Runs `inner` on half h of each rank's data.
Schedule on_half(int p, int half, const Schedule& inner) {
  return on(everyone(p), inner, BlockMap::affine(Buffer::send, half),
            BlockMap::affine(Buffer::recv, half, 2));
}

TEST(Beside, LetsOneRingTurnLeftWhileTheOtherTurnsRight) {
  const Algorithm& ring = *find_algorithm(allgather, "ring");
  for (int p = 1; p <= 12; ++p) {
    std::vector<int> mirrored = everyone(p);
    std::ranges::reverse(mirrored);
    const auto write = [&](int rank) {
      const Schedule clockwise = ring.schedule({p}, rank);
      const Schedule counter = relabel(mirrored, ring.schedule({p}, p - 1 - rank), {Buffer::recv});
      return beside(on_half(p, 0, clockwise), on_half(p, 1, counter));
    };
    for (const bool in_place : {false, true}) EXPECT_EQ(prove(halves, p, write, in_place), "") << p;
    // As many rounds as one ring: both rings run at the same time.
    EXPECT_EQ(write(0).rounds(), ring.schedule({p}, 0).rounds());
    EXPECT_EQ(write(0).channels(), 2);
  }
}

TEST(Beside, PutsAnyTwoAlgorithmsTogether) {
  const int p = 8;
  const auto is_meant = [&](const Algorithm& algorithm) {  // does not divide blocks
    return &algorithm.collective == &allgather && algorithm.complete({p}).parts == 1;
  };
  for (const Algorithm* one : all_algorithms())
    for (const Algorithm* other : all_algorithms()) {
      if (!is_meant(*one) || !is_meant(*other)) continue;
      const auto write = [&](int rank) {
        return beside(on_half(p, 0, one->schedule(shape_of(*one, p), rank)),
                      on_half(p, 1, other->schedule(shape_of(*other, p), rank)));
      };
      EXPECT_EQ(prove(halves, p, write), "") << one->path() << " beside " << other->path();
    }
}

// Channels are necessary: rank 0 writes one part before the other, rank 1 in the reverse order.
TEST(Beside, DoesNotMistakeMessagesOfItsParts) {
  const auto swap = [](int rank, int half) {
    ScheduleBuilder part;
    part.round()
        .send(1 - rank, send(half))
        .recv(1 - rank, recv(2 * (1 - rank) + half))
        .copy(send(half), recv(2 * rank + half));
    return std::move(part).build();
  };
  const auto write = [&](bool apart) {
    return [&, apart](int rank) {
      if (apart) return beside(swap(rank, 0), swap(rank, 1));
      ScheduleBuilder
          mixed;  // one channel for both, and the order of the parts depends on the rank
      mixed.round();
      for (const int half : {rank, 1 - rank}) {
        mixed.send(1 - rank, send(half)).copy(send(half), recv(2 * rank + half));
        mixed.recv(1 - rank, recv(2 * (1 - rank) + half));
      }
      return std::move(mixed).build();
    };
  };
  EXPECT_EQ(prove(halves, 2, write(true)), "");
  EXPECT_NE(prove(halves, 2, write(false)), "");
}

TEST(Beside, KeepsTheChannelsOfARankWithoutMessages) {
  EXPECT_EQ(beside(Schedule{}, Schedule{}).channels(), 2);
  EXPECT_EQ(beside(beside(Schedule{}, Schedule{}), Schedule{}).channels(), 3);
}

TEST(Beside, MovesTheScratchOfTheSecondBehindTheFirst) {
  const auto part = [](int block) {
    ScheduleBuilder builder;
    builder.scratch({recv(block, 2)});
    builder.round().send(1, scratch(1));
    return std::move(builder).build();
  };
  const Schedule both = beside(part(0), part(5));
  EXPECT_EQ(expand(both.scratch()), (std::vector{0, 1, 5, 6}));
  EXPECT_EQ(both.ranges(both.sends(0)[0])[0], scratch(1));
  EXPECT_EQ(both.ranges(both.sends(0)[1])[0], scratch(3));
}

// ---- One after the other

TEST(Segmented, StartsEachSegmentLaterWithBlocksOfItsOwn) {
  ScheduleBuilder one;
  one.round().send(1, recv(0, 2)).round().copy(recv(1), recv(0));
  const Schedule all = segmented(std::move(one).build(), 2, 3, 2);
  ASSERT_EQ(all.rounds(), 6);
  for (int segment = 0; segment < 3; ++segment) {
    ASSERT_EQ(all.sends(2 * segment).size(), 1U);
    EXPECT_EQ(expand(all.ranges(all.sends(2 * segment)[0])),
              (std::vector{2 * segment, 2 * segment + 1}));
    EXPECT_TRUE(all.sends(2 * segment + 1).empty());
    EXPECT_EQ(expand(all.into(all.steps(2 * segment + 1)[0])), std::vector{2 * segment});
  }
}

TEST(InScratch, TakesScratchForTheBlocksOfRecvThatAreUsed) {
  ScheduleBuilder with_recv;
  const BlockRange own = with_recv.scratch({recv(4)});
  with_recv.round().recv(1, {recv(4, 2), recv(7)}).copy(recv(7), own).copy(send(0), recv(9));
  const Schedule without =
      in_scratch(std::move(with_recv).build(), BlockMap::affine(Buffer::send, 1), 9);
  EXPECT_EQ(expand(without.scratch()), (std::vector{5, 6, 8, 5}));
  for (const BlockRange& each : without.scratch()) EXPECT_EQ(each.buffer, Buffer::send);
  const auto received = without.ranges(without.recvs(0)[0]);
  EXPECT_EQ(BlockRanges(received.begin(), received.end()), BlockRanges{scratch(0, 3)});
  EXPECT_EQ(expand(without.into(without.steps(0)[0])), std::vector{3})
      << "the rank's own block follows";
  EXPECT_EQ(without.into(without.steps(0)[1])[0], recv(0)) << "does not move";
}

// On a ring of three ranks: rank 2 sends nothing, and rank 0 receives nothing.
TEST(WithoutMessagesTo, LeavesOutThoseOfTheRoot) {
  const Shape three{.p = 3};
  const Algorithm& ring = *find_algorithm(allgather, "ring");
  for (int rank = 0; rank < 3; ++rank) {
    const Schedule whole = ring.schedule(three, rank), kept = without_messages_to(0, rank, whole);
    EXPECT_EQ(kept.steps(0).size(), whole.steps(0).size());
    for (int round = 1; round < kept.rounds(); ++round) {
      EXPECT_EQ(kept.sends(round).size(), rank == 2 ? 0u : 1u);
      EXPECT_EQ(kept.recvs(round).size(), rank == 0 ? 0u : 1u);
    }
    EXPECT_EQ(kept.rounds(), whole.rounds());
  }
}

TEST(Then, RunsBothWhole) {
  const Algorithm& bruck = *find_algorithm(allgather, "bruck");
  const Algorithm& ring = *find_algorithm(allgather, "ring");
  const int p = 6;
  const auto write = [&](int rank) {
    return then(on_half(p, 0, bruck.schedule(shape_of(bruck, p), rank)),
                on_half(p, 1, ring.schedule({p}, rank)));
  };
  EXPECT_EQ(prove(halves, p, write), "");
  EXPECT_EQ(write(0).rounds(),
            bruck.schedule(shape_of(bruck, p), 0).rounds() + ring.schedule({p}, 0).rounds());
  EXPECT_EQ(write(0).channels(), 1);
}

TEST(Then, HasNothingAsItsNeutralElement) {
  const Algorithm& bruck = *find_algorithm(allgather, "bruck");
  const Schedule schedule = bruck.schedule(shape_of(bruck, 5), 2);
  for (const Schedule& same : {then(schedule, {}), then({}, schedule)}) {
    EXPECT_EQ(same.rounds(), schedule.rounds());
    EXPECT_EQ(same.scratch(), schedule.scratch());
    EXPECT_EQ(same.channels(), schedule.channels());
  }
}

// The inner scratch has the layout of send block 2 and recv block 1, at separate places and inside
// the outer buffers.
TEST(On, LeavesScratchAtHome) {
  ScheduleBuilder inner;
  const BlockRange scratch = inner.scratch({send(2), recv(1)});
  inner.round().send(1, scratch).recv(1, recv(0)).reduce(recv(0), recv(1));
  const Schedule schedule = std::move(inner).build();
  const BlockMap sent = BlockMap::affine(Buffer::recv, 10);
  const BlockMap received = BlockMap::affine(Buffer::recv, 20);
  const Schedule home = on(schedule, sent, received, Scratch::at_home);
  EXPECT_TRUE(home.scratch().empty());
  EXPECT_EQ(test::expand(home.ranges(home.sends(0)[0])), (std::vector{12, 21}));
  EXPECT_TRUE(home.steps(0)[0].reduces);
  const Schedule apart = on(schedule, sent, received);
  EXPECT_EQ(test::expand(apart.scratch()), (std::vector{12, 21}));
  EXPECT_EQ(test::expand(apart.ranges(apart.sends(0)[0])), (std::vector{0, 1}));
}

}  // namespace
}  // namespace toccata
