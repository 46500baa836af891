/* A communicator with an attribute that owns memory: duplication copies it, deletion frees it.
 * Prints the number of copies and deletions for two communicators: one that is used and freed, and
 * one that the program also duplicates. */
#include "guest.h"

static int copies, deletes;

static int copy(MPI_Comm comm, int key, void* extra, void* from, void* into, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)into = from; /* shared without a count of users: a second delete frees twice */
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
