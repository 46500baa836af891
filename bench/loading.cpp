// Times the work of a process before the first call with a file of schedules: it reads the text,
// checks the schedules of all ranks, and extracts its own. Prints medians in milliseconds.
//
//   loading [RANKS...]   (1000)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collectives/collective.h"
#include "tables/schedule_file.h"
#include "writing/registry.h"

namespace {

using namespace toccata;

constexpr int repetitions = 15;

// A file is checked once per name and contents, so each repetition has its own name.
double milliseconds_to_load(const Algorithm& algorithm, int ranks, const std::string& text, int i) {
  const std::string name = "file:" + std::string(algorithm.name) + std::to_string(i);
  const auto start = std::chrono::steady_clock::now();
  const Algorithm& read = schedule_file::add(text, name);
  const Shape shape = read.complete({.p = ranks});
  if (const std::string why = read.why_impossible(shape); !why.empty()) {
    std::fprintf(stderr, "loading: %s: %s\n", name.c_str(), why.c_str());
    std::exit(1);
  }
  const Schedule own = read.schedule(shape, ranks / 2);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return own.rounds() > 0 ? took.count() : 0;
}

void measure(const Algorithm& algorithm, int ranks) {
  const Shape shape = algorithm.complete({.p = ranks});
  if (!algorithm.why_impossible(shape).empty()) return;
  const std::vector<Shape> shapes{shape};
  const std::string text = schedule_file::text(algorithm, shapes, Travel::whole);
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i)
    times.push_back(milliseconds_to_load(algorithm, ranks, text, ranks * repetitions + i));
  std::ranges::sort(times);
  std::printf("%-12s %-24s %6d %9zu %8.2f\n", std::string(algorithm.collective.name).c_str(),
              std::string(algorithm.name).c_str(), ranks, text.size(), times[times.size() / 2]);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<int> all;
  for (int i = 1; i < count; ++i) all.push_back(std::atoi(arguments[i]));
  if (all.empty()) all.push_back(1000);
  std::printf("%-12s %-24s %6s %9s %8s\n", "collective", "algorithm", "ranks", "bytes", "ms");
  for (const int ranks : all) {
    for (const char* name : {"bruck", "sparbit", "recursive_multiplying"})
      measure(*find_algorithm(allgather, name), ranks);
    for (const char* name : {"binomial", "bine"}) measure(*find_algorithm(bcast, name), ranks);
    measure(*find_algorithm(allreduce, "recursive_doubling"), ranks);
  }
}
