/* Six duplicates of a communicator are under way while blocking collectives are called on it: on a
 * new communicator, and on one that has been in use. With an argument, functions of Toccata are
 * called, too. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "guest.h"
#include "toccata/toccata.h"

static void sum(MPI_Comm comm) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  faults += sum != p;
}

static void exchange(MPI_Comm comm) {
  const __typeof__(&toccata_sparse_alltoallv) call =
      dlsym(RTLD_DEFAULT, "toccata_sparse_alltoallv");
  const __typeof__(&toccata_messages_free) end = dlsym(RTLD_DEFAULT, "toccata_messages_free");
  const int to = (rank + 1) % p, one = 1, zero = 0;
  toccata_messages arrived = TOCCATA_MESSAGES_NULL;
  faults +=
      call(&rank, 1, &to, &one, &zero, MPI_INT, MPI_INT, comm, "nbx", &arrived) != MPI_SUCCESS;
  faults += arrived->count != 1 || *(const int*)arrived->list[0].data != (rank + p - 1) % p;
  end(&arrived);
}

/* Open MPI cannot serve this while duplicates are under way, so it is an error there. */
static void make_persistent(MPI_Comm comm) {
  const __typeof__(&toccata_allreduce_init) call = dlsym(RTLD_DEFAULT, "toccata_allreduce_init");
  const __typeof__(&toccata_request_free) end = dlsym(RTLD_DEFAULT, "toccata_request_free");
  int one = 1, sum = 0, class;
  toccata_request request;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = call(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "native", &request);
  if (code == MPI_SUCCESS) end(&request);
  MPI_Error_class(code, &class);
#ifdef OPEN_MPI
  faults += class != MPI_ERR_COMM;
#else
  faults += class != MPI_SUCCESS;
#endif
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < 40; ++i) {
    MPI_Comm parent = MPI_COMM_WORLD, copies[6];
    MPI_Request requests[6];
    MPI_Status statuses[6];
    if (i % 2 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    for (int k = 0; k < 6; ++k) MPI_Comm_idup(parent, &copies[k], &requests[k]);
    sum(parent);
    if (argc > 1 && parent != MPI_COMM_WORLD) {
      exchange(parent);
      make_persistent(parent);
    }
    MPI_Waitall(6, requests, statuses);
    sum(parent);
    for (int k = 0; k < 6; ++k) {
      sum(copies[k]);
      MPI_Comm_free(&copies[k]);
    }
    if (parent != MPI_COMM_WORLD) MPI_Comm_free(&parent);
  }
  finish();
  return 0;
}
