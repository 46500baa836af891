#include "mpi/alltoall.h"

#include "api/requests.h"

using toccata::Alltoall;
using toccata::Alltoallv;
using toccata::Alltoallw;
using toccata::guarded;
using toccata::make_request;

extern "C" {

int toccata_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm,
                        algorithm);
  });
}

int toccata_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                      const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                      const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(
        Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
        comm, algorithm);
  });
}

int toccata_alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                      const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                      const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(
        Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes),
        comm, algorithm);
  });
}

int toccata_ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                      toccata_request* request) {
  return make_request<Alltoall>(comm, algorithm, false, request, sendbuf, sendcount, sendtype,
                                recvbuf, recvcount, recvtype);
}

int toccata_ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                       const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       const char* algorithm, toccata_request* request) {
  return make_request<Alltoallv>(comm, algorithm, false, request, sendbuf, sendcounts, sdispls,
                                 sendtype, recvbuf, recvcounts, rdispls, recvtype);
}

int toccata_ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                       const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       const char* algorithm, toccata_request* request) {
  return make_request<Alltoallw>(comm, algorithm, false, request, sendbuf, sendcounts, sdispls,
                                 sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}

int toccata_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                          const char* algorithm, toccata_request* request) {
  return make_request<Alltoall>(comm, algorithm, true, request, sendbuf, sendcount, sendtype,
                                recvbuf, recvcount, recvtype);
}

int toccata_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                           const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                           const char* algorithm, toccata_request* request) {
  return make_request<Alltoallv>(comm, algorithm, true, request, sendbuf, sendcounts, sdispls,
                                 sendtype, recvbuf, recvcounts, rdispls, recvtype);
}

int toccata_alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                           const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                           MPI_Info, const char* algorithm, toccata_request* request) {
  return make_request<Alltoallw>(comm, algorithm, true, request, sendbuf, sendcounts, sdispls,
                                 sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}

}  // extern "C"
