#include "choices/tuning.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace toccata {
namespace {

Tuning::Point point(int ranks, int nodes, std::int64_t bytes, std::string_view choice) {
  return {&allgather, ranks, nodes, bytes, parse_choice(allgather, choice)};
}

std::string choice(const Tuning& tuning, int ranks, int nodes, std::int64_t bytes) {
  const Tuning::Point* found = tuning.find(allgather, ranks, nodes, bytes);
  return found == nullptr ? "none" : std::string(found->choice.text());
}

TEST(Tuning, TakesTheNearestPoint) {
  Tuning tuning;
  tuning.points = {point(16, 4, 8, "bruck"), point(16, 4, 64, "ring"),
                   point(16, 1, 8, "recursive_doubling")};
  EXPECT_EQ(choice(tuning, 16, 4, 8), "bruck");
  EXPECT_EQ(choice(tuning, 16, 4, 16), "bruck");
  EXPECT_EQ(choice(tuning, 16, 4, 40), "ring");
  EXPECT_EQ(choice(tuning, 20, 4, 64), "ring");
  EXPECT_EQ(choice(tuning, 16, 1, 8), "recursive_doubling");
}

TEST(Tuning, TakesTheLargestPointForUnknownSizes) {
  Tuning tuning;
  tuning.points = {point(16, 4, 8, "bruck"), point(16, 4, 1 << 20, "ring"),
                   point(16, 4, 64, "recursive_doubling")};
  EXPECT_EQ(choice(tuning, 16, 4, -1), "ring");
  tuning.points.push_back(point(16, 4, -1, "sparbit"));
  EXPECT_EQ(choice(tuning, 16, 4, -1), "sparbit");
  EXPECT_EQ(choice(tuning, 16, 4, 1 << 20), "ring");
}

TEST(Tuning, HasNoOpinionBeyondWhatWasTried) {
  Tuning tuning;
  tuning.points = {point(16, 4, 8, "bruck")};
  EXPECT_EQ(choice(tuning, 32, 4, 8), "none");
  EXPECT_EQ(choice(tuning, 16, 16, 8), "none");
  EXPECT_EQ(choice(tuning, 16, 4, 1 << 20), "none");
  EXPECT_EQ(tuning.find(bcast, 16, 4, 8), nullptr);
}

TEST(Tuning, IsReadAsItWasWritten) {
  Tuning tuning;
  tuning.machine = "four hosts";
  tuning.mpi = "Open MPI 4.1.4";
  tuning.points = {point(16, 4, 8, "sparbit:messages=per_block"), point(3, 1, 0, "native")};
  tuning.points[0].seconds = 1.25e-5;
  tuning.points[0].native_seconds = 2e-5;
  std::string unknown;
  const Tuning read = parse_tuning(json(tuning), "here", unknown);
  EXPECT_EQ(unknown, "");
  EXPECT_EQ(read.mpi, tuning.mpi);
  ASSERT_EQ(read.points.size(), 2u);
  EXPECT_TRUE(read.points[0].is_at(tuning.points[0]));
  EXPECT_EQ(read.points[0].choice, tuning.points[0].choice);
  EXPECT_EQ(read.points[0].native_seconds, 2e-5);
  EXPECT_TRUE(read.points[1].choice.native());
}

TEST(Tuning, MergesPointByPoint) {
  Tuning tuning, other;
  tuning.points = {point(16, 4, 8, "bruck"), point(16, 4, 64, "ring")};
  other.points = {point(16, 4, 64, "bruck"), point(8, 4, 64, "ring")};
  tuning.merge(other);
  EXPECT_EQ(tuning.points.size(), 3u);
  EXPECT_EQ(choice(tuning, 16, 4, 64), "bruck");
}

std::string complaint(std::string_view text) {
  std::string unknown;
  try {
    parse_tuning(text, "x.json", unknown);
  } catch (const TuningError& error) {
    return error.what();
  }
  return unknown;
}

TEST(Tuning, NamesWhatIsWrongWithAFile) {
  EXPECT_EQ(complaint("{"),
            "x.json: is not a tuning file; `toccata tune` and TOCCATA=learn write them");
  EXPECT_EQ(complaint("[1]"),
            "x.json: is not a tuning file; `toccata tune` and TOCCATA=learn write them");
  EXPECT_EQ(complaint(R"({"toccata_tuning": 2, "points": []})"),
            "x.json: has version 2, but this Toccata reads version 1; let `toccata tune` or "
            "TOCCATA=learn write a new one");
  EXPECT_EQ(complaint(R"({"toccata_tuning": 1})"), "x.json: points is missing");
  EXPECT_EQ(complaint(R"({"toccata_tuning": 1, "points": [{}]})"),
            "x.json: points[0]: collective is missing");
  EXPECT_EQ(complaint(R"({"toccata_tuning": 1, "points": [{"collective": "allgather",
                          "choice": "ring", "ranks": "many", "nodes": 1, "bytes": 8}]})"),
            "x.json: points[0]: ranks cannot be \"many\"");
  EXPECT_EQ(complaint(R"({"toccata_tuning": 1, "machine": 5, "points": []})"),
            "x.json: machine cannot be 5");
  EXPECT_EQ(complaint(R"({"toccata_tuning": 1, "points": [{"collective": "allgather",
                          "choice": "ring", "ranks": 2, "nodes": 1, "bytes": 8,
                          "seconds": null}]})"),
            "x.json: points[0]: seconds cannot be null");
  EXPECT_EQ(complaint(""),
            "x.json: is not a tuning file; `toccata tune` and TOCCATA=learn write them");
}

// A file of a newer Toccata may contain unknown algorithms; the rest of the file is valid.
TEST(Tuning, LeavesOutWhatItDoesNotKnow) {
  std::string unknown;
  const Tuning tuning = parse_tuning(
      R"({"toccata_tuning": 1, "points": [
           {"collective": "allgather", "choice": "faster", "ranks": 2, "nodes": 1, "bytes": 8},
           {"collective": "allgather", "choice": "ring", "ranks": 2, "nodes": 1, "bytes": 16}]})",
      "x.json", unknown);
  EXPECT_EQ(tuning.points.size(), 1u);
  EXPECT_TRUE(unknown.starts_with("x.json: points[0]: there is no allgather algorithm 'faster'"));
}

TEST(Tuning, WritesAllOrNothing) {
  const std::string folder = testing::TempDir() + "toccata_tuning";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/tuning.json";
  add_to_tuning({}, path);
  std::string unknown;
  EXPECT_TRUE(read_tuning(path, unknown).points.empty());
  EXPECT_THROW(add_to_tuning({}, folder + "/missing/tuning.json"), TuningError);
  EXPECT_THROW(read_tuning(folder + "/none.json", unknown), TuningError);
  int files = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1);
  std::filesystem::remove_all(folder);
}

TEST(Tuning, WhatWasLearnedIsAddedToWhatIsThere) {
  const std::string path = testing::TempDir() + "toccata_learned.json";
  std::filesystem::remove(path);
  const auto point = [](int ranks) {
    return Tuning::Point{.collective = find_collective("allgather"),
                         .ranks = ranks,
                         .nodes = 1,
                         .bytes = 8,
                         .choice = {}};
  };
  std::string unknown;
  Tuning learned{.machine = "core:2", .mpi = "MPI", .points = {point(2)}};
  add_to_tuning(learned, path);
  learned.points = {point(3)};
  add_to_tuning(learned, path);
  EXPECT_EQ(read_tuning(path, unknown).points.size(), 2u);
  learned.machine = "core:4";
  EXPECT_THROW(add_to_tuning(learned, path), TuningError)
      << "results of different machines are not mixed";
  EXPECT_EQ(read_tuning(path, unknown).points.size(), 2u) << "the old results are kept";
  for (const std::string other :
       {"a thesis", R"({"toccata_tuning": 9, "points": []})",
        R"({"toccata_tuning": 1, "machine": "core:4", "mpi": "MPI", "points": [)"
        R"({"collective": "bcast", "choice": "newer", "ranks": 2, "nodes": 1, "bytes": 8}]})"}) {
    std::ofstream(path) << other;
    EXPECT_THROW(add_to_tuning(learned, path), TuningError);
    std::ifstream file(path);
    std::string kept;
    std::getline(file, kept);
    EXPECT_EQ(kept, other) << "an unknown file is not replaced";
  }
  std::filesystem::remove(path);
}

// The tuning files of a site, with their MPIs and nodes.
TEST(Tuning, IsFoundByMpiAndNode) {
  const std::string folder = testing::TempDir() + "toccata_tunings";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const char* mpi, const char* machine) {
    Tuning tuning;
    tuning.mpi = mpi;
    tuning.machine = machine;
    add_to_tuning(tuning, folder + "/" + name);
  };
  write("a.json", "Open MPI v4.1.4", "leaf:2 node:{3,5} socket:2 core:8");
  write("b.json", "Open MPI v4.1.4", "socket:2 core:8");
  write("c.json", "MPICH Version: 4.0.2", "node:16 core:64");
  write("d.json", "", "node:16 core:2");
  std::ofstream(folder + "/e.json") << "{";
  std::ofstream(folder + "/notes.txt") << "core:2";
  const std::vector<std::string> folders{folder + "/none", folder};
  std::vector<std::string> complaints;
  const auto found = [&](const char* mpi, const char* node) {
    const std::string path = find_tuning(folders, mpi, node, complaints);
    return path.empty() ? "" : path.substr(folder.size() + 1);
  };
  EXPECT_EQ(found("Open MPI v4.1.4, package", "socket:2 core:8"), "a.json");
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(found("MPICH Version: 4.0.2", "core:64"), "c.json");
  EXPECT_EQ(found("Open MPI v5.0.1", "socket:2 core:8"), "");
  EXPECT_EQ(found("Open MPI v4.1.4", "core:2"), "");
  EXPECT_EQ(complaints.at(0),
            folder + "/e.json: is not a tuning file; `toccata tune` and TOCCATA=learn write them");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace toccata
