// The time of collectives on one node. This MPI program does not use Toccata; scripts/node.py runs
// it with the library preloaded. Calls of MPI_* alternate with calls of PMPI_*, which the library
// does not intercept. Rank 0 prints one line per cell:
//
//   COLLECTIVE BYTES BUFFERS NATIVE QUARTILE QUARTILE OURS QUARTILE QUARTILE   (microseconds)
//
// BYTES are those of a rank's longer buffer: in an allgather, those of all its blocks. BUFFERS are
// `reused`, or `rotating` through more memory than the caches have.
//
//   node [-m MILLISECONDS] [-b BYTES,...] [-c COLLECTIVE,...] [-r] [-s]
//
// -m: approximate milliseconds per cell and side (8). -r: only reused buffers. -s: buffers in a
// memfd, which the tests' substitute for XPMEM (tests/preload/node/xpmem.c) can attach.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "both.h"
#include "turns_in_time.h"

using toccata::bench::TurnsInTime;

namespace {

int rank, p;

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

void measure_cell(const Collective& collective, int bytes, const char* kind, Buffers& buffers,
                  TurnsInTime& turns) {
  const int blocks = collective.sliced ? p : 1;
  const int count = std::max(bytes / blocks / static_cast<int>(sizeof(double)), 1);
  buffers.fit(static_cast<std::size_t>(count) * blocks * sizeof(double));
  const auto calls_of = [&](const auto& call) {
    return [&] {
      call(buffers.in(), buffers.out(), count);
      buffers.next();
    };
  };
  const auto times = turns.measure(calls_of(collective.native), calls_of(collective.ours));
  if (!times) return;
  std::printf("%s %d %s", collective.name.c_str(), bytes, kind);
  for (const auto* side : {&times->native, &times->ours})
    for (const double each : *side) std::printf(" %.4f", each);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &p);

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

  TurnsInTime turns(milliseconds);
  for (const bool rotating : {false, true}) {
    if (rotating && only_reused) break;
    Buffers buffers(rotating, in_memfd);
    for (const Collective& each : collectives()) {
      if (!names.empty() && names.find("," + each.name + ",") == std::string::npos) continue;
      for (const int bytes : each.name == "barrier" ? std::vector{0} : sizes)
        if (each.name != "barrier" || !rotating)
          measure_cell(each, bytes, rotating ? "rotating" : "reused", buffers, turns);
    }
  }
  MPI_Finalize();
}
