/* The header includes all that it needs and is valid C99: this file uses all of it. */
#include <stddef.h>
#include <toccata/toccata.h>

enum { most_ranks = 64 };

/* Counts the integers that differ from their index, and resets all of them. */
static int wrong(int* all, int p) {
  int i, result = 0;
  for (i = 0; i < p; ++i) {
    result += all[i] != i;
    all[i] = -1;
  }
  return result;
}

int c99_faults(void);

/* Calls all functions, and counts wrong results. */
int c99_faults(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int me, p, i, flag = 0, faults = 0;
  int all[most_ranks], other[most_ranks], counts[most_ranks], places[most_ranks];
  toccata_request requests[2];
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &p);
  for (i = 0; i < p; ++i) {
    counts[i] = 1;
    places[i] = i;
  }
  faults += toccata_version()[0] == '\0';

  toccata_allgather(&me, 1, MPI_INT, all, 1, MPI_INT, comm, "sparbit");
  faults += wrong(all, p);
  toccata_allgatherv(&me, 1, MPI_INT, all, counts, places, MPI_INT, comm, NULL);
  faults += wrong(all, p);

  toccata_iallgather(&me, 1, MPI_INT, all, 1, MPI_INT, comm, "ring", &requests[0]);
  toccata_iallgatherv(&me, 1, MPI_INT, other, counts, places, MPI_INT, comm, "bruck", &requests[1]);
  while (!flag) toccata_test(&requests[1], &flag);
  toccata_wait(&requests[0]);
  faults += wrong(all, p) + wrong(other, p);
  faults += requests[0] != TOCCATA_REQUEST_NULL || requests[1] != TOCCATA_REQUEST_NULL;

  toccata_allgather_init(&me, 1, MPI_INT, all, 1, MPI_INT, comm, MPI_INFO_NULL, "ring",
                         &requests[0]);
  toccata_allgatherv_init(&me, 1, MPI_INT, other, counts, places, MPI_INT, comm, MPI_INFO_NULL,
                          "bruck", &requests[1]);
  for (i = 0; i < 2; ++i) {
    toccata_start(&requests[0]);
    toccata_start(&requests[1]);
    toccata_waitall(2, requests);
    faults += wrong(all, p) + wrong(other, p);
  }
  toccata_request_free(&requests[0]);
  toccata_request_free(&requests[1]);
  faults += requests[0] != TOCCATA_REQUEST_NULL || requests[1] != TOCCATA_REQUEST_NULL;

  {
    const int to = (me + 1) % p, one = 1, start = 0;
    toccata_messages messages = TOCCATA_MESSAGES_NULL;
    faults += toccata_sparse_alltoallv(&me, 1, &to, &one, &start, MPI_INT, MPI_INT, comm, NULL,
                                       &messages) != MPI_SUCCESS;
    faults += messages->count != 1 || messages->list[0].count != 1 ||
              *(const int*)messages->list[0].data != messages->list[0].source;
    toccata_messages_free(&messages);
    faults += messages != TOCCATA_MESSAGES_NULL;
  }
  return faults;
}
