// Files of schedules: reading returns the written schedules, and every file is checked.
#include "tables/schedule_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "choices/choice.h"
#include "proofs/verify.h"
#include "support.h"
#include "tables/check.h"
#include "tables/digest.h"
#include "writing/count.h"
#include "writing/outside.h"
#include "writing/registry.h"

namespace toccata {
namespace {

using test::with_right_digest;

std::string written(const Algorithm& algorithm, std::vector<int> ranks, int root = 0) {
  std::vector<Shape> shapes;
  for (const int p : ranks) {
    const Shape shape = algorithm.complete({.p = p, .root = root});
    if (algorithm.why_impossible(shape).empty()) shapes.push_back(shape);
  }
  return schedule_file::text(algorithm, shapes, Travel::whole);
}

std::string name() {
  static int number = 0;
  return "file:" + std::to_string(number++) + ".json";
}

bool can_be_in_files(const Algorithm& algorithm) { return !algorithm.collective.among_neighbors; }

TEST(ScheduleFile, HoldsWhatWasWritten) {
  for (const Algorithm* each : all_algorithms()) {
    if (!can_be_in_files(*each)) continue;
    const std::string text = written(*each, {1, 2, 3, 4, 8});
    const Algorithm& read = schedule_file::add(text, name());
    EXPECT_EQ(&read.collective, &each->collective);
    for (const auto& table : schedule_file::tables(read)) {
      const Shape shape = read.complete({.p = table.ranks});
      EXPECT_EQ(read.why_impossible(shape), "") << each->path() << " " << table.ranks;
      EXPECT_EQ(shape.parts, each->complete({.p = table.ranks}).parts) << each->path();
      EXPECT_EQ(verify(read, shape), "") << each->path() << " " << table.ranks;
    }
    for (const auto& table : schedule_file::tables(read))
      EXPECT_EQ(count(read, read.complete({.p = table.ranks})),
                count(*each, each->complete({.p = table.ranks})))
          << each->path();
  }
}

TEST(ScheduleFile, OtherRootsArePlayedWhereNoOrderIsKept) {
  for (const char* path : {"bcast/binomial", "gather/binomial", "scatter/knomial", "reduce/bine",
                           "bcast/scatter_allgather"}) {
    const std::string_view whole = path;
    const auto slash = whole.find('/');
    const Algorithm& own =
        *find_algorithm(*find_collective(whole.substr(0, slash)), whole.substr(slash + 1));
    const Algorithm& read = schedule_file::add(written(own, {7, 8}), name());
    for (const int p : {7, 8})
      for (int root = 0; root < p; ++root) {
        const Shape shape = read.complete({.p = p, .root = root});
        if (own.ordered) {
          EXPECT_EQ(read.why_impossible(shape),
                    root == 0 ? "" : "has no schedules for root " + std::to_string(root));
        } else {
          EXPECT_EQ(verify(read, shape), "") << path << " " << p << " " << root;
        }
      }
  }
}

TEST(ScheduleFile, IsNamedInChoices) {
  const std::string file = name();
  const Algorithm& read =
      schedule_file::add(written(*find_algorithm(allgather, "bruck"), {4}), file);
  EXPECT_EQ(parse_choice(allgather, file).algorithm, &read);
  const Choice packed = parse_choice(allgather, file + ":travel=packed");
  EXPECT_EQ(packed.travel, Travel::packed);
  EXPECT_EQ(packed.text(), file + ":travel=packed");
  EXPECT_THROW(parse_choice(alltoall, file), ChoiceError);
  EXPECT_THROW(parse_choice(allgather, "file:nowhere.json"), ChoiceError);
  EXPECT_THROW(packed.in({.p = 5}), ChoiceError) << "there are schedules for 4 ranks only";
}

TEST(ScheduleFile, BlocksThatHaveToBeAlikeServeNoVectorForm) {
  const std::string file = name();
  schedule_file::add(written(*find_algorithm(alltoall, "bruck"), {4}), file);
  EXPECT_NO_THROW(parse_choice(alltoall, file));
  EXPECT_THROW(parse_choice(alltoallv, file), ChoiceError);
}

// If a byte of a file is changed, the digest does not match, and the file is refused.
TEST(ScheduleFile, ChangesShow) {
  const std::string text = written(*find_algorithm(allgather, "sparbit"), {2, 5});
  test::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = text;
    const auto at = static_cast<std::size_t>(random.number(0, static_cast<int>(text.size()) - 1));
    const char c = static_cast<char>(random.number(0, 256 - 1));
    if (changed[at] == c) continue;
    changed[at] = c;
    EXPECT_THROW(schedule_file::add(changed, "file:changed"), schedule_file::Error) << at;
  }
  EXPECT_EQ(with_right_digest(text), text);
}

// With a correct digest, a file may have any contents: it is rejected, or it is safe. `unsafe`
// checks safety for all schedules; this test checks that no other result is possible.
TEST(ScheduleFile, WhatIsWrongIsRefusedOrSafe) {
  test::Random random(2);
  int refused = 0, used = 0;
  for (const char* own : {"sparbit", "bruck", "circulant"}) {
    const std::string text = written(*find_algorithm(allgather, own), {3, 6});
    for (int i = 0; i < 3000; ++i) {
      std::string changed = text;
      for (int times = 1 + random.number(0, 3 - 1); times > 0; --times) {
        const auto at =
            static_cast<std::size_t>(56 + random.number(0, static_cast<int>(text.size()) - 56 - 1));
        constexpr std::string_view likely = "0123456789,[]\"-{}\n ";
        const char c =
            likely[static_cast<std::size_t>(random.number(0, static_cast<int>(likely.size()) - 1))];
        if (random.number(0, 4 - 1) == 0)
          changed.erase(std::min(at, changed.size()),
                        1 + static_cast<std::size_t>(random.number(0, 8 - 1)));
        else if (random.number(0, 4 - 1) == 0)
          changed.insert(std::min(at, changed.size()), 1, c);
        else
          changed[std::min(at, changed.size() - 1)] = c;
      }
      try {
        const Algorithm& read = schedule_file::add(with_right_digest(changed), "file:wrong");
        for (const auto& [ranks, root, parts] : schedule_file::tables(read)) {
          if (ranks > 64) continue;
          const Shape shape = read.complete({.p = ranks, .root = root});
          if (!read.why_impossible(shape).empty()) {
            ++refused;
            continue;
          }
          ++used;
          std::vector<Schedule> schedules;
          for (int rank = 0; rank < ranks; ++rank) schedules.push_back(read.schedule(shape, rank));
          EXPECT_EQ(unsafe(read, shape, schedules), "");
        }
      } catch (const schedule_file::Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(used, 100) << "too few changes passed the checks";
}

std::string file_of(const std::string& ranks, const std::string& tables) {
  return with_right_digest(
      "{\"toccata_schedules\": 1, \"digest\": \"0000000000000000\",\n"
      "\"algorithm\": {\"collective\":\"allgather\",\"name\":\"x\",\"summary\":\"\",\"citation\":"
      "\"\",\"blocks_alike\":false,\"relays\":false,\"ordered\":false,\"reproducible\":false},\n"
      "\"tables\": [\n{\"ranks\": " +
      ranks + ", \"root\": 0, \"parts\": 1, \"channels\": 1, \"schedules\": [\n" + tables +
      "]}\n]}\n");
}

// The reason to refuse a file; "" if it may run.
std::string refusal(const std::string& text) try {
  const Algorithm& read = schedule_file::add(text, "file:hostile");
  return read.why_impossible({.p = schedule_file::tables(read).front().ranks});
} catch (const schedule_file::Error& error) {
  return error.what();
}

// A program may only be able to read the message on the root.
TEST(ScheduleFile, MayNotWriteABroadcastsMessage) {
  const auto two = [](const std::string& more_of_root, const std::string& more_of_1) {
    std::string text = file_of("2", "[[],[[\"send\",1,[\"recv\",0]]" + more_of_root +
                                        "],\n[[],[[\"recv\",0,[\"recv\",0]]" + more_of_1 + "]\n");
    text.replace(text.find("allgather"), 9, "bcast");
    return refusal(with_right_digest(std::move(text)));
  };
  EXPECT_EQ(two("]", "]"), "");
  EXPECT_EQ(two(",[\"copy\",[\"recv\",0],[\"recv\",0]]]", "]"), "");
  EXPECT_NE(two("],[[\"recv\",1,[\"recv\",0]]]", "],[[\"send\",0,[\"recv\",0]]]")
                .find("the root's input, which is read-only"),
            std::string::npos);
}

TEST(ScheduleFile, HostileFilesAreRefused) {
  const std::string good =
      "[[],[[\"copy\",[\"send\",0],[\"recv\",0]]],[[\"send\",1,[\"recv\",0]],"
      "[\"recv\",1,[\"recv\",1]]]],\n";
  const auto two = [&](const std::string& second) { return file_of("2", good + second + "\n"); };
  EXPECT_EQ(refusal(two("[[],[[\"copy\",[\"send\",0],[\"recv\",1]]],[[\"send\",0,[\"recv\",1]],"
                        "[\"recv\",0,[\"recv\",0]]]]")),
            "");
  const auto refused = [&](const std::string& second, const std::string& why) {
    const std::string said = refusal(two(second));
    EXPECT_NE(said.find(why), std::string::npos) << second.substr(0, 200) << ": " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
    EXPECT_LT(said.size(), 400u);
  };
  refused("[[]]", "waits forever");
  refused(
      "[[],[[\"recv\",0,[\"recv\",0]]],[[\"send\",0,[\"recv\",1]]],[[\"recv\",0,[\"recv\",0]]]]",
      "waits forever");
  refused("[[],[[\"send\",9223372036854775808,[\"recv\",0]]]]", "out of range");
  refused("[[],[[\"send\",-1,[\"recv\",0]]]]", "out of range");
  refused("[[],[[\"send\",1,[\"recv\",0]]]]", "cannot be its own peer");
  refused("[[],[[\"recv\",0,[\"recv\",9223372036854775807,1]]]]", "out of range");
  refused("[[],[[\"recv\",0,[\"recv\",2]]]]", "recv has 2 blocks, not 1 from number 2 on");
  refused("[[],[[\"recv\",0,[\"recv\",0,1,-1,2]]]]", "recv has 2 blocks, not 2 from number 0 on");
  refused("[[],[[\"recv\",0,[\"recv\",0,268435456,0,268435456]]]]", " from number 0 on");
  refused("[[],[[\"recv\",0,[\"scratch\",0]]]]", "scratch has 0 blocks");
  refused("[[],[[\"recv\",0,[\"send\",0]]],[[\"send\",0,[\"recv\",0]]]]", "send is read-only");
  refused("[[],[[\"copy\",[\"recv\",0,2],[\"recv\",0]]]]", "2 blocks are copied into 1");
  refused("[[],[[\"copy\",[\"send\",0],[\"recv\",0]]]]", "different size");
  refused("[[],[[\"reduce\",[\"send\",0],[\"recv\",1]]]]", "does not reduce");
  refused("[[],[[\"publish\",[\"send\",0]]]]", "unknown entry 'publish'");
  refused("[[[\"send\",0,1,0,268435456]]]", "scratch is too large");
  refused("[[[\"recv\",5]]]", "recv has 2 blocks, not 1 from number 5 on");
  refused(std::string(100'000, '['), "expected");
  std::string rounds = "[[]";
  for (int i = 0; i < 1'000'000; ++i) rounds += ",[]";
  refused(rounds + "]", "more than 100000 rounds");
  EXPECT_NE(refusal(file_of("1000000", good)).find("expected ',' after a rank"), std::string::npos);
  EXPECT_NE(refusal(file_of("9223372036854775808", good)).find("out of range"), std::string::npos);
  EXPECT_NE(refusal("").find("not a file of schedules"), std::string::npos);
  EXPECT_NE(refusal("{\"toccata_schedules\": 2, \"digest\"").find("another version"),
            std::string::npos);
}

// Lines of ranks that request much memory, compared with their length.
std::vector<std::string> greedy_ranks() {
  std::string rounds = "[[]", entries = "[[],[[\"send\",1,[\"recv\",0]]";
  for (int i = 0; i < 1'000'000; ++i) {
    rounds += ",[]";
    entries += ",[\"send\",1,[\"recv\",0]]";
  }
  const std::string deep = "[[],[[\"copy\"," + std::string(10'000'000, '[');
  // Every rank uses the maximum number of blocks.
  const std::string wide =
      "[[[\"recv\",0,1,0,268435456]],[[\"copy\",[\"scratch\",0,268435456],"
      "[\"scratch\",0,268435456]]]]";
  return {rounds + "]", entries + "]]", deep, wide};
}

// Limits the memory that a short file can request, and the time until its rejection.
TEST(ScheduleFile, RefusalsTakeSeconds) {
  for (const std::string& rank : greedy_ranks()) {
    EXPECT_LT(test::processor_seconds(
                  [&] { EXPECT_NE(refusal(file_of("2", rank + ",\n" + rank + "\n")), ""); }),
              10)
        << rank.substr(0, 100);
  }
}

// The memory in bytes that a child process uses for a rejection. A child starts with the memory of
// its parent.
std::int64_t memory_of_refusal(const std::string& text) {
  const pid_t child = fork();
  if (child == 0) _exit(refusal(text).empty() ? 1 : 0);
  int status = 0;
  rusage used{};
  EXPECT_EQ(wait4(child, &status, 0, &used), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "not refused: " << status;
  return std::int64_t{used.ru_maxrss} << 10;
}

TEST(ScheduleFile, RefusalsTakeBoundedMemory) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers need memory of their own";
  const std::int64_t before = memory_of_refusal("");
  std::string most = "[[]";  // the maximum length of a file
  while (most.size() < schedule_file::most_bytes / 2 - 1000) most += ",[[\"send\",1,[\"recv\",0]]]";
  std::vector<std::string> ranks = greedy_ranks();
  ranks.push_back(most + "]");
  for (const std::string& rank : ranks) {
    const std::string text = file_of("2", rank + ",\n" + rank + "\n");
    EXPECT_LT(memory_of_refusal(text) - before, std::int64_t{1} << 29) << rank.substr(0, 100);
  }
}

TEST(ScheduleFile, LargeFilesAreNotRead) {
  const std::string path = testing::TempDir() + "large.json";
  std::ofstream(path) << "{";
  std::filesystem::resize_file(path, std::uintmax_t{1} << 30);  // without a byte on the disk
  EXPECT_THROW(schedule_file::read(path), schedule_file::Error);
  std::filesystem::remove(path);
  EXPECT_THROW(schedule_file::read(path), schedule_file::Error);
  EXPECT_THROW(schedule_file::read("/dev/zero"), schedule_file::Error);
}

// The check compares sizes by runs of blocks, the proof with `sized` for each block. Both must
// agree on schedules of all collectives, correct and wrong ones.
TEST(Check, AgreesWithProofsOnSizes) {
  for (const Algorithm* each : all_algorithms()) {
    if (!can_be_in_files(*each)) continue;
    for (const int p : {2, 5, 8}) {
      const Shape shape = each->complete({.p = p});
      if (!each->why_impossible(shape).empty()) continue;
      std::vector<Schedule> schedules;
      for (int rank = 0; rank < p; ++rank) schedules.push_back(each->schedule(shape, rank));
      EXPECT_EQ(unsafe(*each, shape, schedules), "") << each->path() << " " << p;
    }
  }
}

}  // namespace
}  // namespace toccata
