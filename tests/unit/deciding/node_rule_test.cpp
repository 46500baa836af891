#include "deciding/node_rule.h"

#include <gtest/gtest.h>

#include "choices/shipped_rules.h"
#include "writing/registry.h"

namespace toccata {
namespace {

const RuleTable* open_mpi() { return shipped_rules("open_mpi"); }
const RuleTable* mpich() { return shipped_rules("mpich"); }
const RuleTable* intel_mpi() { return shipped_rules("intel_mpi"); }

std::string chosen(const Collective& collective, int p, bool crowded, std::int64_t bytes,
                   bool directly = false) {
  const auto choice =
      node_rule(Form::blocking, collective, p, {crowded, directly, open_mpi()}, bytes);
  return choice ? choice->text() : "";
}
std::string chosen_under(const RuleTable* rules, const Collective& collective, int p,
                         std::int64_t bytes) {
  const auto choice = node_rule(Form::blocking, collective, p, {.rules = rules}, bytes);
  return choice ? choice->text() : "";
}

TEST(NodeRule, ServesNearlyAllSizesWithACoreForEachRank) {
  for (const int p : {2, 4, 8, 16})
    for (const Collective* collective : {&allreduce, &reduce_scatter, &bcast, &allgather})
      for (const std::int64_t bytes : {8, 1 << 10, 1 << 20})
        EXPECT_NE(chosen(*collective, p, false, bytes), "") << collective->name << ' ' << bytes;
  EXPECT_EQ(chosen(barrier, 2, false, 0), "shared");
}

// Among neighbours, sizes are those of the largest block so far. Intel MPI copies long blocks only
// once.
TEST(NodeRule, ServesShortBlocksOfNeighbors) {
  const auto serves = [](const RuleTable* rules, bool crowded, std::int64_t bytes) {
    const auto choice = node_rule(Form::blocking, neighbor_alltoall, 64,
                                  {.crowded = crowded, .rules = rules}, bytes);
    return choice && choice->text() == "direct:travel=published";
  };
  for (const RuleTable* rules : {open_mpi(), mpich(), intel_mpi()}) {
    EXPECT_TRUE(serves(rules, false, 4 << 10));
    EXPECT_TRUE(serves(rules, true, 4 << 10));
    EXPECT_FALSE(serves(rules, true, 16 << 10));
    EXPECT_FALSE(serves(rules, false, -1)) << "no agreement on a size";
    EXPECT_EQ(serves(rules, false, 64 << 10), rules == mpich());
  }
}

// In other algorithms than `shared`, no rank reads the messages of all others.
TEST(NodeRule, PipelinesLongScansOfManyRanks) {
  EXPECT_EQ(chosen(scan, 8, false, 8 << 10), "shared");
  EXPECT_EQ(chosen(scan, 8, false, 16 << 10), "pipeline:travel=published");
  EXPECT_EQ(chosen(scan, 16, false, 4 << 10), "pipeline:travel=published");
  EXPECT_EQ(chosen(exscan, 16, false, 4 << 10), "pipeline:travel=published");
  EXPECT_EQ(chosen(scan, 4, false, 1 << 20), "");
}

// Intel MPI uses shared memory for most collectives itself.
TEST(NodeRule, DependsOnTheMpiLibrary) {
  EXPECT_NE(chosen_under(mpich(), bcast, 8, 1 << 10), "");
  EXPECT_EQ(chosen_under(intel_mpi(), bcast, 8, 1 << 10), "");
  EXPECT_NE(chosen_under(intel_mpi(), alltoall, 8, 1 << 10), "");
  EXPECT_EQ(chosen_under(intel_mpi(), alltoall, 8, 2 << 10), "");
  EXPECT_NE(chosen_under(intel_mpi(), bcast, 2, 32), "");
  EXPECT_EQ(chosen_under(intel_mpi(), bcast, 2, 64), "");
  EXPECT_NE(chosen_under(intel_mpi(), bcast, 2, 1 << 10), "");
  EXPECT_NE(chosen_under(mpich(), reduce, 2, 1 << 20), "");
  EXPECT_EQ(chosen_under(open_mpi(), reduce, 2, 32 << 10), "");
}

// The fewer ranks there are, the longer the messages that each of them can reduce by itself.
TEST(NodeRule, LetsOneRankReduceShortMessages) {
  const std::string whole = "shared:reducers=whole";
  EXPECT_EQ(chosen(allreduce, 2, false, 512 << 10), whole);
  EXPECT_EQ(chosen(allreduce, 2, false, 1 << 20), "shared");
  EXPECT_EQ(chosen(allreduce, 4, false, 2 << 10), whole);
  EXPECT_EQ(chosen(allreduce, 4, false, 4 << 10), "shared");
  EXPECT_EQ(chosen(reduce, 8, false, 1 << 10), whole);
  EXPECT_EQ(chosen(allreduce, 16, false, 512), whole);
  EXPECT_EQ(chosen(allreduce, 2, true, 16 << 10), "shared");
  EXPECT_EQ(chosen(allreduce, 4, true, 8 << 10), whole);
  EXPECT_EQ(chosen(allreduce, 4, true, 16 << 10), "shared");
  EXPECT_EQ(chosen(allreduce, 8, true, 4 << 10), whole);
}

TEST(NodeRule, LeavesWhatWasNotMeasured) {
  EXPECT_EQ(chosen_under(nullptr, allreduce, 4, 1 << 10), "");
  for (const std::int64_t bytes : {8, 64 << 10}) {
    EXPECT_NE(chosen(allreduce, 16, false, bytes), "");
    EXPECT_EQ(chosen(allreduce, 17, false, bytes), "");
  }
  EXPECT_EQ(chosen(bcast, 4, false, -1), "");
  EXPECT_NE(chosen(allgather, 4, true, 1 << 10), "");
  EXPECT_NE(chosen(allgather, 8, true, 1 << 10), "");
  EXPECT_EQ(chosen(allgather, 9, true, 1 << 10), "");
}

// Callers give the size of a block, and the rows have the size of all blocks of a rank.
TEST(NodeRule, CountsAllBlocksOfARank) {
  EXPECT_EQ(chosen(alltoall, 8, false, 2 << 10), "shared");
  EXPECT_EQ(chosen(alltoall, 8, false, 8 << 10), "pairwise:travel=published");
  EXPECT_EQ(chosen(alltoall, 8, false, 32 << 10), "shared");
  EXPECT_EQ(chosen(alltoall, 16, false, 1 << 10), "shared");
  EXPECT_EQ(chosen(alltoall, 16, false, 2 << 10), "pairwise:travel=published");
  EXPECT_EQ(chosen(gather, 16, false, 16 << 10), "shared");
  EXPECT_EQ(chosen(scatter, 16, false, 1 << 10), "shared");
  EXPECT_EQ(chosen(scatter, 16, false, 2 << 10), "");
  EXPECT_EQ(chosen(reduce_scatter, 16, false, 2 << 10), "shared");
  EXPECT_EQ(chosen(reduce_scatter, 16, false, 4 << 10), "recursive_multiplying:travel=published");
  EXPECT_EQ(chosen(gather, 4, true, 32 << 10), "shared");
  EXPECT_EQ(chosen(gather, 4, true, 64 << 10), "");
}

// A row may leave some sizes to the MPI library.
TEST(NodeRule, LeavesSomeReductionsOfTwoRanksToOpenMpi) {
  const std::string whole = "shared:reducers=whole";
  EXPECT_EQ(chosen(reduce, 2, false, 4 << 10), whole);
  EXPECT_EQ(chosen(reduce, 2, false, 8 << 10), "");
  EXPECT_EQ(chosen(reduce, 2, false, 64 << 10), "");
  EXPECT_EQ(chosen(reduce, 2, false, 128 << 10), whole);
  EXPECT_EQ(chosen(reduce, 3, false, 32 << 10), "shared");
}

// Open MPI's ranks send several short messages ahead before they release the core.
TEST(NodeRule, LeavesSomeSizesOfRanksThatShareCores) {
  EXPECT_NE(chosen(allreduce, 4, true, 4 << 20), "");
  EXPECT_EQ(chosen(bcast, 4, true, 256), "");
  EXPECT_NE(chosen(bcast, 4, true, 512), "");
  EXPECT_EQ(chosen(bcast, 4, true, 64 << 10), "");
  EXPECT_NE(chosen(bcast, 4, true, 1 << 20), "");
  EXPECT_EQ(chosen(scatter, 8, true, 32 << 10), "");
}

// If one copy suffices, such ranks gain with long messages.
TEST(NodeRule, ServesLongMessagesOfRanksThatReadDirectly) {
  for (const int p : {4, 8})
    for (const Collective* collective : {&allreduce, &reduce_scatter})
      EXPECT_NE(chosen(*collective, p, true, 4 << 20, true), "") << collective->name << ' ' << p;
  for (const int p : {4, 8}) {
    EXPECT_EQ(chosen(reduce, p, true, 64 << 10, true), "");
    EXPECT_NE(chosen(reduce, p, true, 2 << 20, true), "");
    EXPECT_EQ(chosen(reduce, p, true, 2 << 20, false), "");
  }
  EXPECT_NE(chosen(allgather, 4, true, 1 << 20, true), "");
  EXPECT_EQ(chosen(allgather, 4, true, 1 << 20, false), "");
  EXPECT_EQ(chosen(scatter, 8, true, 32 << 10, true), "");
}

// If one rank reduces a vector, it evaluates the standard expression, so the bits are the same as
// in the other forms.
TEST(NodeRule, GivesSumsOneExpression) {
  for (const std::int64_t bytes : {8, 1 << 20}) {
    const auto choice = node_rule(Form::blocking, allreduce, 4, {.rules = open_mpi()}, bytes);
    ASSERT_TRUE(choice.has_value());
    EXPECT_TRUE(choice->algorithm->reproducible);
  }
  EXPECT_NE(chosen(allreduce, 4, false, 8), chosen(allreduce, 4, false, 1 << 20));
}

// A board is created only for communicators with frequent calls, or with messages long enough to
// justify it.
TEST(NodeRule, HoldsAtOnceForLongMessagesOnly) {
  EXPECT_TRUE(node_rule_holds_at_once({}, 4 << 10));
  EXPECT_FALSE(node_rule_holds_at_once({}, 2 << 10));
  EXPECT_TRUE(node_rule_holds_at_once({.crowded = true}, 64 << 10));
  EXPECT_FALSE(node_rule_holds_at_once({.crowded = true}, 32 << 10));
}

bool serves(Form form, const Collective& collective, int p, std::int64_t bytes,
            const NodeKind& node = {.rules = open_mpi()}) {
  return node_rule(form, collective, p, node, bytes).has_value();
}

TEST(NodeRule, ServesShortPersistentCallsOfManyRanks) {
  EXPECT_FALSE(serves(Form::persistent, bcast, 2, 1 << 20));
  EXPECT_FALSE(serves(Form::persistent, bcast, 4, 512));
  EXPECT_TRUE(serves(Form::persistent, bcast, 4, 1 << 10));
  EXPECT_TRUE(serves(Form::persistent, bcast, 8, 8));
  EXPECT_TRUE(serves(Form::persistent, barrier, 8, 0));
}

TEST(NodeRule, ServesFewerNonblockingCalls) {
  EXPECT_FALSE(serves(Form::nonblocking, allreduce, 4, 64));
  EXPECT_TRUE(serves(Form::persistent, allreduce, 4, 64));
  EXPECT_TRUE(serves(Form::nonblocking, allreduce, 4, 1 << 10));
}

TEST(NodeRule, OfRequestsDependsOnTheMpiLibraryAndTheCores) {
  EXPECT_TRUE(serves(Form::nonblocking, scatter, 4, 8, {.rules = mpich()}));
  EXPECT_FALSE(serves(Form::nonblocking, scatter, 4, 8));
  EXPECT_FALSE(serves(Form::persistent, alltoall, 4, 8, {.rules = intel_mpi()}));
  EXPECT_TRUE(
      serves(Form::persistent, allgather, 4, 1 << 10, {.crowded = true, .rules = open_mpi()}));
  EXPECT_FALSE(serves(Form::persistent, allgather, 4, 512, {.crowded = true, .rules = open_mpi()}));
  EXPECT_FALSE(serves(Form::persistent, allgather, 4, 4096, {.crowded = true, .rules = mpich()}));
}

// The rule for blocking calls names the same algorithm for these calls. So sums have the same bits
// in all three forms.
TEST(NodeRule, ChoosesForRequestsAsForBlockingCalls) {
  int served = 0;
  for (const Form form : {Form::nonblocking, Form::persistent})
    for (const Collective* collective :
         {&allreduce, &reduce, &reduce_scatter, &scan, &exscan, &bcast, &allgather, &alltoall})
      for (const int p : {2, 3, 4, 5, 8, 16, 17})
        for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
          for (const RuleTable* const rules : {open_mpi(), mpich()})
            if (const auto choice = node_rule(form, *collective, p, {.rules = rules}, bytes)) {
              EXPECT_EQ(choice->text(), chosen_under(rules, *collective, p, bytes));
              ++served;
            }
  EXPECT_GT(served, 1000);
}

}  // namespace
}  // namespace toccata
