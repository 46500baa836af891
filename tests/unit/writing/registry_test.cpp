#include "writing/registry.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "choices/choice.h"
#include "support.h"
#include "writing/count.h"

namespace toccata {
namespace {

TEST(Registry, HoldsEveryFileOfItsFolder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files, paths;
  for (const auto& each : fs::recursive_directory_iterator(TOCCATA_SOURCE_DIR "/src/algorithms"))
    if (each.path().extension() == ".cpp" && each.path().parent_path().filename() != "algorithms")
      files.push_back(each.path().parent_path().filename() / each.path().stem());
  for (const Algorithm* each : all_algorithms()) paths.push_back(each->path());
  EXPECT_TRUE(std::ranges::is_sorted(paths));
  std::ranges::sort(files);
  EXPECT_EQ(paths, files);
}

TEST(Registry, FindsByName) {
  for (const Algorithm* each : all_algorithms())
    EXPECT_EQ(find_algorithm(each->collective, each->name), each);
  EXPECT_EQ(find_algorithm(allgather, "no_such"), nullptr);
  EXPECT_EQ(find_algorithm(allgather, "native"), nullptr)
      << "reserved for the MPI library's algorithm";
}

using Descriptor = test::AlgorithmTest;

TEST_P(Descriptor, IsComplete) {
  const Algorithm& algorithm = *GetParam();
  EXPECT_FALSE(algorithm.summary.empty());
  EXPECT_EQ(algorithm.summary.find('\n'), std::string_view::npos);
  EXPECT_NE(algorithm.write, nullptr);
  std::set<std::string_view> names{"travel"};  // every algorithm has this parameter
  for (const Parameter& parameter : algorithm.parameters) {
    SCOPED_TRACE(std::string(parameter.name));
    EXPECT_TRUE(names.insert(parameter.name).second) << "there twice";
    EXPECT_FALSE(parameter.help.empty());
    EXPECT_LE(parameter.least, parameter.standard);
    EXPECT_LE(parameter.standard, parameter.most);
    EXPECT_FALSE(parameter.samples.empty());
    for (const int value : parameter.samples)
      EXPECT_TRUE(value >= parameter.least && value <= parameter.most) << value;
  }
}

TEST_P(Descriptor, CitesThePapersOfTheBibliography) {
  std::ifstream file(TOCCATA_SOURCE_DIR "/docs/references.bib");
  if (!file) GTEST_SKIP() << "requires docs/references.bib";
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string citation(GetParam()->citation);
  const std::string key = citation.substr(0, citation.find(','));
  EXPECT_FALSE(key.empty());
  EXPECT_NE(text.find("{" + key + ","), std::string::npos)
      << key << " is not in docs/references.bib";
}

// An algorithm reports the p for which it cannot run, and has schedules for all others.
TEST_P(Descriptor, SaysWhereItIsImpossible) {
  const Algorithm& algorithm = *GetParam();
  int possible = 0;
  for (int p = 1; p <= 64; ++p) {
    const Shape shape = algorithm.complete({.p = p});
    const std::string why = algorithm.why_impossible(shape);
    if (!why.empty()) {
      EXPECT_TRUE(why.starts_with("needs "))
          << why << ", as in: " << algorithm.path() << " " << why;
      EXPECT_TRUE(sample_shapes(algorithm, p).empty());
      EXPECT_THROW(static_cast<void>(Choice{&algorithm, shape.parameters}.in({.p = p})),
                   ChoiceError);
      continue;
    }
    ++possible;
    const Cost cost = count(algorithm, shape);
    EXPECT_GE(cost.rounds, 0) << p;
    EXPECT_EQ(cost.rounds == 0, cost.messages == 0) << p;
    if (p == 1) {
      EXPECT_EQ(cost.messages, 0) << "a single rank has no peer";
    }
  }
  EXPECT_GT(possible, 0);
}

}  // namespace

namespace {
EVERY_ALGORITHM(Descriptor);
}  // namespace
}  // namespace toccata
