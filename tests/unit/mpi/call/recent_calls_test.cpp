// RecentCalls: a thread's memory of its last calls.

#include "mpi/call/recent_calls.h"

#include <gtest/gtest.h>

namespace toccata {
namespace {

struct Kind {
  int name = 0;
};

Kind* find(RecentCalls<Kind>& recent, std::uint64_t key, int name) {
  return recent.find(key, [&](const Kind& kind) { return kind.name == name; });
}

TEST(RecentCalls, KeepsFourKindsOfOneKeyAndReplacesTheOldest) {
  RecentCalls<Kind> recent;
  EXPECT_EQ(find(recent, 7, 1), nullptr);
  for (const int name : {1, 2, 3, 4}) recent.replace(7).name = name;
  for (const int name : {1, 2, 3, 4}) EXPECT_NE(find(recent, 7, name), nullptr) << name;
  recent.replace(7).name = 5;
  EXPECT_EQ(find(recent, 7, 1), nullptr);
  for (const int name : {2, 3, 4, 5}) EXPECT_NE(find(recent, 7, name), nullptr) << name;
}

TEST(RecentCalls, FindsOnlyWhatHasTheKey) {
  RecentCalls<Kind> recent;
  recent.replace(7).name = 1;
  EXPECT_EQ(find(recent, 8, 1), nullptr);
}

// With one place per key, two kinds of calls could remove each other, and both took three times as
// long. With four places, this cannot happen for any two keys.
TEST(RecentCalls, NoTwoKeysRemoveEachOther) {
  for (std::uint64_t other = 0; other < 2000; ++other) {
    RecentCalls<Kind> recent;
    recent.replace(0).name = 1;
    recent.replace(other).name = 2;
    EXPECT_NE(find(recent, 0, 1), nullptr) << other;
    EXPECT_NE(find(recent, other, 2), nullptr) << other;
  }
}

}  // namespace
}  // namespace toccata
