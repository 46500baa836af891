// The additional cost of toccata.hpp over toccata.h, in nanoseconds per call. Calls of both
// alternate in one run, on a communicator of one rank, because calls are shortest there.
//
//   mpiexec -n 1 build/release/bench/openmpi/cpp_interface

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <toccata/toccata.hpp>
#include <vector>

namespace {

constexpr int calls = 20000, batches = 60;

template <typename Call>
double nanoseconds(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
             .count() /
         calls;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + values.size() / 2);
  return values[values.size() / 2];
}

template <typename C, typename Cpp>
void compare(const char* name, C&& c, Cpp&& cpp) {
  std::vector<double> by_c, by_cpp;
  for (int i = 0; i < batches; ++i) {
    by_c.push_back(nanoseconds(c));
    by_cpp.push_back(nanoseconds(cpp));
  }
  std::printf("%-28s C %8.1f ns   C++ %8.1f ns   difference %+6.1f ns\n", name, median(by_c),
              median(by_cpp), median(by_cpp) - median(by_c));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm self = MPI_COMM_SELF;
  const toccata::Communicator comm(self);
  std::array<double, 1> mine{1}, all{0};
  compare(
      "allgather, native",
      [&] {
        toccata_allgather(mine.data(), 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, self, "native");
      },
      [&] { toccata::allgather(mine, all, comm, "native"); });
  compare(
      "allgather, chosen",
      [&] {
        toccata_allgather(mine.data(), 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, self, nullptr);
      },
      [&] { toccata::allgather(mine, all, comm); });
  compare(
      "allreduce, chosen",
      [&] { toccata_allreduce(mine.data(), all.data(), 1, MPI_DOUBLE, MPI_SUM, self, nullptr); },
      [&] { toccata::allreduce(mine, all, std::plus<>(), comm); });
  compare(
      "bcast, chosen", [&] { toccata_bcast(all.data(), 1, MPI_DOUBLE, 0, self, nullptr); },
      [&] { toccata::bcast(all, 0, comm); });
  compare(
      "barrier, chosen", [&] { toccata_barrier(self, nullptr); }, [&] { toccata::barrier(comm); });
  compare(
      "barrier, by MPI_Comm", [&] { toccata_barrier(self, nullptr); },
      [&] { toccata::barrier(self); });
  toccata_request c_request;
  toccata_allgather_init(mine.data(), 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, self, MPI_INFO_NULL,
                         "ring", &c_request);
  toccata::Request cpp_request = toccata::allgather_init(mine, all, comm, "ring");
  compare(
      "persistent allgather", [&] { toccata_run(&c_request); }, [&] { cpp_request.run(); });
  toccata_request_free(&c_request);
  cpp_request.free();
  MPI_Finalize();
}
