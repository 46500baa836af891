/* A communicator with an attribute that owns memory: duplicating copies it, deleting frees it.
 * Prints how often each was called: for a communicator that is used and freed, and for one that the
 * program duplicates on top. */
#include "guest.h"

static int copies, deletes;

static int copy(MPI_Comm comm, int key, void* extra, void* from, void* into, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)into = from; /* shared, as there is no count of its users: a second delete frees twice */
  *flag = 1;
  return MPI_SUCCESS;
}

static int release(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  ++deletes;
  *(int*)value -= 1;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int key, users[2] = {1, 2};
  start(&argc, &argv);
  MPI_Comm_create_keyval(copy, release, &key, NULL);
  for (int duplicates = 0; duplicates < 2; ++duplicates) {
    MPI_Comm comm, twin = MPI_COMM_NULL;
    copies = deletes = 0;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    MPI_Comm_set_attr(comm, key, &users[duplicates]);
    faults += every_collective(comm, 3, 1);
    if (duplicates) {
      MPI_Comm_dup(comm, &twin);
      faults += every_collective(twin, 3, 1);
      MPI_Comm_free(&twin);
    }
    MPI_Comm_free(&comm);
    if (rank == 0) printf("copies %d deletes %d\n", copies, deletes);
    faults += users[duplicates] != 0;
  }
  MPI_Comm_free_keyval(&key);
  finish();
  return 0;
}
