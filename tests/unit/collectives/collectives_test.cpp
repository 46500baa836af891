#include <set>

#include "collectives/collective.h"
#include "collectives/neighborhood.h"
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

// An alltoall has p² data. From 46 341 ranks on, their indices exceed 32 bits.
TEST(Collectives, HaveDataOfTheirOwnOnVeryManyRanks) {
  const Shape shape{.p = 100'000};
  const Datum last = alltoall.sized(shape, shape.p - 1, Buffer::send, shape.p - 1);
  EXPECT_EQ(last, Datum{shape.p} * shape.p - 1);
  EXPECT_EQ(last, alltoall.data(shape) - 1);
}

// Properties that users of every collective require.
void expect_to_fit(const Collective& collective, const Shape& shape) {
  for (int rank = 0; rank < shape.p; ++rank)
    for (const Buffer buffer : {Buffer::send, Buffer::recv})
      for (int block = 0; block < collective.blocks(shape, rank, buffer); ++block) {
        const Datum sized = collective.sized(shape, rank, buffer, block);
        EXPECT_TRUE(sized >= 0 && sized < collective.data(shape));
        for (const auto holds : {collective.before, collective.after}) {
          const Datum datum = holds(shape, rank, buffer, block);
          EXPECT_TRUE(datum == nothing || datum == sized);
        }
        if (buffer == Buffer::recv || collective.in_place == nullptr) continue;
        const int place = collective.in_place(shape, rank, block);
        if (place == nothing) continue;
        ASSERT_TRUE(place >= 0 && place < collective.blocks(shape, rank, Buffer::recv));
        EXPECT_EQ(collective.sized(shape, rank, Buffer::recv, place), sized);
      }
}

TEST(Collectives, PromiseOnlyWhatFits) {
  for (const Collective* collective : collectives())
    for (const int p : {1, 2, 3, 8})
      for (const int root : collective->rooted ? std::set{0, p / 2, p - 1} : std::set{0})
        for (const int parts : {1, 3}) {
          SCOPED_TRACE(std::string(collective->name) + " with p = " + std::to_string(p) +
                       ", root " + std::to_string(root) + ", parts " + std::to_string(parts));
          expect_to_fit(*collective,
                        with_neighbors(*collective, {.p = p, .root = root, .parts = parts}));
        }
}

// Every datum of recv is on some rank before the call; every datum on a rank is part of some
// result.
TEST(Collectives, PromiseWhatIsThere) {
  for (const Collective* collective : collectives()) {
    SCOPED_TRACE(std::string(collective->name));
    const int parts = collective->regular().name == "alltoall" ? 1 : 2;
    const Shape shape = with_neighbors(*collective, {.p = 5, .root = 3, .parts = parts});
    std::vector<int> had(collective->data(shape)), promised(collective->data(shape));
    for (int rank = 0; rank < shape.p; ++rank)
      for (const Buffer buffer : {Buffer::send, Buffer::recv})
        for (int block = 0; block < collective->blocks(shape, rank, buffer); ++block) {
          const Datum datum = collective->before(shape, rank, buffer, block);
          if (datum != nothing) ++had[datum];
          if (buffer == Buffer::recv) ++promised[collective->after(shape, rank, buffer, block)];
        }
    for (int datum = 0; datum < collective->data(shape); ++datum) {
      EXPECT_EQ(had[datum], collective->reduces ? shape.p : 1) << datum;
      EXPECT_GE(promised[datum], 1) << datum;
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

// p = 3 ranks, root 1, two parts.
TEST(Bcast, HasOneBufferOnly) {
  const Shape shape{.p = 3, .root = 1, .parts = 2};
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(bcast.blocks(shape, rank, Buffer::send), 0);
    EXPECT_EQ(bcast.blocks(shape, rank, Buffer::recv), 2);
    EXPECT_EQ(bcast.before(shape, rank, Buffer::recv, 1), rank == 1 ? 1 : nothing);
    EXPECT_EQ(bcast.after(shape, rank, Buffer::recv, 1), 1);
  }
}

TEST(Gather, GivesTheRootAllBlocks) {
  const Shape shape{.p = 3, .root = 1, .parts = 2};
  for (const Collective* each : {&gather, &gatherv})
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(each->blocks(shape, rank, Buffer::send), 2);
      EXPECT_EQ(each->blocks(shape, rank, Buffer::recv), rank == 1 ? 6 : 0);
      EXPECT_EQ(each->before(shape, rank, Buffer::send, 1), 2 * rank + 1);
      EXPECT_EQ(each->in_place(shape, rank, 1), rank == 1 ? 3 : nothing);
      EXPECT_EQ(each->sized(shape, rank, Buffer::recv, 4), 4) << "scratch may have the same sizes";
    }
}

TEST(Scatter, GivesEveryRankItsBlockOfTheRoot) {
  const Shape shape{.p = 3, .root = 1, .parts = 2};
  for (const Collective* each : {&scatter, &scatterv})
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(each->blocks(shape, rank, Buffer::send), rank == 1 ? 6 : 0);
      EXPECT_EQ(each->blocks(shape, rank, Buffer::recv), 2);
      EXPECT_EQ(each->before(shape, rank, Buffer::send, 4), rank == 1 ? 4 : nothing);
      EXPECT_EQ(each->after(shape, rank, Buffer::recv, 1), 2 * rank + 1);
      EXPECT_EQ(each->in_place(shape, rank, 3), rank == 1 ? 1 : nothing);
      EXPECT_EQ(each->in_place(shape, rank, 4), nothing);
    }
}

TEST(Barrier, MovesNothing) {
  for (const Buffer buffer : {Buffer::send, Buffer::recv})
    EXPECT_EQ(barrier.blocks({3}, 1, buffer), 0);
  EXPECT_EQ(barrier.data({3}), 0);
  EXPECT_TRUE(barrier.synchronizes);
}

TEST(Scans, CombineTheRanksUpToEach) {
  const Shape shape{.p = 3, .parts = 2};
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(scan.contributors(shape, rank), rank + 1);
    EXPECT_EQ(exscan.contributors(shape, rank), rank);
    EXPECT_EQ(scan.blocks(shape, rank, Buffer::recv), 2);
    EXPECT_EQ(exscan.blocks(shape, rank, Buffer::recv), rank > 0 ? 2 : 0)
        << "rank 0's buffer does not change";
    EXPECT_EQ(exscan.in_place(shape, rank, 1), rank > 0 ? 1 : nothing);
    for (const Collective* each : {&scan, &exscan}) {
      EXPECT_EQ(each->blocks(shape, rank, Buffer::send), 2);
      EXPECT_EQ(each->before(shape, rank, Buffer::send, 1), 1);
      EXPECT_EQ(each->after(shape, rank, Buffer::recv, 1), 1);
    }
  }
}

TEST(Reductions, TakeAContributionOfEveryRank) {
  const Shape shape{.p = 3, .root = 1, .parts = 2};
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(reduce.blocks(shape, rank, Buffer::recv), rank == 1 ? 2 : 0);
    EXPECT_EQ(reduce.in_place(shape, rank, 1), rank == 1 ? 1 : nothing);
    EXPECT_EQ(allreduce.blocks(shape, rank, Buffer::recv), 2);
    EXPECT_EQ(allreduce.in_place(shape, rank, 1), 1);
    for (const Collective* each : {&reduce, &allreduce}) {
      EXPECT_EQ(each->blocks(shape, rank, Buffer::send), 2);
      EXPECT_EQ(each->before(shape, rank, Buffer::send, 1), 1);
      EXPECT_EQ(each->after(shape, rank, Buffer::recv, 1), 1);
    }
    EXPECT_EQ(reduce_scatter.blocks(shape, rank, Buffer::send), 6);
    EXPECT_EQ(reduce_scatter.blocks(shape, rank, Buffer::recv), 2);
    EXPECT_EQ(reduce_scatter.before(shape, rank, Buffer::send, 4), 4);
    EXPECT_EQ(reduce_scatter.after(shape, rank, Buffer::recv, 1), 2 * rank + 1);
  }
  EXPECT_EQ(reduce_scatter.in_place, nullptr);
}

}  // namespace
}  // namespace toccata
