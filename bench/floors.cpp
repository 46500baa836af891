// The least times of reductions between two cores: floors [BYTES...]
//
// Two threads on two cores wait for each other's flags, and read each other's operands: in place,
// as XPMEM allows, or from a slot into which the other one has copied it. There is no MPI, and no
// search for a plan. Prints a line per collective and size:
//
//   COLLECTIVE BYTES in-place QUARTILE QUARTILE slots QUARTILE QUARTILE   (microseconds)
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
#include <initializer_list>
#include <pthread.h>
#include <sched.h>
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
  std::array<std::vector<double>, 2> operand_slots, result_slots;
  Flag published, reduced, done;
  std::vector<double> seconds;
};

using Range = std::array<std::size_t, 2>;

void add(const double* a, const double* b, double* to, Range range) {
  for (std::size_t i = range[0]; i < range[1]; ++i) to[i] = a[i] + b[i];
}

void move_range(const double* from, double* to, Range range) {
  std::memcpy(to + range[0], from + range[0], (range[1] - range[0]) * sizeof(double));
}

enum class Way : unsigned char { reduce, reduce_scatter, whole, halves };

// One call of this side, which is the `place`-th. With slots, a side need not wait until the other
// one has read its operand: every second call uses the same slot.
void call(Side& own, Side& other, int place, Way way, bool slots, long number) {
  const std::size_t n = own.operand.size(), middle = n / 2;
  const Range halves[] = {{0, middle}, {middle, n}};
  const Range mine = halves[place], theirs = halves[1 - place], all = {0, n};
  const bool whole = way == Way::reduce || way == Way::whole;
  const bool reads = way != Way::reduce || place == 0, sends = way != Way::reduce || place == 1;
  const long slot = number % 2;
  if (slots) other.done.wait_for(number - 2);
  if (slots && sends)
    move_range(own.operand.data(), own.operand_slots[slot].data(), whole ? all : theirs);
  own.published.raise(number);
  if (reads) {
    other.published.wait_for(number);
    add(own.operand.data(), (slots ? other.operand_slots[slot] : other.operand).data(),
        own.result.data(), whole ? all : mine);
  }
  if (way == Way::halves) {
    if (slots) move_range(own.result.data(), own.result_slots[slot].data(), mine);
    own.reduced.raise(number);
    other.reduced.wait_for(number);
    move_range((slots ? other.result_slots[slot] : other.result).data(), own.result.data(), theirs);
  }
  own.done.raise(number);
  if (!slots) other.done.wait_for(number);  // afterwards, the operand may change
}

// The cores that this process may use.
std::vector<int> cores() {
  static const std::vector<int> allowed = [] {
    std::vector<int> found;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
      for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) found.push_back(core);
    return found;
  }();
  return allowed;
}

void run(Side& own, Side& other, int place, Way way, bool slots, Flag& start, Flag& ready) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(cores()[static_cast<std::size_t>(place)], &core);
  pthread_setaffinity_np(pthread_self(), sizeof core, &core);
  long number = 0;
  for (int sample = 1; sample <= samples; ++sample) {
    (place == 0 ? start : ready).raise(sample);
    (place == 0 ? ready : start).wait_for(sample);
    const auto began = std::chrono::steady_clock::now();
    for (int each = 0; each < calls; ++each) call(own, other, place, way, slots, ++number);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    own.seconds.push_back(took.count() / calls);
  }
}

std::array<double, 3> time(Way way, bool slots, std::size_t bytes) {
  const std::size_t n = std::max<std::size_t>(bytes / sizeof(double), 1);
  std::array<Side, 2> sides;
  for (Side& each : sides) {
    each.operand.assign(n, 1.0);
    each.result.assign(n, 0.0);
    for (auto* both : {&each.operand_slots, &each.result_slots})
      for (auto& slot : *both) slot.assign(n, 0.0);
  }
  Flag start, ready;
  std::thread other([&] { run(sides[1], sides[0], 1, way, slots, start, ready); });
  run(sides[0], sides[1], 0, way, slots, start, ready);
  other.join();
  std::vector<double> slower;
  for (int sample = samples / 4; sample < samples; ++sample)
    slower.push_back(1e6 * std::max(sides[0].seconds[sample], sides[1].seconds[sample]));
  std::ranges::sort(slower);
  return {slower[slower.size() / 2], slower[slower.size() / 4], slower[slower.size() * 3 / 4]};
}

void print(const char* collective, std::size_t bytes, std::initializer_list<Way> ways) {
  std::printf("%s %zu", collective, bytes);
  for (const bool slots : {false, true}) {
    std::array<double, 3> least = {1e9, 1e9, 1e9};
    for (const Way way : ways) least = std::min(least, time(way, slots, bytes));
    std::printf(" %.3f %.3f %.3f", least[0], least[1], least[2]);
  }
  std::puts("");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int each = 1; each < argc; ++each) sizes.push_back(std::strtoull(argv[each], nullptr, 10));
  if (sizes.empty()) sizes = {8, 64, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
  if (cores().size() < 2 || std::ranges::count(sizes, 0U) > 0) {
    std::fputs("floors: needs two cores, and sizes in bytes: floors 8 1024 65536\n", stderr);
    return 2;
  }
  for (const std::size_t bytes : sizes) {
    print("allreduce", bytes, {Way::whole, Way::halves});
    print("reduce", bytes, {Way::reduce});
    print("reduce_scatter", bytes, {Way::reduce_scatter});
  }
}
