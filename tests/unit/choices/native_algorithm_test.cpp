#include "choices/native_algorithm.h"

#include <gtest/gtest.h>

#include "choices/known_shape.h"
#include "choices/shipped_rules.h"
#include "costs/assumed_models.h"
#include "writing/registry.h"

namespace toccata {
namespace {

Ranking::Entry proposal(std::string_view mpi, const Collective& collective, const Shape& known,
                        std::int64_t bytes) {
  const Ranking ranking(collective, known, usual_model());
  return proposed(ranking, shipped_rules(mpi), collective, known.p, bytes);
}

// Every algorithm in the tables exists, and can run among that many ranks.
TEST(NativeAlgorithm, ExistsAndCanRun) {
  for (const std::string_view mpi : {"open_mpi", "mpich"})
    for (const Collective* collective : {&allgather, &allreduce, &alltoall, &barrier, &bcast,
                                         &gather, &reduce, &reduce_scatter, &scatter})
      for (const int p :
           {2, 3, 4, 7, 8, 16, 30, 32, 33, 64, 101, 128, 256, 512, 1000, 1001, 1024, 4096})
        for (std::int64_t bytes = 1; bytes <= 16 << 20; bytes *= 2) {
          const auto found =
              native_algorithm(shipped_rules(mpi), Form::blocking, *collective, p, bytes);
          ASSERT_TRUE(found) << collective->name << " among " << p;
          Shape shape;
          shape.p = p;
          EXPECT_NO_THROW(static_cast<void>(found->in(shape))) << found->text() << " among " << p;
        }
}

TEST(NativeAlgorithm, IsReplacedWhereTheModelPredictsAGain) {
  const Shape shape = known(16, "node:4 core:4");
  int replaced = 0, kept = 0;
  for (const Collective* collective : {&allgather, &allreduce, &bcast, &reduce_scatter})
    for (const std::int64_t bytes : {8, 1 << 10, 64 << 10, 1 << 20}) {
      const auto own =
          native_algorithm(shipped_rules("open_mpi"), Form::blocking, *collective, 16, bytes);
      ASSERT_TRUE(own);
      const double price = Ranking(*own, shape, usual_model()).at(bytes).front().seconds;
      const auto found = proposal("open_mpi", *collective, shape, bytes);
      if (found.choice.native()) {
        EXPECT_EQ(found.seconds, price);
        ++kept;
      } else {
        EXPECT_LT(least_predicted_gain * found.seconds, price);
        ++replaced;
      }
    }
  EXPECT_GT(replaced, 4);
  EXPECT_GT(kept, 0);
}

TEST(NativeAlgorithm, StaysIfItIsUnknown) {
  const Shape shape = known(16, "node:4 core:4");
  const auto known_one = proposal("open_mpi", allgather, shape, 64 << 10);
  EXPECT_FALSE(known_one.choice.native());
  for (const std::string_view mpi : {"unknown", "intel_mpi"})
    EXPECT_TRUE(proposal(mpi, allgather, shape, 64 << 10).choice.native());
  EXPECT_TRUE(proposal("open_mpi", scan, shape, 64 << 10).choice.native());
}

}  // namespace
}  // namespace toccata
