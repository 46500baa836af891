// The costs stated in the papers for rooted collectives and reductions, written here independently,
// in units of the whole message.
#include <cmath>

#include "support.h"
#include "writing/count.h"

namespace toccata {
namespace {

struct Priced {
  Cost cost;
  double sent, reduced;  // of the message
};

Priced price(const Collective& collective, std::string_view name, int p, int root = 0) {
  const Algorithm& algorithm = *find_algorithm(collective, name);
  const Shape shape = algorithm.complete({.p = p, .root = root});
  const Cost cost = algorithm.claimed(shape).value_or(count(algorithm, shape));
  const double whole = collective.data(shape);
  return {cost, static_cast<double>(cost.sent) / whole, static_cast<double>(cost.reduced) / whole};
}

// [thakur2005] and [rabenseifner2004], for powers of two.
TEST(RootedCost, IsThatOfThePapersForPowersOfTwo) {
  for (int p = 2; p <= 4096; p *= 2) {
    SCOPED_TRACE("p = " + std::to_string(p));
    const auto logarithm = static_cast<std::int64_t>(std::log2(p));
    const double most = (p - 1.0) / p;
    for (const int root : {0, p / 3, p - 1}) {
      EXPECT_EQ(price(bcast, "binomial", p, root).cost.rounds, logarithm);
      EXPECT_EQ(price(reduce, "binomial", p, root).cost.rounds, logarithm);
      EXPECT_EQ(price(reduce, "binomial", p, root).cost.reduced, logarithm);
      EXPECT_EQ(price(gather, "binomial", p, root).cost.rounds, logarithm);
      EXPECT_DOUBLE_EQ(price(scatter, "binomial", p, root).sent, most);
      const Priced gathering = price(reduce, "reduce_scatter_gather", p, root);
      EXPECT_EQ(gathering.cost.rounds, 2 * logarithm);
      EXPECT_DOUBLE_EQ(gathering.reduced, most);
      const Priced scattered = price(bcast, "scatter_allgather", p, root);
      EXPECT_EQ(scattered.cost.rounds, logarithm + p - 1);
      EXPECT_DOUBLE_EQ(scattered.sent, 2 * most);
    }
    EXPECT_EQ(price(allreduce, "recursive_doubling", p).cost,
              (Cost{logarithm, logarithm, logarithm, 1, logarithm}));
    for (const char* name : {"rabenseifner", "ring"}) {
      EXPECT_DOUBLE_EQ(price(allreduce, name, p).sent, 2 * most) << name;
      EXPECT_DOUBLE_EQ(price(allreduce, name, p).reduced, most) << name;
    }
    EXPECT_EQ(price(allreduce, "rabenseifner", p).cost.rounds, 2 * logarithm);
    EXPECT_EQ(price(allreduce, "ring", p).cost.rounds, 2 * (p - 1));
    EXPECT_EQ(price(allreduce, "reduce_bcast", p).cost.rounds, 2 * logarithm);
    for (const char* name : {"ring", "pairwise", "recursive_halving"}) {
      EXPECT_DOUBLE_EQ(price(reduce_scatter, name, p).sent, most) << name;
      EXPECT_DOUBLE_EQ(price(reduce_scatter, name, p).reduced, most) << name;
    }
    EXPECT_EQ(price(reduce_scatter, "recursive_halving", p).cost.rounds, logarithm);
  }
}

// Any other p needs one more round to fold. If all ranks get the result, it needs another one to
// unfold.
TEST(RootedCost, TakesFewRoundsMoreForOtherNumbersOfRanks) {
  for (int p = 1; p <= 3000; ++p) {
    SCOPED_TRACE("p = " + std::to_string(p));
    const auto up = static_cast<std::int64_t>(std::ceil(std::log2(p)));
    const auto down = static_cast<std::int64_t>(std::floor(std::log2(p)));
    EXPECT_EQ(price(bcast, "binomial", p).cost.rounds, up);
    EXPECT_EQ(price(reduce, "binomial", p).cost.rounds, up);
    EXPECT_EQ(price(gather, "binomial", p).cost.rounds, up);
    EXPECT_EQ(price(scatter, "binomial", p).cost.rounds, up);
    EXPECT_EQ(price(allreduce, "recursive_doubling", p).cost.rounds, 2 * up - down);
    EXPECT_EQ(price(reduce_scatter, "recursive_halving", p).cost.rounds, 2 * up - down);
    EXPECT_EQ(price(allreduce, "rabenseifner", p).cost.rounds, 2 * up);
    EXPECT_EQ(price(reduce, "reduce_scatter_gather", p).cost.rounds, up + down);
  }
}

// A message in s segments along a tree or a chain.
TEST(RootedCost, OfSegmentsIsThatOfAPipeline) {
  for (const char* name : {"binomial", "pipeline"}) {
    const Algorithm& algorithm = *find_algorithm(bcast, name);
    for (const int p : {2, 7, 8, 100})
      for (const int segments : {2, 5, 64}) {
        Shape shape{p, Parameters(algorithm.parameters)};
        shape.parameters.set(algorithm.parameters[0], segments);
        shape = algorithm.complete(shape);
        EXPECT_EQ(shape.parts, segments);
        const bool chain = algorithm.name == "pipeline";
        const int depth = chain ? p - 1 : static_cast<int>(std::floor(std::log2(p)));
        EXPECT_EQ(algorithm.claim(shape)->rounds, depth + segments - 1) << name << " " << p;
      }
  }
}

TEST(Reproducible, AlgorithmsKeepTheOrderOfRanks) {
  for (const Algorithm* each : all_algorithms()) {
    if (each->reproducible) {
      EXPECT_TRUE(each->ordered) << each->path();
    }
    if (each->ordered) {
      EXPECT_TRUE(each->collective.reduces) << each->path();
    }
  }
}

}  // namespace
}  // namespace toccata
