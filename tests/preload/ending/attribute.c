// Collectives in the callback that deletes an attribute of MPI_COMM_WORLD: in MPI_Finalize, after
// the attributes of MPI_COMM_SELF. Under MPICH, MPI still works there. Under Open MPI 4.1, it has
// ended, and Open MPI 5 does not call it.
#include "calls.h"

static int in_callback(MPI_Comm comm, int key, void* value, void* extra) {
  int has_ended;
  MPI_Finalized(&has_ended);
  if (!has_ended) calls("in callback", "bagn", 3);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int key;
  MPI_Init(&argc, &argv);
  calls("in main", "ba", 40);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, in_callback, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  MPI_Comm_free_keyval(&key);
  MPI_Finalize();
  return 0;
}
