#include "mpi/gather.h"

#include "api/requests.h"

using toccata::Gather;
using toccata::guarded;
using toccata::make_request;

extern "C" {

int toccata_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
                        comm, algorithm);
  });
}

int toccata_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                    MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(
        Gather(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root), comm,
        algorithm);
  });
}

int toccata_igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    const char* algorithm, toccata_request* request) {
  return make_request<Gather>(comm, algorithm, false, request, sendbuf, sendcount, sendtype,
                              recvbuf, recvcount, recvtype, root);
}

int toccata_igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                     MPI_Comm comm, const char* algorithm, toccata_request* request) {
  return make_request<Gather>(comm, algorithm, false, request, sendbuf, sendcount, sendtype,
                              recvbuf, recvcounts, displs, recvtype, root);
}

int toccata_gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                        const char* algorithm, toccata_request* request) {
  return make_request<Gather>(comm, algorithm, true, request, sendbuf, sendcount, sendtype, recvbuf,
                              recvcount, recvtype, root);
}

int toccata_gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                         int root, MPI_Comm comm, MPI_Info, const char* algorithm,
                         toccata_request* request) {
  return make_request<Gather>(comm, algorithm, true, request, sendbuf, sendcount, sendtype, recvbuf,
                              recvcounts, displs, recvtype, root);
}

}  // extern "C"
