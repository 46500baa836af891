/* Callbacks of attributes that use their communicator while it is freed or duplicated, or while the
 * attribute is deleted, and after that, another communicator, to which MPI may give the same
 * handle. */
#include "guest.h"

static int uses;

static int use(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  int size = 0;
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < 40; ++i, ++uses) {
    int sum = 0;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
    faults += sum != size * i;
  }
  return MPI_SUCCESS;
}

static int copy(MPI_Comm comm, int key, void* extra, void* value, void* copied, int* exists) {
  use(comm, key, value, extra);
  *(void**)copied = value;
  *exists = 1;
  return MPI_SUCCESS;
}

static void duplicates(void) {
  enum { most = 14 };
  int keys[most], values[most];
  for (int i = 0; i < most; ++i)
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL);
  for (int attributes = 1; attributes <= most; ++attributes) {
    MPI_Comm comm, twin;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    for (int i = 0; i < attributes; ++i) MPI_Comm_set_attr(comm, keys[i], &values[i]);
    if (attributes % 2 == 0)
      MPI_Comm_dup(comm, &twin);
    else
      MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &twin);
    for (int i = 0; i < attributes; ++i) {
      void* found = NULL;
      int exists = 0;
      MPI_Comm_get_attr(twin, keys[i], &found, &exists);
      faults += !exists || found != &values[i];
    }
    faults += every_collective(twin, 3, 1) + every_collective(comm, 3, 1);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&comm);
  }
  for (int i = 0; i < most; ++i) MPI_Comm_free_keyval(&keys[i]);
}

int main(int argc, char** argv) {
  int key;
  start(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use, &key, NULL);
  for (int i = 0; i < 12; ++i) {
    MPI_Comm comm, backwards;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (i % 6 == 1) faults += every_collective(comm, 3, 1);
    /* If ranks add it at different times, MPI may delete it before ours on some ranks only. */
    const int early = i % 6 != 5 || rank == 0;
    if (early) MPI_Comm_set_attr(comm, key, NULL);
    if (i % 6 == 2 || i % 6 == 5) faults += every_collective(comm, 3, 1);
    if (!early) MPI_Comm_set_attr(comm, key, NULL);
    if (i % 6 == 4) MPI_Comm_delete_attr(comm, key);
    if (i % 6 == 3)
      MPI_Comm_disconnect(&comm);
    else
      MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    for (int k = 0; k < 20; ++k) {
      int mine = rank + k, sum = 0, first = rank;
      MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, backwards);
      for (int r = rank; r < p; ++r) sum -= r + k;
      MPI_Bcast(&first, 1, MPI_INT, 0, backwards);
      faults += (sum != 0) + (first != p - 1);
    }
    MPI_Comm_free(&backwards);
  }
  faults += uses != 12 * 40;
  duplicates();
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL); /* MPI_Finalize calls back */
  finish();
  return 0;
}
