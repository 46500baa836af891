#include "mpi/scatter.h"

#include "api/requests.h"

using toccata::guarded;
using toccata::make_request;
using toccata::Scatter;

extern "C" {

int toccata_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
                        comm, algorithm);
  });
}

int toccata_scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                     MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                     int root, MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(
        Scatter(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root), comm,
        algorithm);
  });
}

int toccata_iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     const char* algorithm, toccata_request* request) {
  return make_request<Scatter>(comm, algorithm, false, request, sendbuf, sendcount, sendtype,
                               recvbuf, recvcount, recvtype, root);
}

int toccata_iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                      MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm, const char* algorithm, toccata_request* request) {
  return make_request<Scatter>(comm, algorithm, false, request, sendbuf, sendcounts, displs,
                               sendtype, recvbuf, recvcount, recvtype, root);
}

int toccata_scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                         const char* algorithm, toccata_request* request) {
  return make_request<Scatter>(comm, algorithm, true, request, sendbuf, sendcount, sendtype,
                               recvbuf, recvcount, recvtype, root);
}

int toccata_scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[],
                          MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                          const char* algorithm, toccata_request* request) {
  return make_request<Scatter>(comm, algorithm, true, request, sendbuf, sendcounts, displs,
                               sendtype, recvbuf, recvcount, recvtype, root);
}

}  // extern "C"
