// The time of collectives on one node. This MPI program does not use Toccata; scripts/node.py runs
// it with the library preloaded. Calls of MPI_* alternate with calls of PMPI_*, which the library
// does not intercept. Rank 0 prints one line per cell:
//
//   COLLECTIVE BYTES BUFFERS NATIVE QUARTILE QUARTILE OURS QUARTILE QUARTILE   (microseconds)
//
// Each sample starts at a common time, because all ranks of a node have the same clock. Its time is
// that of the slowest rank. BYTES are those of a rank's longer buffer: in an allgather, those of
// all its blocks. BUFFERS are `reused`, or `rotating` through more memory than the caches have.
//
//   node [-m MILLISECONDS] [-b BYTES,...] [-c COLLECTIVE,...] [-r] [-s]
//
// -m: approximate milliseconds per cell and side (8). -r: only reused buffers. -s: buffers in a
// memfd, which the tests' substitute for XPMEM (tests/preload/node/xpmem.c) can attach.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

#include "both.h"

namespace {

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

int rank, p;
bool crowded;  // more ranks than cores

// All ranks begin at this time. If ranks share cores, they sleep until then.
void wait_until(double start) {
  if (crowded && start - now() > 5) {
    const auto nanoseconds = static_cast<std::int64_t>(start * 1e3);
    const timespec time{nanoseconds / 1000000000, nanoseconds % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
  }
  while (now() < start) {
  }
}

// The memory of a call: always the same, or rotating.
class Buffers {
 public:
  static constexpr std::size_t pool = std::size_t{64} << 20;

  Buffers(bool rotating, bool in_memfd)
      : rotating_(rotating), in_(allocate(in_memfd)), out_(allocate(in_memfd)) {
    std::fill_n(in_, pool / sizeof(double), 1e-3);
    std::fill_n(out_, pool / sizeof(double), 0);
  }
  ~Buffers() {
    munmap(in_, pool);
    munmap(out_, pool);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  void fit(std::size_t bytes) {
    stride_ = (bytes / 4096 + 1) * 4096 / sizeof(double) + 8;
    places_ = rotating_ ? std::max<std::size_t>(pool / sizeof(double) / stride_, 1) : 1;
    place_ %= places_;
  }
  void next() { place_ = (place_ + 1) % places_; }
  double* in() { return in_ + place_ * stride_; }
  double* out() { return out_ + place_ * stride_; }

 private:
  static double* allocate(bool in_memfd) {
    const int file = in_memfd ? memfd_create("buffers", 0) : -1;  // stays open until the end
    if (in_memfd && ftruncate(file, pool) != 0) std::abort();
    void* const memory = mmap(nullptr, pool, PROT_READ | PROT_WRITE,
                              in_memfd ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
    if (memory == MAP_FAILED) std::abort();
    return static_cast<double*>(memory);
  }

  bool rotating_;
  double *in_, *out_;
  std::size_t stride_ = 0, places_ = 1, place_ = 0;
};

struct Collective {
  std::string name;
  bool sliced;  // the longer buffer has a block per rank
  std::function<void(double*in, double*out, int count)> ours, native;
};

const MPI_Datatype type = MPI_DOUBLE;
#define WORLD MPI_COMM_WORLD

const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all{
      {"allreduce", false, BOTH(Allreduce(in, out, n, type, MPI_SUM, WORLD))},
      {"reduce", false, BOTH(Reduce(in, out, n, type, MPI_SUM, 0, WORLD))},
      {"reduce_scatter", true, BOTH(Reduce_scatter_block(in, out, n, type, MPI_SUM, WORLD))},
      {"bcast", false, BOTH(Bcast(out, n, type, 0, WORLD))},
      {"allgather", true, BOTH(Allgather(in, n, type, out, n, type, WORLD))},
      {"alltoall", true, BOTH(Alltoall(in, n, type, out, n, type, WORLD))},
      {"gather", true, BOTH(Gather(in, n, type, out, n, type, 0, WORLD))},
      {"scatter", true, BOTH(Scatter(in, n, type, out, n, type, 0, WORLD))},
      {"scan", false, BOTH(Scan(in, out, n, type, MPI_SUM, WORLD))},
      {"exscan", false, BOTH(Exscan(in, out, n, type, MPI_SUM, WORLD))},
      {"barrier", false, BOTH(Barrier(WORLD))}};
  return all;
}

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * (values.size() - 1) + 0.5);
  std::ranges::nth_element(values, at);
  return *at;
}

// The samples of one side, native or ours.
class Side {
 public:
  explicit Side(const std::function<void(double*, double*, int)>& call) : call_(call) {}

  // Returns when the last of the samples has ended on this rank.
  void measure(Buffers& buffers, int count, int calls, double first, double period, int samples) {
    for (int i = 0; i < samples; ++i) {
      const double start = first + i * period;
      const bool late = now() > start;
      wait_until(start);
      for (int j = 0; j < calls; ++j) {
        call_(buffers.in(), buffers.out(), count);
        buffers.next();
      }
      times_.push_back(late ? 1e12 : (now() - start) / calls);
    }
  }
  // Takes the slowest rank's time of each sample, and discards samples with a late rank. Returns
  // the share of discarded samples.
  double settle(bool keeps = true) {
    std::vector<double> slowest(times_.size());
    PMPI_Allreduce(times_.data(), slowest.data(), static_cast<int>(times_.size()), MPI_DOUBLE,
                   MPI_MAX, WORLD);
    std::erase_if(slowest, [](double each) { return each > 1e11; });
    const double late = 1 - static_cast<double>(slowest.size()) / times_.size();
    times_.clear();
    if (keeps) slowest_.insert(slowest_.end(), slowest.begin(), slowest.end());
    return late;
  }
  void forget() { slowest_.clear(); }
  std::vector<double>& slowest() { return slowest_; }

 private:
  const std::function<void(double*, double*, int)>& call_;
  std::vector<double> times_, slowest_;
};

double begin_together(double after) {
  double first = now() + after;
  PMPI_Bcast(&first, 1, MPI_DOUBLE, 0, WORLD);
  return first;
}

void measure_cell(const Collective& collective, int bytes, const char* kind, Buffers& buffers,
                  double budget) {
  const int blocks = collective.sliced ? p : 1;
  const int count = std::max(bytes / blocks / static_cast<int>(sizeof(double)), 1);
  buffers.fit(static_cast<std::size_t>(count) * blocks * sizeof(double));
  Side ours(collective.ours), native(collective.native);
  const double lead = 30.0 * p;

  // The typical time, and the number of calls per sample. It is one, unless ranks share cores.
  double typical = 0;
  for (int i = 0; i < 2; ++i)
    for (Side* side : {&native, &ours}) {
      const double start = begin_together(lead);
      wait_until(start);
      constexpr int calls = 8;
      side->measure(buffers, count, calls, now() + 1, 0, 1);
      double mine = (now() - start) / calls;
      PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, WORLD);
      side->settle(false);
      if (i == 1) typical = std::max(typical, mine);
    }
  const int calls = crowded ? std::clamp(static_cast<int>(400 / typical), 1, 200) : 1;
  double period = crowded ? calls * typical * 1.5 + 150 : typical * 1.3 + 1;

  const int turns = typical > 2e3 ? 2 : 8;  // fewer turns if the MPI library waits without yielding
  for (int attempt = 0; attempt < 4; ++attempt, period *= 2) {
    const int samples = std::clamp(static_cast<int>(budget / turns / period), crowded ? 3 : 6, 200);
    double late = 0;
    for (int turn = 0; turn < turns; ++turn)
      for (Side* side : turn % 2 == 0 ? std::array{&native, &ours} : std::array{&ours, &native}) {
        // Warm up caches and branch predictions for this side.
        side->measure(buffers, count, 1, begin_together(lead), period, crowded ? 1 : 4);
        side->settle(false);
        side->measure(buffers, count, calls, begin_together(lead), period, samples);
        late += side->settle() / (2 * turns);
      }
    int enough = late < 0.3 ? 1 : 0;
    PMPI_Bcast(&enough, 1, MPI_INT, 0, WORLD);
    if (enough != 0) break;
    if (attempt < 3)
      for (Side* side : {&native, &ours}) side->forget();
  }
  if (rank != 0 || native.slowest().empty() || ours.slowest().empty()) return;
  std::printf("%s %d %s", collective.name.c_str(), bytes, kind);
  for (Side* side : {&native, &ours})
    for (const double q : {0.5, 0.25, 0.75}) std::printf(" %.4f", quantile(side->slowest(), q));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &p);
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  crowded = p > sysconf(_SC_NPROCESSORS_ONLN);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);

  double milliseconds = 8;
  bool only_reused = false, in_memfd = false;
  std::vector<int> sizes;
  std::string names;
  for (int option; (option = getopt(argc, argv, "m:b:c:rs")) != -1;) {
    if (option == 'r') only_reused = true;
    if (option == 's') in_memfd = true;
    std::stringstream list(optarg != nullptr ? optarg : "");
    if (option == 'm') milliseconds = std::atof(optarg);
    if (option == 'c') names = std::string(",") + optarg + ",";
    for (std::string each; option == 'b' && std::getline(list, each, ',');)
      sizes.push_back(std::atoi(each.c_str()));
  }
  if (sizes.empty())
    sizes = {8, 64, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};

  for (const bool rotating : {false, true}) {
    if (rotating && only_reused) break;
    Buffers buffers(rotating, in_memfd);
    for (const Collective& each : collectives()) {
      if (!names.empty() && names.find("," + each.name + ",") == std::string::npos) continue;
      for (const int bytes : each.name == "barrier" ? std::vector{0} : sizes)
        if (each.name != "barrier" || !rotating)
          measure_cell(each, bytes, rotating ? "rotating" : "reused", buffers, milliseconds * 1e3);
    }
  }
  MPI_Finalize();
}
