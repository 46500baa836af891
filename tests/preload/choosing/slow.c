// An MPI library with a delay of 2 ms in five of its collectives; SLOW sets another delay in
// microseconds.
#include <mpi.h>

#include <stdlib.h>
#include <unistd.h>

static void wait(void) {
  const char* slow = getenv("SLOW");
  usleep(slow ? atoi(slow) : 2000);
}

int MPI_Allgather(const void* send, int sends, MPI_Datatype sent, void* recv, int recvs,
                  MPI_Datatype received, MPI_Comm comm) {
  wait();
  return PMPI_Allgather(send, sends, sent, recv, recvs, received, comm);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  wait();
  return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Alltoallv(const void* send, const int* sends, const int* from, MPI_Datatype sent,
                  void* recv, const int* recvs, const int* into, MPI_Datatype received,
                  MPI_Comm comm) {
  wait();
  return PMPI_Alltoallv(send, sends, from, sent, recv, recvs, into, received, comm);
}

int MPI_Iallgather(const void* send, int sends, MPI_Datatype sent, void* recv, int recvs,
                   MPI_Datatype received, MPI_Comm comm, MPI_Request* request) {
  wait();
  return PMPI_Iallgather(send, sends, sent, recv, recvs, received, comm, request);
}

int MPI_Ialltoallv(const void* send, const int* sends, const int* from, MPI_Datatype sent,
                   void* recv, const int* recvs, const int* into, MPI_Datatype received,
                   MPI_Comm comm, MPI_Request* request) {
  wait();
  return PMPI_Ialltoallv(send, sends, from, sent, recv, recvs, into, received, comm, request);
}
