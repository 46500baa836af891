// Times sparse exchanges. All algorithms alternate in one run. Prints the slowest rank's
// microseconds per call.
//
//   mpiexec -n 16 build/release/bench/openmpi/sparse [calls]
//
// Each rank sends a message to each of k random ranks, which differ in every call.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <toccata/toccata.h>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  int me, p;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &p);
  const int calls = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::vector<const char*> algorithms{"native", "nbx", "locality_nbx"};
  if (me == 0)
    std::printf("%5s %8s %12s %12s %12s\n", "k", "bytes", "native", "nbx", "locality_nbx");
  toccata_messages messages = TOCCATA_MESSAGES_NULL;
  std::minstd_rand random(me + 1);
  std::vector<int> ranks(p), places(p, 0);
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const int k : {1, 3, 8, 32}) {
    if (k > p) continue;
    for (const int bytes : {8, 1024, 32768}) {
      const std::vector<char> data(bytes);
      const std::vector<int> counts(k, bytes);
      std::vector<std::vector<double>> times(algorithms.size());
      for (int call = 0; call < calls + 10; ++call)
        for (std::size_t i = 0; i < algorithms.size(); ++i) {
          std::ranges::shuffle(ranks, random);
          MPI_Barrier(comm);
          const double start = MPI_Wtime();
          toccata_sparse_alltoallv(data.data(), k, ranks.data(), counts.data(), places.data(),
                                   MPI_BYTE, MPI_BYTE, comm, algorithms[i], &messages);
          const double mine = MPI_Wtime() - start;
          double slowest;
          MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
          if (call >= 10) times[i].push_back(slowest * 1e6);
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
  MPI_Finalize();
}
