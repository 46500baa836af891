#include "deciding/request_rule.h"

#include <gtest/gtest.h>

#include "algorithms/registry.h"

namespace toccata {
namespace {

bool serves(Form form, const Collective& collective, int p, std::int64_t bytes,
            const NodeKind& node = {}) {
  return request_rule(form, collective, p, node, bytes).has_value();
}

TEST(RequestRule, ServesShortPersistentCallsOfManyRanks) {
  EXPECT_FALSE(serves(Form::persistent, bcast, 2, 1 << 20));
  EXPECT_FALSE(serves(Form::persistent, bcast, 4, 512));
  EXPECT_TRUE(serves(Form::persistent, bcast, 4, 1 << 10));
  EXPECT_TRUE(serves(Form::persistent, bcast, 8, 8));
  EXPECT_TRUE(serves(Form::persistent, barrier, 8, 0));
}

TEST(RequestRule, ServesFewerNonblockingCalls) {
  EXPECT_FALSE(serves(Form::nonblocking, allreduce, 4, 64));
  EXPECT_TRUE(serves(Form::persistent, allreduce, 4, 64));
  EXPECT_TRUE(serves(Form::nonblocking, allreduce, 4, 1 << 10));
}

TEST(RequestRule, DependsOnTheMpiLibraryAndTheCores) {
  EXPECT_TRUE(serves(Form::nonblocking, scatter, 4, 8, {.native = NativeMpi::mpich}));
  EXPECT_FALSE(serves(Form::nonblocking, scatter, 4, 8));
  EXPECT_FALSE(serves(Form::persistent, alltoall, 4, 8, {.native = NativeMpi::intel_mpi}));
  EXPECT_TRUE(serves(Form::persistent, allgather, 4, 1 << 10, {.crowded = true}));
  EXPECT_FALSE(serves(Form::persistent, allgather, 4, 512, {.crowded = true}));
  EXPECT_FALSE(
      serves(Form::persistent, allgather, 4, 4096, {.crowded = true, .native = NativeMpi::mpich}));
}

// The rule for blocking calls names the same algorithm for these calls. So sums have the same bits
// in all three forms.
TEST(RequestRule, ChoosesAsForBlockingCalls) {
  int served = 0;
  for (const Form form : {Form::nonblocking, Form::persistent})
    for (const Collective* collective :
         {&allreduce, &reduce, &reduce_scatter, &scan, &exscan, &bcast, &allgather, &alltoall})
      for (const int p : {2, 3, 4, 5, 8, 16, 17})
        for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
          for (const NativeMpi native : {NativeMpi::open_mpi, NativeMpi::mpich})
            if (const auto choice = request_rule(form, *collective, p, {.native = native}, bytes)) {
              EXPECT_EQ(choice->text(),
                        node_rule(*collective, p, {.native = native}, bytes)->text());
              ++served;
            }
  EXPECT_GT(served, 1000);
}

}  // namespace
}  // namespace toccata
