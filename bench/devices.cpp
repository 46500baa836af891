// Collectives on a machine with a GPU (CUDA). This MPI program does not use Toccata. It runs with
// the library preloaded; calls of MPI_* alternate with calls of PMPI_*, which the library does not
// intercept. Rank 0 prints medians in microseconds, of the slowest rank:
//
//   query NANOSECONDS                         one query of the driver about a host buffer
//   host COLLECTIVE BYTES BEFORE AFTER MAPPED MPI_* on host buffers: without and with the runtime,
//                                             and with it in memory that malloc maps for a buffer
//   device COLLECTIVE BYTES COPIES OURS       buffers in device memory: cuMemcpy to pinned memory,
//                                             PMPI_* and cuMemcpy back, compared with MPI_*
//
//   devices [-n CALLS] [-b BYTES,...]
//
// The MPI library here may not accept device memory, so every collective needs a forced algorithm:
// TOCCATA_ALLREDUCE=shared, and so on (make devices).
//
// The ranks share one GPU. BYTES are those of a rank's longer buffer. Results are checked.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "both.h"

namespace {

int rank, p;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "devices: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// The functions of CUDA's driver that this program needs.
class Cuda {
 public:
  using Address = std::uint64_t;

  Cuda() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
      stop("cannot load CUDA's driver, libcuda.so.1: install the GPU driver");
    int device = 0;
    void* context = nullptr;
    call("cuInit", 0U);
    call("cuDeviceGet", &device, 0);
    call("cuDevicePrimaryCtxRetain", &context, device);
    call("cuCtxPushCurrent_v2", context);
    attribute_ = look_up<int, void*, int, Address>("cuPointerGetAttribute");
    to_device_ = look_up<int, Address, const void*, std::size_t>("cuMemcpyHtoD_v2");
    to_host_ = look_up<int, void*, Address, std::size_t>("cuMemcpyDtoH_v2");
  }

  double* allocate(std::size_t bytes) const {
    Address memory = 0;
    call("cuMemAlloc_v2", &memory, bytes);
    return reinterpret_cast<double*>(memory);
  }
  double* pin(std::size_t bytes) const {
    void* memory = nullptr;
    call("cuMemHostAlloc", &memory, bytes, 1U);
    return static_cast<double*>(memory);
  }
  void to_device(double* into, const double* from, std::size_t bytes) const {
    if (to_device_(reinterpret_cast<Address>(into), from, bytes) != 0) stop("a copy failed");
  }
  void to_host(double* into, const double* from, std::size_t bytes) const {
    if (to_host_(into, reinterpret_cast<Address>(from), bytes) != 0) stop("a copy failed");
  }
  void query(const double* address) const {
    int type = 0;
    attribute_(&type, 2, reinterpret_cast<Address>(address));
  }

 private:
  template <typename Result, typename... Arguments>
  Result (*look_up(const char* name) const)(Arguments...) {
    const auto function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(library_, name));
    if (function == nullptr) stop(std::string("the driver of CUDA has no ") + name);
    return function;
  }
  template <typename... Arguments>
  void call(const char* name, Arguments... arguments) const {
    if (const int code = look_up<int, Arguments...>(name)(arguments...); code != 0)
      stop(std::string(name) + " returned " + std::to_string(code));
  }

  void* library_;
  int (*attribute_)(void*, int, Address);
  int (*to_device_)(Address, const void*, std::size_t);
  int (*to_host_)(void*, Address, std::size_t);
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + values.size() / 2);
  return values[values.size() / 2];
}

// The median over `calls` samples of the time of the slowest rank, for several variants in turn.
std::vector<double> times(const std::vector<std::function<void()>>& variants, int calls) {
  std::vector<std::vector<double>> all(variants.size());
  for (int i = 0; i < calls; ++i)
    for (std::size_t which = 0; which < variants.size(); ++which) {
      PMPI_Barrier(MPI_COMM_WORLD);
      const double start = PMPI_Wtime();
      variants[which]();
      double took = (PMPI_Wtime() - start) * 1e6;
      PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (i >= calls / 5) all[which].push_back(took);
    }
  std::vector<double> result;
  for (auto& each : all) result.push_back(median(std::move(each)));
  return result;
}

struct Collective {
  std::string name;
  bool in_slices, out_slices;  // whether the buffer has a block per rank
  bool has_one_buffer;         // the result: in a broadcast
  std::function<void(double*in, double*out, int count)> ours, native;
};

#define WORLD MPI_COMM_WORLD

const std::vector<Collective>& collectives() {
  static const MPI_Datatype type = MPI_DOUBLE;
  static const std::vector<Collective> all{
      {"allreduce", false, false, false, BOTH(Allreduce(in, out, n, type, MPI_SUM, WORLD))},
      {"reduce_scatter", true, false, false,
       BOTH(Reduce_scatter_block(in, out, n, type, MPI_SUM, WORLD))},
      {"bcast", false, false, true, BOTH(Bcast(out, n, type, 0, WORLD))},
      {"allgather", false, true, false, BOTH(Allgather(in, n, type, out, n, type, WORLD))},
      {"alltoall", true, true, false, BOTH(Alltoall(in, n, type, out, n, type, WORLD))}};
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &p);
  int calls = 200;
  std::vector<std::size_t> sizes;
  for (int option; (option = getopt(argc, argv, "n:b:")) != -1;) {
    if (option == 'n') calls = std::atoi(optarg);
    std::stringstream list(optarg);
    for (std::string each; option == 'b' && std::getline(list, each, ',');)
      sizes.push_back(std::stoul(each));
  }
  if (sizes.empty()) sizes = {8, 1 << 10, 64 << 10, 1 << 20, 16 << 20};

  // Host buffers, before and after the runtime is loaded: in the heap, whose addresses cannot
  // belong to a device, and in memory of their own, about which the library queries the runtime.
  const std::vector<std::size_t> host_sizes{8, 64 << 10};
  std::vector<double> mine(8 << 10, 1), all(8 << 10, 1);
  std::vector<double> mapped_mine(8 << 20, 1), mapped_all(8 << 20, 1);
  const auto host_times = [&](double* in, double* out) {
    std::vector<double> result;
    for (const Collective& each : collectives())
      for (const std::size_t bytes : host_sizes) {
        const int blocks = each.in_slices || each.out_slices ? p : 1;
        const int n = std::max<int>(bytes / sizeof(double) / blocks, 1);
        constexpr int repeated = 50;
        const auto repeat = [&] {
          for (int i = 0; i < repeated; ++i) each.ours(in, out, n);
        };
        result.push_back(times({repeat}, 60)[0] / repeated);
      }
    return result;
  };
  host_times(mine.data(), all.data());  // warms up
  const std::vector<double> before = host_times(mine.data(), all.data());
  const Cuda cuda;
  const std::vector<double> after = host_times(mine.data(), all.data());
  const std::vector<double> mapped = host_times(mapped_mine.data(), mapped_all.data());
  const auto ask = [&] {
    for (int i = 0; i < 1000; ++i) cuda.query(mapped_mine.data());
  };
  const double query = times({ask}, 50)[0];  // microseconds per 1000, or nanoseconds
  if (rank == 0) {
    std::printf("query %.1f\n", query);
    std::size_t i = 0;
    for (const Collective& each : collectives())
      for (const std::size_t bytes : host_sizes) {
        std::printf("host %s %zu %.3f %.3f %.3f\n", each.name.c_str(), bytes, before[i], after[i],
                    mapped[i]);
        ++i;
      }
  }

  const std::size_t most = *std::ranges::max_element(sizes) + 8 * std::size_t(p);
  double* const device_in = cuda.allocate(most);
  double* const device_out = cuda.allocate(most);
  double* const host_in = cuda.pin(most);
  double* const host_out = cuda.pin(most);
  std::vector<double> expected(most / sizeof(double)), found(most / sizeof(double));
  for (const Collective& each : collectives())
    for (const std::size_t bytes : sizes) {
      const int blocks = each.in_slices || each.out_slices ? p : 1;
      const int n = std::max<int>(bytes / sizeof(double) / blocks, 1);
      const std::size_t in_bytes = sizeof(double) * n * (each.in_slices ? p : 1);
      const std::size_t out_bytes = sizeof(double) * n * (each.out_slices ? p : 1);
      // Small integers, so that a sum is the same in any order.
      for (std::size_t i = 0; i < most / sizeof(double); ++i)
        host_in[i] = static_cast<double>((i * 7 + 13 * rank) % 1000);
      cuda.to_device(device_in, host_in, most);
      cuda.to_device(device_out, host_in, most);
      const auto with_copies = [&] {
        if (each.has_one_buffer) {
          if (rank == 0) cuda.to_host(host_out, device_out, out_bytes);
        } else {
          cuda.to_host(host_in, device_in, in_bytes);
        }
        each.native(host_in, host_out, n);
        cuda.to_device(device_out, host_out, out_bytes);
      };
      const auto directly = [&] { each.ours(device_in, device_out, n); };
      with_copies();
      cuda.to_host(expected.data(), device_out, out_bytes);
      cuda.to_device(device_out, host_in, out_bytes);
      directly();
      cuda.to_host(found.data(), device_out, out_bytes);
      if (!std::equal(found.begin(), found.begin() + out_bytes / sizeof(double), expected.begin()))
        stop("wrong result of " + each.name + " with " + std::to_string(bytes) + " bytes");
      const int repeated = bytes > (4 << 20) ? calls / 8 : calls;
      const std::vector<double> took = times({with_copies, directly}, std::max(repeated, 10));
      if (rank == 0)
        std::printf("device %s %zu %.2f %.2f\n", each.name.c_str(), bytes, took[0], took[1]);
    }
  MPI_Finalize();
}
