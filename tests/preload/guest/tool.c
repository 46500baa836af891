/* A tool like mpiP or Darshan: it intercepts some MPI functions, counts and forwards the calls, and
 * prints the counts at the end. With TOOL_PASSES_ON, it forwards calls in C to the next definition,
 * not to PMPI_*. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int allgathers, allreduces;

#define NEXT(name)                                                                   \
  ((__typeof__(&P##name))(getenv("TOOL_PASSES_ON") != NULL ? dlsym(RTLD_NEXT, #name) \
                                                           : (void*)&P##name))

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  ++allgathers;
  return NEXT(MPI_Allgather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  ++allreduces;
  return NEXT(MPI_Allreduce)(sendbuf, recvbuf, count, datatype, op, comm);
}

static void say(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    fprintf(stderr, "tool: allgather %d allreduce %d finalize 1\n", allgathers, allreduces);
}

int MPI_Finalize(void) {
  say();
  return NEXT(MPI_Finalize)();
}

#ifdef OPEN_MPI
/* In Open MPI, the Fortran functions call PMPI_*, so their symbols are intercepted as well; in
 * MPICH, they call MPI_*. */
void pmpi_allgather_(char* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, char* recvbuf,
                     MPI_Fint* recvcount, MPI_Fint* recvtype, MPI_Fint* comm, MPI_Fint* code);
void pmpi_allreduce_(char* sendbuf, char* recvbuf, MPI_Fint* count, MPI_Fint* datatype,
                     MPI_Fint* op, MPI_Fint* comm, MPI_Fint* code);
void pmpi_finalize_(MPI_Fint* code);
/* These symbols exist only if the program is in Fortran. */
#pragma weak pmpi_allgather_
#pragma weak pmpi_allreduce_
#pragma weak pmpi_finalize_

void mpi_allgather_(char* sendbuf, MPI_Fint* sendcount, MPI_Fint* sendtype, char* recvbuf,
                    MPI_Fint* recvcount, MPI_Fint* recvtype, MPI_Fint* comm, MPI_Fint* code) {
  ++allgathers;
  pmpi_allgather_(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, code);
}

void mpi_allreduce_(char* sendbuf, char* recvbuf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* op,
                    MPI_Fint* comm, MPI_Fint* code) {
  ++allreduces;
  pmpi_allreduce_(sendbuf, recvbuf, count, datatype, op, comm, code);
}

void mpi_finalize_(MPI_Fint* code) {
  say();
  pmpi_finalize_(code);
}
#endif
