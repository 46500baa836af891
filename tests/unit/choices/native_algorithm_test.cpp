#include "choices/native_algorithm.h"

#include <gtest/gtest.h>

#include "choices/known_shape.h"
#include "choices/shipped_rules.h"
#include "costs/assumed_models.h"
#include "topology/synthetic.h"
#include "writing/registry.h"

namespace toccata {
namespace {

Ranking::Entry proposal(std::string_view mpi, const Collective& collective, const Shape& known,
                        std::int64_t bytes) {
  const Ranking ranking(collective, known, usual_model());
  const auto own = native_algorithm(shipped_rules(mpi), Form::blocking, collective, known.p, bytes);
  return proposed(ranking, own, known, usual_model(), bytes);
}

std::string own(std::string_view mpi, int version, const Collective& collective, const Shape& shape,
                std::int64_t bytes) {
  const auto found =
      native_algorithm(shipped_rules(mpi), collective, spread_of(shape), bytes, version);
  return found ? found->text() : "";
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

// The sizes of a call's buffers may exceed all numbers.
TEST(NativeAlgorithm, OfTheLongestCallsIsThatOfLongOnes) {
  const auto of_long = [](std::int64_t bytes) {
    return native_algorithm(shipped_rules("mpich"), Form::blocking, allgather, 1 << 20, bytes)
        .value()
        .text();
  };
  EXPECT_EQ(of_long(std::int64_t{1} << 62), of_long(std::int64_t{1} << 30));
}

// The same among nodes, in each version.
TEST(NativeAlgorithm, ExistsAndCanRunAmongNodes) {
  for (const char* machine :
       {"node:2 core:3", "node:3 core:1", "node:3 core:2,4,1", "node:4 core:4", "node:6 core:1",
        "node:9 core:2", "node:40 core:3", "node:70 core:1"}) {
    const Machine cores = parse_machine(machine);
    const Shape shape = known(cores.objects(cores.levels() - 1), machine);
    for (const std::string_view mpi : {"open_mpi", "mpich"})
      for (const int version : {400, 401, 500, 600, 601})
        for (const Collective* collective : {&allgather, &allreduce, &alltoall, &barrier, &bcast,
                                             &gather, &reduce, &reduce_scatter, &scatter})
          for (std::int64_t bytes = 1; bytes <= 4 << 20; bytes *= 4) {
            const auto found =
                native_algorithm(shipped_rules(mpi), *collective, spread_of(shape), bytes, version);
            ASSERT_TRUE(found) << collective->name << " on " << machine;
            EXPECT_NO_THROW(static_cast<void>(found->in(shape)))
                << found->text() << " on " << machine;
          }
  }
}

// Open MPI's component `han`, and MPICH's compositions.
TEST(NativeAlgorithm, DependsOnNodes) {
  const Shape even = known(16, "node:4 core:4"), uneven = known(16, "node:4 core:5,5,3,3"),
              apart = known(16, "node:16 core:1");
  for (const Collective* collective :
       {&allgather, &allreduce, &alltoall, &barrier, &bcast, &reduce})
    for (const std::int64_t bytes : {8, 4 << 10, 256 << 10}) {
      const auto flat =
          native_algorithm(shipped_rules("open_mpi"), Form::blocking, *collective, 16, bytes)
              ->text();
      for (const Shape* shape : {&even, &uneven, &apart})
        EXPECT_EQ(own("open_mpi", 401, *collective, *shape, bytes), flat) << collective->name;
      EXPECT_EQ(own("open_mpi", 500, *collective, apart, bytes), flat) << collective->name;
    }
  EXPECT_EQ(own("open_mpi", 500, bcast, even, 8), "hierarchical");
  EXPECT_EQ(own("open_mpi", 500, bcast, uneven, 8), "knomial");
  EXPECT_EQ(own("open_mpi", 500, allreduce, uneven, 8), "hierarchical:between=reduce_bcast");
  EXPECT_EQ(own("open_mpi", 500, reduce, even, 1024),
            "multi_lane:lanes=1,between=reduce_scatter_gather");
  EXPECT_EQ(own("open_mpi", 601, bcast, apart, 8), "linear");
  EXPECT_EQ(own("mpich", 500, bcast, even, 64 << 10), "hierarchical");
  EXPECT_EQ(own("mpich", 500, bcast, uneven, 8), "hierarchical");
  EXPECT_EQ(own("mpich", 304, bcast, even, 8), "binomial");
  EXPECT_EQ(own("intel_mpi", 2021, bcast, even, 8), "");
}

// Its price is that of an algorithm that the ranking leaves out.
TEST(NativeAlgorithm, IsPricedAmongNodes) {
  const Shape shape = known(16, "node:4 core:4");
  const Ranking ranking(reduce, shape, usual_model());
  const auto han = native_algorithm(shipped_rules("open_mpi"), reduce, spread_of(shape), 1024, 500);
  ASSERT_TRUE(han);
  EXPECT_FALSE(ranking.seconds(*han, 1024));
  const auto found = proposed(ranking, han, shape, usual_model(), 1024);
  EXPECT_FALSE(found.choice.native()) << "twice as many messages between nodes";
  const Shape odd = known(3, "node:3 core:1");
  const Choice impossible = parse_choice(allgather, "neighbor_exchange");
  EXPECT_TRUE(proposed(Ranking(allgather, odd, usual_model()), impossible, odd, usual_model(), 8)
                  .choice.native());
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
