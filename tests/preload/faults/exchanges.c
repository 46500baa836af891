/* Intercepts calls to an MPI library. With FAIL=1 in the environment, nonblocking exchanges on
 * communicators other than the world return an error, as after the death of a rank or on a revoked
 * communicator. The blocking exchanges that compare settings fail as well. With COUNT=1, the
 * process finally prints the number of its own exchanges since MPI_Init. The program's exchanges do
 * not count: they call MPI_*, not PMPI_*. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Request broken;
static int is_broken, begun, exchanges;
static void* received;
static size_t received_bytes;

static int fails(MPI_Comm comm) {
  int result = MPI_IDENT;
  if (getenv("FAIL") == NULL) return 0;
  int (*compare)(MPI_Comm, MPI_Comm, int*) = dlsym(RTLD_NEXT, "PMPI_Comm_compare");
  compare(comm, MPI_COMM_WORLD, &result);
  return result != MPI_IDENT;
}

#define NEXT(function)               \
  static __typeof__(&function) next; \
  if (next == NULL) next = (__typeof__(&function))dlsym(RTLD_NEXT, #function)

int PMPI_Iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  NEXT(PMPI_Iallreduce);
  ++exchanges;
  const int code = next(send, recv, count, type, op, comm, request);
  if (code == MPI_SUCCESS && fails(comm)) {
    broken = *request;
    is_broken = 1;
    received = recv;
    int size = 0;
    PMPI_Type_size(type, &size);
    received_bytes = (size_t)size * count;
  }
  return code;
}

static int break_off(MPI_Request* request) {
  int (*wait)(MPI_Request*, MPI_Status*) = dlsym(RTLD_NEXT, "PMPI_Wait");
  wait(request, MPI_STATUS_IGNORE);
  memset(received, 0, received_bytes);
  is_broken = 0;
  return MPI_ERR_OTHER;
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  NEXT(PMPI_Test);
  if (!is_broken || *request != broken) return next(request, flag, status);
  *flag = 1;
  return break_off(request);
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  NEXT(PMPI_Wait);
  return is_broken && *request == broken ? break_off(request) : next(request, status);
}

int PMPI_Gather(const void* send, int sends, MPI_Datatype sent, void* recv, int recvs,
                MPI_Datatype received_type, int root, MPI_Comm comm) {
  NEXT(PMPI_Gather);
  if (fails(comm)) return MPI_ERR_OTHER;
  return next(send, sends, sent, recv, recvs, received_type, root, comm);
}

int PMPI_Gatherv(const void* send, int sends, MPI_Datatype sent, void* recv, const int* recvs,
                 const int* places, MPI_Datatype received_type, int root, MPI_Comm comm) {
  NEXT(PMPI_Gatherv);
  if (fails(comm)) return MPI_ERR_OTHER;
  return next(send, sends, sent, recv, recvs, places, received_type, root, comm);
}

int PMPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  NEXT(PMPI_Allreduce);
  ++exchanges;
  return next(send, recv, count, type, op, comm);
}

int MPI_Init(int* argc, char*** argv) {
  NEXT(MPI_Init);
  const int code = next(argc, argv);
  begun = 1;
  exchanges = 0;
  return code;
}

int MPI_Finalize(void) {
  NEXT(MPI_Finalize);
  if (begun && getenv("COUNT") != NULL) fprintf(stderr, "exchanges %d\n", exchanges);
  return next();
}
