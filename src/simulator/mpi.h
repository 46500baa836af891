// Adapts the simulator's <mpi.h> to our sources; comes before it in the include path.
#pragma once

#include <smpi/mpi.h>
#include <vector>

// There it is an enumerator, so `code != MPI_SUCCESS ? code : MPI_SUCCESS` mixes two types.
#define MPI_SUCCESS 0

// The simulator declares these functions, but ends the program if they are called.
#define PMPI_Topo_test toccata_simulator_topo_test
#define PMPI_Add_error_code toccata_simulator_add_error_code
#define PMPI_Add_error_string toccata_simulator_add_error_string
#define PMPI_Alltoallw toccata_simulator_alltoallw
#define PMPI_Get_elements_x toccata_simulator_get_elements_x
#define PMPI_Improbe toccata_simulator_improbe
#define PMPI_Imrecv toccata_simulator_imrecv

inline int toccata_simulator_topo_test(MPI_Comm comm, int* kind) {
  int dimensions = 0;
  *kind = PMPI_Cartdim_get(comm, &dimensions) == MPI_SUCCESS ? MPI_CART : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
inline int toccata_simulator_add_error_code(int, int*) { return MPI_ERR_OTHER; }
inline int toccata_simulator_add_error_string(int, const char*) { return MPI_ERR_OTHER; }
// Without empty messages, as in MPICH and Open MPI. The simulator's own function sends them.
inline int toccata_simulator_alltoallw(const void* send, const int* send_counts,
                                       const int* send_places, const MPI_Datatype* send_types,
                                       void* receive, const int* counts, const int* places,
                                       const MPI_Datatype* types, MPI_Comm comm) {
  constexpr int tag = 32000;
  int p = 0;
  PMPI_Comm_size(comm, &p);
  std::vector<MPI_Request> requests;
  for (int rank = 0; rank < p; ++rank)
    if (counts[rank] > 0)
      PMPI_Irecv(static_cast<char*>(receive) + places[rank], counts[rank], types[rank], rank, tag,
                 comm, &requests.emplace_back());
  for (int rank = 0; rank < p; ++rank)
    if (send_counts[rank] > 0)
      PMPI_Isend(static_cast<const char*>(send) + send_places[rank], send_counts[rank],
                 send_types[rank], rank, tag, comm, &requests.emplace_back());
  return PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

// Only for elements without parts, as bytes.
inline int toccata_simulator_get_elements_x(MPI_Status* status, MPI_Datatype type,
                                            MPI_Count* elements) {
  int count = 0;
  const int code = PMPI_Get_count(status, type, &count);
  *elements = count;
  return code;
}

// A rank has one thread. So the next message that it receives from that source is the one that it
// has found.
struct toccata_simulator_message {
  int source, tag;
  MPI_Comm comm;
};
inline int toccata_simulator_improbe(int source, int tag, MPI_Comm comm, int* found,
                                     MPI_Message* message, MPI_Status* status) {
  const int code = PMPI_Iprobe(source, tag, comm, found, status);
  if (code == MPI_SUCCESS && *found != 0)
    *message = new toccata_simulator_message{status->MPI_SOURCE, tag, comm};
  return code;
}
inline int toccata_simulator_imrecv(void* buffer, int count, MPI_Datatype type,
                                    MPI_Message* message, MPI_Request* request) {
  auto* const found = static_cast<toccata_simulator_message*>(*message);
  const int code = PMPI_Irecv(buffer, count, type, found->source, found->tag, found->comm, request);
  delete found;
  *message = nullptr;
  return code;
}
