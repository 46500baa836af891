// Prints where the ranks of MPI_COMM_WORLD run, as the library's algorithms see it. Rank 0 prints
// one JSON object per line: the machine in the form of `toccata topo --save`, and the place of each
// rank.

#include <mpi.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "mpi/communicator/communicator.h"
#include "topology/placements.h"
#include "topology/readers.h"
#include "topology/whereabouts.h"

namespace {

std::vector<std::string> gather_names(int p) {
  std::string name(MPI_MAX_PROCESSOR_NAME, '\0');
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  std::string all(static_cast<std::size_t>(p) * MPI_MAX_PROCESSOR_NAME, '\0');
  MPI_Gather(name.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME,
             MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (int rank = 0; rank < p; ++rank) {
    const char* each = all.data() + static_cast<std::size_t>(rank) * MPI_MAX_PROCESSOR_NAME;
    names.emplace_back(each);
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const std::vector<std::string> hosts = gather_names(p);
  const auto placed = toccata::Communicator::of(MPI_COMM_WORLD)->placement();
  const toccata::Placement& placement = *placed;
  if (rank == 0) {
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(mpi, &length);
    const nlohmann::json found{{"event", "where"},
                               {"mpi", mpi},
                               {"ranks", p},
                               {"machine", saved(with_hosts(placement, hosts))},
                               {"placement", text(placement)}};
    std::printf("%s\n", found.dump().c_str());
  }
  MPI_Finalize();
  return 0;
}
