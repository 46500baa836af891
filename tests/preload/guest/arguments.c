/* Invalid calls, on a communicator that returns errors. Prints the error class of each, and MPI's
 * own text. Some MPIs do not check all arguments; the numbers on the command line exclude these
 * calls: arguments 0 3. */
#include <string.h>

#include "guest.h"

static int call(int which, MPI_Comm comm) {
  int mine[8] = {0}, all[64], root_of_nobody = p + 3;
  MPI_Datatype uncommitted;
  int result = MPI_SUCCESS;
  switch (which) {
    case 0:
      return MPI_Allgather(mine, -1, MPI_INT, all, -1, MPI_INT, comm);
    case 1:
      return MPI_Allgather(NULL, 2, MPI_INT, all, 2, MPI_INT, comm);
    case 2:
      return MPI_Allgather(mine, 2, MPI_INT, NULL, 2, MPI_INT, comm);
    case 3:
      return MPI_Allgather(all + 2 * rank, 2, MPI_INT, all, 2, MPI_INT, comm);
    case 4:
      MPI_Type_contiguous(2, MPI_INT, &uncommitted);
      result = MPI_Allgather(mine, 1, uncommitted, all, 1, uncommitted, comm);
      MPI_Type_free(&uncommitted);
      return result;
    case 5:
      return MPI_Bcast(mine, 2, MPI_INT, root_of_nobody, comm);
    case 6:
      return MPI_Bcast(mine, -2, MPI_INT, 0, comm);
    case 7:
      return MPI_Bcast(NULL, 2, MPI_INT, 0, comm);
    case 8:
      return MPI_Allreduce(mine, all, -1, MPI_INT, MPI_SUM, comm);
    case 9:
      return MPI_Allreduce(all, all, 2, MPI_INT, MPI_SUM, comm);
    case 10:
      return MPI_Allreduce(NULL, all, 2, MPI_INT, MPI_SUM, comm);
    case 11:
      return MPI_Allreduce(mine, all, 2, MPI_INT, MPI_OP_NULL, comm);
    case 12:
      return MPI_Allreduce(mine, all, 2, MPI_DATATYPE_NULL, MPI_SUM, comm);
    case 13:
      return MPI_Alltoall(mine, -1, MPI_INT, all, -1, MPI_INT, comm);
    case 14:
      return MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, -5, comm);
    case 15:
      return MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, root_of_nobody, comm);
    case 16:
      return MPI_Scatter(all, -2, MPI_INT, mine, -2, MPI_INT, 0, comm);
    case 17:
      return MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_BAND, comm);
    default:
      return MPI_Allgather(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_NULL);
  }
}

int main(int argc, char** argv) {
  MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_NULL};
  MPI_Group group;
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &comms[1]);
  for (int i = 0; i < 2 * (argc - 1); ++i) {
    const char* which = argv[1 + i / 2];
    char words[MPI_MAX_ERROR_STRING + 1] = "";
    int class = 0, length = 0;
    const int code = call(atoi(which), comms[i % 2]);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, words, &length);
    for (char* end = words; (end = strchr(end, '\n')) != NULL;) *end = '|';
    if (rank == 0) printf("%s: class %d: %s\n", which, class, words);
  }
  for (int i = 0; i < 2; ++i) faults += every_collective(comms[i], 3, 1);
  MPI_Comm_free(&comms[1]);
  MPI_Group_free(&group);
  finish();
  return 0;
}
