// toccata_prove: proves the whole registry, as `toccata verify` does, without Python. `cmake
// --install` runs it, so that no installation has an algorithm that is wrong (cmake/Proofs.cmake).
//
// Prints a line for each wrong algorithm and one with counts and the time; exit code 1 if any is
// wrong.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/registry.h"
#include "analysis/samples.h"
#include "analysis/verify.h"
#include "selection/choice.h"

namespace {

using namespace toccata;

// One algorithm among p ranks, in every setting of its parameters.
struct Case {
  std::size_t algorithm;
  int p;
};

// What is wrong with an algorithm among the fewest ranks; nothing if `error` is empty.
struct Wrong {
  int p = 0;
  std::string error;
};

class Proofs {
 public:
  // The longest first, so that all threads end at about the same time.
  Proofs() : wrong_(all_algorithms().size()) {
    for (const int p : ranks_to_prove() | std::views::reverse)
      for (std::size_t each = 0; each < wrong_.size(); ++each) cases_.push_back({each, p});
  }

  int run() {
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::thread> threads(std::max(1U, std::thread::hardware_concurrency()));
    for (std::thread& each : threads) each = std::thread([this] { work(); });
    for (std::thread& each : threads) each.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::size_t number = 0;
    for (std::size_t each = 0; each < wrong_.size(); ++each) {
      if (wrong_[each].error.empty()) continue;
      ++number;
      std::fprintf(stderr, "toccata_prove: %s: %s\n", all_algorithms()[each]->path().c_str(),
                   wrong_[each].error.c_str());
    }
    std::printf("%zu of %zu algorithms are right; %lld proofs in %.0f s\n", wrong_.size() - number,
                wrong_.size(), static_cast<long long>(proofs_), took.count());
    return number == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  void work() {
    for (std::size_t next = next_++; next < cases_.size(); next = next_++) {
      const auto [algorithm, p] = cases_[next];
      const std::string error = prove(*all_algorithms()[algorithm], p);
      if (error.empty()) continue;
      const std::lock_guard lock(mutex_);
      if (Wrong& known = wrong_[algorithm]; known.error.empty() || p < known.p) known = {p, error};
    }
  }

  // The first thing that is wrong; "" if nothing is.
  std::string prove(const Algorithm& algorithm, int p) {
    try {
      for (const Shape& shape : sample_shapes(algorithm, p)) {
        if (proof_effort(algorithm, shape) > most_proof_effort) continue;
        ++proofs_;
        if (std::string error = verify(algorithm, shape); !error.empty())
          return Choice{&algorithm, shape.parameters}.text() + " with " + std::to_string(p) +
                 " ranks: " + error;
      }
    } catch (const std::exception& error) {
      return "with " + std::to_string(p) + " ranks: " + error.what();
    }
    return "";
  }

  std::vector<Case> cases_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::int64_t> proofs_{0};
  std::mutex mutex_;
  std::vector<Wrong> wrong_;  // by algorithm
};

}  // namespace

int main() { return Proofs().run(); }
