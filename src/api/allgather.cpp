#include "mpi/allgather.h"

#include "api/requests.h"

using toccata::Allgather;
using toccata::guarded;
using toccata::make_request;

extern "C" {

int toccata_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm,
                        algorithm);
  });
}

int toccata_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                       MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(
        Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), comm,
        algorithm);
  });
}

int toccata_iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                       toccata_request* request) {
  return make_request<Allgather>(comm, algorithm, false, request, sendbuf, sendcount, sendtype,
                                 recvbuf, recvcount, recvtype);
}

int toccata_iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                        MPI_Comm comm, const char* algorithm, toccata_request* request) {
  return make_request<Allgather>(comm, algorithm, false, request, sendbuf, sendcount, sendtype,
                                 recvbuf, recvcounts, displs, recvtype);
}

int toccata_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                           const char* algorithm, toccata_request* request) {
  return make_request<Allgather>(comm, algorithm, true, request, sendbuf, sendcount, sendtype,
                                 recvbuf, recvcount, recvtype);
}

int toccata_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, const char* algorithm,
                            toccata_request* request) {
  return make_request<Allgather>(comm, algorithm, true, request, sendbuf, sendcount, sendtype,
                                 recvbuf, recvcounts, displs, recvtype);
}

}  // extern "C"
