/* calls [nonblocking|persistent]: calls collectives of the world and of a duplicate, which it
   frees. Prints "right", "wrong" if a result is wrong, or "errors" if calls on the duplicate return
   errors. */
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(Name) MPIX_##Name##_init
#else
#define PERSISTENT(Name) MPI_##Name##_init
#endif

#include <stdio.h>
#include <string.h>

enum { most = 64 };

static const char* form = "blocking";
static int faults = 0, errors = 0;

static int is_form(const char* name) { return strcmp(form, name) == 0; }

/* Ends a started request. */
static int ended(int code, MPI_Request* request) {
  return code != MPI_SUCCESS ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Runs a persistent request once. */
static int run(int code, MPI_Request* request) {
  if (code != MPI_SUCCESS) return code;
  code = ended(MPI_Start(request), request);
  MPI_Request_free(request);
  return code;
}

static int allgather(const int* mine, int* all, MPI_Comm comm) {
  MPI_Request request;
  if (is_form("nonblocking"))
    return ended(MPI_Iallgather(mine, 1, MPI_INT, all, 1, MPI_INT, comm, &request), &request);
  if (is_form("persistent"))
    return run(
        PERSISTENT(Allgather)(mine, 1, MPI_INT, all, 1, MPI_INT, comm, MPI_INFO_NULL, &request),
        &request);
  return MPI_Allgather(mine, 1, MPI_INT, all, 1, MPI_INT, comm);
}

static int allreduce(const int* mine, int* sum, MPI_Comm comm) {
  MPI_Request request;
  if (is_form("nonblocking"))
    return ended(MPI_Iallreduce(mine, sum, 1, MPI_INT, MPI_SUM, comm, &request), &request);
  if (is_form("persistent"))
    return run(PERSISTENT(Allreduce)(mine, sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request),
               &request);
  return MPI_Allreduce(mine, sum, 1, MPI_INT, MPI_SUM, comm);
}

static void call(MPI_Comm comm) {
  int rank, p, all[most], sum = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  for (int i = 0; i < p; ++i) all[i] = -1;
  if (allgather(&rank, all, comm) != MPI_SUCCESS)
    ++errors;
  else
    for (int i = 0; i < p; ++i) faults += all[i] != i;
  if (allreduce(&rank, &sum, comm) != MPI_SUCCESS)
    ++errors;
  else
    faults += sum != p * (p - 1) / 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) form = argv[1];
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  call(MPI_COMM_WORLD);
  call(twin);
  call(twin);
  MPI_Comm_free(&twin);
  call(MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine[2] = {faults, errors};
  int all[2];
  PMPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all[0] != 0 ? "wrong" : all[1] != 0 ? "errors" : "right");
  MPI_Finalize();
  return 0;
}
