#include "mpi/bcast.h"

#include "api/requests.h"

using toccata::Bcast;
using toccata::guarded;
using toccata::make_request;

extern "C" {

int toccata_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                  const char* algorithm) {
  return guarded(
      comm, [&] { return toccata::run(Bcast(buffer, count, datatype, root), comm, algorithm); });
}

int toccata_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   const char* algorithm, toccata_request* request) {
  return make_request<Bcast>(comm, algorithm, false, request, buffer, count, datatype, root);
}

int toccata_bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                       MPI_Info, const char* algorithm, toccata_request* request) {
  return make_request<Bcast>(comm, algorithm, true, request, buffer, count, datatype, root);
}

}  // extern "C"
