// The least times of reductions between two cores: floors [BYTES...]
//
// Two threads on two cores read each other's operands in place, as XPMEM allows, and wait for each
// other's flags. There is no MPI, no search for a plan and no copy, so no implementation for two
// ranks is faster, unless it reads less. Prints a line per collective and size: the median, and the
// lower and upper quartile, of the slower thread's time in µs.
//
//   reduce           one thread reads both whole operands
//   reduce_scatter   each reads half of both operands
//   allreduce        the faster of: each reads both whole operands; or half of them, and then the
//                    other's half of the result
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <vector>

namespace {

constexpr int samples = 400, calls = 20;
constexpr int line = 64;  // bytes

struct alignas(2 * line) Flag {
  std::atomic<long> value = 0;
  void raise(long to) { value.store(to, std::memory_order_release); }
  void wait_for(long least) const {
    while (value.load(std::memory_order_acquire) < least) {
    }
  }
};

struct Side {
  std::vector<double> operand, result;
  Flag published, reduced, done;
  std::vector<double> seconds;
};

using Range = std::array<std::size_t, 2>;

void add(const Side& own, const Side& other, double* to, Range range) {
  const double* const a = own.operand.data();
  const double* const b = other.operand.data();
  for (std::size_t i = range[0]; i < range[1]; ++i) to[i] = a[i] + b[i];
}

enum class Way : unsigned char { reduce, reduce_scatter, whole, halves };

// One call of this side, which is the `place`-th.
void call(Side& own, Side& other, int place, Way way, long number) {
  const std::size_t n = own.operand.size(), middle = n / 2;
  const Range mine = place == 0 ? Range{0, middle} : Range{middle, n};
  const Range theirs = place == 0 ? Range{middle, n} : Range{0, middle};
  own.published.raise(number);
  if (way != Way::reduce || place == 0) {
    other.published.wait_for(number);
    const bool all = way == Way::reduce || way == Way::whole;
    add(own, other, own.result.data(), all ? Range{0, n} : mine);
  }
  if (way == Way::halves) {
    own.reduced.raise(number);
    other.reduced.wait_for(number);
    std::memcpy(own.result.data() + theirs[0], other.result.data() + theirs[0],
                (theirs[1] - theirs[0]) * sizeof(double));
  }
  // The operand may change after this.
  own.done.raise(number);
  other.done.wait_for(number);
}

void run(Side& own, Side& other, int place, Way way, Flag& start, Flag& ready) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(place, &core);
  pthread_setaffinity_np(pthread_self(), sizeof core, &core);
  long number = 0;
  for (int sample = 1; sample <= samples; ++sample) {
    (place == 0 ? start : ready).raise(sample);
    (place == 0 ? ready : start).wait_for(sample);
    const auto began = std::chrono::steady_clock::now();
    for (int each = 0; each < calls; ++each) {
      // The program writes its operand between calls: it is in the core's own cache.
      own.operand[number % own.operand.size()] = static_cast<double>(number);
      call(own, other, place, way, ++number);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    own.seconds.push_back(took.count() / calls);
  }
}

std::array<double, 3> time(Way way, std::size_t bytes) {
  const std::size_t n = std::max<std::size_t>(bytes / sizeof(double), 1);
  std::array<Side, 2> sides;
  for (Side& each : sides) {
    each.operand.assign(n, 1.0);
    each.result.assign(n, 0.0);
  }
  Flag start, ready;
  std::thread other([&] { run(sides[1], sides[0], 1, way, start, ready); });
  run(sides[0], sides[1], 0, way, start, ready);
  other.join();
  std::vector<double> slower;
  for (int sample = samples / 4; sample < samples; ++sample)
    slower.push_back(1e6 * std::max(sides[0].seconds[sample], sides[1].seconds[sample]));
  std::ranges::sort(slower);
  return {slower[slower.size() / 2], slower[slower.size() / 4], slower[slower.size() * 3 / 4]};
}

void print(const char* collective, std::size_t bytes, const std::array<double, 3>& found) {
  std::printf("%s %zu %.4f %.4f %.4f\n", collective, bytes, found[0], found[1], found[2]);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int each = 1; each < argc; ++each) sizes.push_back(std::strtoull(argv[each], nullptr, 10));
  if (sizes.empty()) sizes = {8, 64, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
  if (std::thread::hardware_concurrency() < 2 || std::ranges::count(sizes, 0U) > 0) {
    std::fputs("floors: needs two cores, and sizes in bytes: floors 8 1024 65536\n", stderr);
    return 2;
  }
  for (const std::size_t bytes : sizes) {
    print("allreduce", bytes, std::min(time(Way::whole, bytes), time(Way::halves, bytes)));
    print("reduce", bytes, time(Way::reduce, bytes));
    print("reduce_scatter", bytes, time(Way::reduce_scatter, bytes));
  }
}
