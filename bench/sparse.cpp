// Times sparse exchanges, and checks their data. All algorithms alternate in one run. Prints the
// slowest rank's microseconds per call.
//
//   mpiexec -n 16 build/release/bench/openmpi/sparse [calls] [longest message]
//   python bench/simulated_sparse.py gpc 64 [calls] [longest message]
//
// Each rank sends a message to each of k random other ranks, which differ in every call.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <toccata/toccata.h>
#include <vector>

#include "starting_line.h"

namespace {

// Ends the program unless all ranks together received `expected` messages, each of that many bytes
// and from the rank that its data names.
void check(const toccata_messages_object& messages, int expected, int bytes) {
  int right = 0, all = 0;
  for (int i = 0; i < messages.count; ++i) {
    const toccata_message& each = messages.list[i];
    const auto* const data = static_cast<const char*>(each.data);
    right +=
        static_cast<int>(each.count == bytes &&
                         std::count(data, data + bytes, static_cast<char>(each.source)) == bytes);
  }
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all == expected) return;
  std::fprintf(stderr, "%d of %d messages are right\n", all, expected);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  int me, p;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &p);
  const int calls = argc > 1 ? std::atoi(argv[1]) : 200;
  const int longest = argc > 2 ? std::atoi(argv[2]) : 32768;
  const int warmup = std::min(calls, 10);
  const std::vector<const char*> algorithms{"native", "nbx", "locality_nbx"};
  if (me == 0)
    std::printf("%5s %8s %12s %12s %12s\n", "k", "bytes", "native", "nbx", "locality_nbx");
  std::optional<toccata::bench::StartingLine> starting_line(std::in_place);
  toccata_messages messages = TOCCATA_MESSAGES_NULL;
  std::minstd_rand random(me + 1);
  std::vector<int> ranks(p), places(p, 0);
  std::iota(ranks.begin(), ranks.end(), 0);
  ranks.erase(ranks.begin() + me);
  for (const int k : {1, 3, 8, 32}) {
    if (k >= p) continue;
    for (const int bytes : {8, 1024, 32768}) {
      if (bytes > longest) continue;
      starting_line->synchronize();
      const std::vector<char> data(bytes, static_cast<char>(me));
      const std::vector<int> counts(k, bytes);
      std::vector<std::vector<double>> times(algorithms.size());
      for (int call = 0; call < calls + warmup; ++call)
        for (std::size_t i = 0; i < algorithms.size(); ++i) {
          std::ranges::shuffle(ranks, random);
          const double start = starting_line->line_up();
          toccata_sparse_alltoallv(data.data(), k, ranks.data(), counts.data(), places.data(),
                                   MPI_BYTE, MPI_BYTE, comm, algorithms[i], &messages);
          double slowest = starting_line->now() - start;
          toccata::bench::find_largest({&slowest, 1});
          if (call == 0) check(*messages, p * k, bytes);
          if (call >= warmup) times[i].push_back(slowest * 1e6);
        }
      if (me != 0) continue;
      std::printf("%5d %8d", k, bytes);
      for (std::vector<double>& each : times) {
        std::ranges::nth_element(each, each.begin() + each.size() / 2);
        std::printf(" %12.1f", each[each.size() / 2]);
      }
      std::printf("\n");
    }
  }
  toccata_messages_free(&messages);
  starting_line.reset();
  MPI_Finalize();
}
