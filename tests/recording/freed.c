/* A callback uses a communicator that is being freed; the next one may get its handle. */
#include <mpi.h>

#include <stddef.h>

static int use(MPI_Comm comm, int key, void* value, void* extra) {
  int data[100] = {0};
  (void)key, (void)value, (void)extra;
  MPI_Bcast(data, 100, MPI_INT, 0, comm);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int key, rank, p, data[250] = {0};
  MPI_Comm same, backwards;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Comm_set_attr(same, key, NULL);
  MPI_Comm_free(&same);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Bcast(data, 250, MPI_INT, p - 1, backwards);
  MPI_Comm_free(&backwards);
  MPI_Comm_free_keyval(&key);
  MPI_Finalize();
  return 0;
}
