#include "node/paths.h"

#include <gtest/gtest.h>

namespace toccata::node {
namespace {

// Runs `rounds` rounds; returns the number of direct transfers in the second half.
int run(Paths& paths, const Paths::Kind& kind, int rounds, double direct, double slots) {
  int result = 0;
  for (int round = 0; round < rounds; ++round) {
    const bool next = paths.next(kind);
    result += next && round >= rounds / 2 ? 1 : 0;
    paths.took(kind, next, next ? direct : slots);
  }
  return result;
}

TEST(Paths, TakeTheFasterOne) {
  Paths paths;
  const Paths::Kind kind(1 << 20, false);
  EXPECT_EQ(run(paths, kind, 100, 1e-5, 2e-5), 50);
  Paths others;
  EXPECT_EQ(run(others, kind, 100, 2e-5, 1e-5), 0);
}

TEST(Paths, BeginAsIsUsual) {
  EXPECT_FALSE(Paths().next({1 << 20, false}));
  EXPECT_FALSE(Paths().next({32 << 10, true}));
  EXPECT_TRUE(Paths().next({1 << 20, true}));
}

// Each power of two is a class of its own; so are ranks that also read.
TEST(Paths, KeepKindsApart) {
  Paths paths;
  run(paths, {1 << 20, false}, 20, 1, 2);
  run(paths, {1 << 20, true}, 20, 2, 1);
  run(paths, {1 << 18, false}, 20, 2, 1);
  EXPECT_TRUE(paths.next({(1 << 20) + 1, false}));
  EXPECT_FALSE(paths.next({1 << 20, true}));
  EXPECT_FALSE(paths.next({1 << 18, false}));
}

// The paths are measured again, because a virtual machine may move its cores.
TEST(Paths, AreTriedAgain) {
  Paths paths;
  const Paths::Kind kind(1 << 20, false);
  run(paths, kind, 100, 1, 2);
  EXPECT_TRUE(paths.next(kind));
  run(paths, kind, 600, 3, 2);
  EXPECT_FALSE(paths.next(kind));
}

// A late rank slows down some rounds, but not all.
TEST(Paths, IgnoreSlowRounds) {
  Paths paths;
  const Paths::Kind kind(1 << 20, false);
  for (int round = 0; round < 12; ++round) {
    const bool next = paths.next(kind);
    paths.took(kind, next, (next ? 1 : 2) + (round % 5 < 2 ? 10 : 0));
  }
  EXPECT_TRUE(paths.next(kind));
}

}  // namespace
}  // namespace toccata::node
