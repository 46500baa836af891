#include "node/publication_paths.h"

#include <gtest/gtest.h>

namespace toccata::node {
namespace {

// Runs `rounds` rounds; returns the number of direct transfers in the second half.
int run(PublicationPaths& paths, const PublicationPaths::Kind& kind, int rounds, double direct,
        double slots) {
  int result = 0;
  for (int round = 0; round < rounds; ++round) {
    const bool next = paths.next(kind);
    result += next && round >= rounds / 2 ? 1 : 0;
    paths.took(kind, next, next ? direct : slots);
  }
  return result;
}

TEST(PublicationPaths, TakeTheFasterOne) {
  PublicationPaths paths;
  const PublicationPaths::Kind kind(1 << 20, {});
  EXPECT_EQ(run(paths, kind, 100, 1e-5, 2e-5), 50);
  PublicationPaths others;
  EXPECT_EQ(run(others, kind, 100, 2e-5, 1e-5), 0);
}

TEST(PublicationPaths, MayRequireThatSlotsWinClearly) {
  const auto direct = [](std::int64_t bytes, double slots) {
    PublicationPaths paths;
    return run(paths, {bytes, {.slots_must_win_clearly = true}}, 100, 1, slots) > 0;
  };
  EXPECT_TRUE(direct(32 << 10, 0.9));
  EXPECT_FALSE(direct(32 << 10, 0.7));
  EXPECT_FALSE(direct(16 << 10, 0.9));
}

TEST(PublicationPaths, BeginAsIsUsual) {
  EXPECT_FALSE(PublicationPaths().next({1 << 20, {}}));
  EXPECT_FALSE(PublicationPaths().next({32 << 10, {.reads = true}}));
  EXPECT_TRUE(PublicationPaths().next({1 << 20, {.reads = true}}));
}

// Each power of two is a class of its own; so are ranks that also read, and rounds in which all
// readers get the same message. At a scatter's root, for example, direct publications may be five
// times as fast, but not at the root of a broadcast.
TEST(PublicationPaths, KeepKindsApart) {
  PublicationPaths paths;
  run(paths, {1 << 20, {}}, 20, 1, 2);
  run(paths, {1 << 20, {.reads = true}}, 20, 2, 1);
  run(paths, {1 << 18, {}}, 20, 2, 1);
  run(paths, {1 << 20, {.common = true}}, 20, 2, 1);
  EXPECT_TRUE(paths.next({(1 << 20) + 1, {}}));
  EXPECT_FALSE(paths.next({1 << 20, {.reads = true}}));
  EXPECT_FALSE(paths.next({1 << 18, {}}));
  EXPECT_FALSE(paths.next({1 << 20, {.common = true}}));
  EXPECT_TRUE(paths.next({1 << 20, {}}));
}

// The paths are measured again, because a virtual machine may move its cores.
TEST(PublicationPaths, AreTriedAgain) {
  PublicationPaths paths;
  const PublicationPaths::Kind kind(1 << 20, {});
  run(paths, kind, 100, 1, 2);
  EXPECT_TRUE(paths.next(kind));
  run(paths, kind, 600, 3, 2);
  EXPECT_FALSE(paths.next(kind));
}

// A late rank slows down some rounds, but not all.
TEST(PublicationPaths, IgnoreSlowRounds) {
  PublicationPaths paths;
  const PublicationPaths::Kind kind(1 << 20, {});
  for (int round = 0; round < 12; ++round) {
    const bool next = paths.next(kind);
    paths.took(kind, next, (next ? 1 : 2) + (round % 5 < 2 ? 10 : 0));
  }
  EXPECT_TRUE(paths.next(kind));
}

TEST(PublicationPaths, TryBothWaysInTurn) {
  PublicationPaths paths;
  const PublicationPaths::Kind kind(1 << 20, {});
  int tries = 0, direct = 0;
  for (int round = 0; round < 20; ++round) {
    if (paths.is_try(kind)) {
      ++tries;
      direct += paths.next(kind) ? 1 : 0;
    }
    paths.took(kind, paths.next(kind), 1);
  }
  EXPECT_EQ(tries, 8);
  EXPECT_EQ(direct, 4);
}

// Extreme sizes are part of the first and the last class.
TEST(PublicationPaths, HaveAClassForEverySize) {
  PublicationPaths paths;
  run(paths, {std::int64_t{1} << 40, {}}, 20, 1, 2);
  EXPECT_TRUE(paths.next({std::int64_t{1} << 41, {}}));
  run(paths, {0, {}}, 20, 1, 2);
  EXPECT_TRUE(paths.next({1, {}}));
}

}  // namespace
}  // namespace toccata::node
