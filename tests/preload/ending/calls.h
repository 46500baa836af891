// Collectives by letter, with checks of their results, for programs that call them while they end.
#include <mpi.h>

#include <stdio.h>

// Returns whether the result of one collective of this kind is right.
static int call(char kind, MPI_Comm comm) {
  int rank, size, one = 1, sum = 0, ranks[64];
  MPI_Request request;
  MPI_Comm copy;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  switch (kind) {
    case 'b':
      return MPI_Barrier(comm) == MPI_SUCCESS;
    case 'a':
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
      return sum == size;
    case 'B':
      sum = rank == 0 ? 7 : 0;
      MPI_Bcast(&sum, 1, MPI_INT, 0, comm);
      return sum == 7;
    case 'g':
      MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, comm);
      return ranks[size - 1] == size - 1;
    case 'c': {  // one block of a derived datatype without gaps
      MPI_Datatype pair;
      int sent[2] = {1, 2}, got[128] = {0};
      MPI_Type_contiguous(2, MPI_INT, &pair);
      MPI_Type_commit(&pair);
      MPI_Allgather(sent, 1, pair, got, 1, pair, comm);
      MPI_Type_free(&pair);
      return got[2 * size - 1] == 2;
    }
    case 'l': {  // a longer reduction
      static int mine[1000], least[1000];
      mine[0] = rank;
      MPI_Allreduce(mine, least, 500, MPI_2INT, MPI_MINLOC, comm);
      return least[0] == 0;
    }
    case 'r':  // only the root needs what the operation takes
      MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
      return rank != 0 || sum == size;
    case 'v': {  // a datatype with gaps
      MPI_Datatype every_other;
      int block[200] = {0};
      if (rank == 0) block[198] = 5;
      MPI_Type_vector(100, 1, 2, MPI_INT, &every_other);
      MPI_Type_commit(&every_other);
      MPI_Bcast(block, 1, every_other, 0, comm);
      MPI_Type_free(&every_other);
      return block[198] == 5;
    }
    case 'n':
      MPI_Ibarrier(comm, &request);
      return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    case 'i':
      MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      return sum == size;
    default:
      MPI_Comm_dup(comm, &copy);
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
      MPI_Comm_free(&copy);
      return sum == size;
  }
}

// `times` collectives of each kind; rank 0 prints `where` and whether all are right.
static inline void calls(const char* where, const char* kinds, int times) {
  int rank, right = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (; *kinds != '\0'; ++kinds)
    for (int i = 0; i < times; ++i) right &= call(*kinds, MPI_COMM_WORLD);
  if (rank == 0) puts(right ? where : "wrong");
}
