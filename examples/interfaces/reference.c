/* Every function of toccata.h and large.h, called once: the examples of the manual's reference.
 *
 * Rank r sends 10 r + i in block i. All calls have blocks of one int; among the neighbours of
 * `ring`, every rank sends to the right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toccata/toccata.h>

enum { most = 16 }; /* ranks */
static MPI_Comm comm, ring;
static int rank, p, last, left, sum;
static int mine[most], every[most];
static int counts[most], places[most], bytes[most];
static MPI_Aint large_bytes[most];
static MPI_Datatype types[most];
#if MPI_VERSION >= 4
static MPI_Count large_counts[most];
static MPI_Aint large_places[most];
#endif

/* Before a call: sets the data to send, and clears the buffers for results. */
static void begin(void) {
  for (int i = 0; i < most; ++i) {
    mine[i] = 10 * rank + i;
    every[i] = rank == 0 && i == 0 ? 7 : -1;
  }
}

static void check(int right, const char* function) {
  if (right) return;
  fprintf(stderr, "rank %d: %s is wrong\n", rank, function);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void allgather(void) {
  toccata_request request;

  begin();
  toccata_allgather(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "sparbit");
  check(every[last] == 10 * last, "toccata_allgather");

  begin();
  toccata_iallgather(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "sparbit", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last, "toccata_iallgather");

  begin();
  toccata_allgather_init(mine, 1, MPI_INT, every, 1, MPI_INT, comm, MPI_INFO_NULL, "sparbit",
                         &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last, "toccata_allgather_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_allgather_c(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "sparbit");
  check(every[last] == 10 * last, "toccata_allgather_c");

  begin();
  toccata_iallgather_c(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "sparbit", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last, "toccata_iallgather_c");

  begin();
  toccata_allgather_init_c(mine, 1, MPI_INT, every, 1, MPI_INT, comm, MPI_INFO_NULL, "sparbit",
                           &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last, "toccata_allgather_init_c");
  toccata_request_free(&request);
#endif
}

static void allgatherv(void) {
  toccata_request request;

  begin();
  toccata_allgatherv(mine, 1, MPI_INT, every, counts, places, MPI_INT, comm, "ring");
  check(every[last] == 10 * last, "toccata_allgatherv");

  begin();
  toccata_iallgatherv(mine, 1, MPI_INT, every, counts, places, MPI_INT, comm, "ring", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last, "toccata_iallgatherv");

  begin();
  toccata_allgatherv_init(mine, 1, MPI_INT, every, counts, places, MPI_INT, comm, MPI_INFO_NULL,
                          "ring", &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last, "toccata_allgatherv_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_allgatherv_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, comm, "ring");
  check(every[last] == 10 * last, "toccata_allgatherv_c");

  begin();
  toccata_iallgatherv_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, comm, "ring",
                        &request);
  toccata_wait(&request);
  check(every[last] == 10 * last, "toccata_iallgatherv_c");

  begin();
  toccata_allgatherv_init_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, comm,
                            MPI_INFO_NULL, "ring", &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last, "toccata_allgatherv_init_c");
  toccata_request_free(&request);
#endif
}

static void alltoall(void) {
  toccata_request request;

  begin();
  toccata_alltoall(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "bruck");
  check(every[last] == 10 * last + rank, "toccata_alltoall");

  begin();
  toccata_ialltoall(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "bruck", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last + rank, "toccata_ialltoall");

  begin();
  toccata_alltoall_init(mine, 1, MPI_INT, every, 1, MPI_INT, comm, MPI_INFO_NULL, "bruck",
                        &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last + rank, "toccata_alltoall_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_alltoall_c(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "bruck");
  check(every[last] == 10 * last + rank, "toccata_alltoall_c");

  begin();
  toccata_ialltoall_c(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "bruck", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last + rank, "toccata_ialltoall_c");

  begin();
  toccata_alltoall_init_c(mine, 1, MPI_INT, every, 1, MPI_INT, comm, MPI_INFO_NULL, "bruck",
                          &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last + rank, "toccata_alltoall_init_c");
  toccata_request_free(&request);
#endif
}

static void alltoallv(void) {
  toccata_request request;

  begin();
  toccata_alltoallv(mine, counts, places, MPI_INT, every, counts, places, MPI_INT, comm,
                    "pairwise");
  check(every[last] == 10 * last + rank, "toccata_alltoallv");

  begin();
  toccata_ialltoallv(mine, counts, places, MPI_INT, every, counts, places, MPI_INT, comm,
                     "pairwise", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last + rank, "toccata_ialltoallv");

  begin();
  toccata_alltoallv_init(mine, counts, places, MPI_INT, every, counts, places, MPI_INT, comm,
                         MPI_INFO_NULL, "pairwise", &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last + rank, "toccata_alltoallv_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_alltoallv_c(mine, large_counts, large_places, MPI_INT, every, large_counts, large_places,
                      MPI_INT, comm, "pairwise");
  check(every[last] == 10 * last + rank, "toccata_alltoallv_c");

  begin();
  toccata_ialltoallv_c(mine, large_counts, large_places, MPI_INT, every, large_counts, large_places,
                       MPI_INT, comm, "pairwise", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last + rank, "toccata_ialltoallv_c");

  begin();
  toccata_alltoallv_init_c(mine, large_counts, large_places, MPI_INT, every, large_counts,
                           large_places, MPI_INT, comm, MPI_INFO_NULL, "pairwise", &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last + rank, "toccata_alltoallv_init_c");
  toccata_request_free(&request);
#endif
}

static void alltoallw(void) {
  toccata_request request;

  begin();
  toccata_alltoallw(mine, counts, bytes, types, every, counts, bytes, types, comm, "linear");
  check(every[last] == 10 * last + rank, "toccata_alltoallw");

  begin();
  toccata_ialltoallw(mine, counts, bytes, types, every, counts, bytes, types, comm, "linear",
                     &request);
  toccata_wait(&request);
  check(every[last] == 10 * last + rank, "toccata_ialltoallw");

  begin();
  toccata_alltoallw_init(mine, counts, bytes, types, every, counts, bytes, types, comm,
                         MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last + rank, "toccata_alltoallw_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_alltoallw_c(mine, large_counts, large_bytes, types, every, large_counts, large_bytes,
                      types, comm, "linear");
  check(every[last] == 10 * last + rank, "toccata_alltoallw_c");

  begin();
  toccata_ialltoallw_c(mine, large_counts, large_bytes, types, every, large_counts, large_bytes,
                       types, comm, "linear", &request);
  toccata_wait(&request);
  check(every[last] == 10 * last + rank, "toccata_ialltoallw_c");

  begin();
  toccata_alltoallw_init_c(mine, large_counts, large_bytes, types, every, large_counts, large_bytes,
                           types, comm, MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(every[last] == 10 * last + rank, "toccata_alltoallw_init_c");
  toccata_request_free(&request);
#endif
}

static void bcast(void) {
  toccata_request request;

  begin();
  toccata_bcast(every, 1, MPI_INT, 0, comm, "binomial");
  check(every[0] == 7, "toccata_bcast");

  begin();
  toccata_ibcast(every, 1, MPI_INT, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(every[0] == 7, "toccata_ibcast");

  begin();
  toccata_bcast_init(every, 1, MPI_INT, 0, comm, MPI_INFO_NULL, "binomial", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 7, "toccata_bcast_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_bcast_c(every, 1, MPI_INT, 0, comm, "binomial");
  check(every[0] == 7, "toccata_bcast_c");

  begin();
  toccata_ibcast_c(every, 1, MPI_INT, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(every[0] == 7, "toccata_ibcast_c");

  begin();
  toccata_bcast_init_c(every, 1, MPI_INT, 0, comm, MPI_INFO_NULL, "binomial", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 7, "toccata_bcast_init_c");
  toccata_request_free(&request);
#endif
}

static void gather(void) {
  toccata_request request;

  begin();
  toccata_gather(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial");
  check(rank != 0 || every[last] == 10 * last, "toccata_gather");

  begin();
  toccata_igather(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(rank != 0 || every[last] == 10 * last, "toccata_igather");

  begin();
  toccata_gather_init(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, MPI_INFO_NULL, "binomial",
                      &request);
  toccata_run(&request); /* any number of times */
  check(rank != 0 || every[last] == 10 * last, "toccata_gather_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_gather_c(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial");
  check(rank != 0 || every[last] == 10 * last, "toccata_gather_c");

  begin();
  toccata_igather_c(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(rank != 0 || every[last] == 10 * last, "toccata_igather_c");

  begin();
  toccata_gather_init_c(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, MPI_INFO_NULL, "binomial",
                        &request);
  toccata_run(&request); /* any number of times */
  check(rank != 0 || every[last] == 10 * last, "toccata_gather_init_c");
  toccata_request_free(&request);
#endif
}

static void gatherv(void) {
  toccata_request request;

  begin();
  toccata_gatherv(mine, 1, MPI_INT, every, counts, places, MPI_INT, 0, comm, "linear");
  check(rank != 0 || every[last] == 10 * last, "toccata_gatherv");

  begin();
  toccata_igatherv(mine, 1, MPI_INT, every, counts, places, MPI_INT, 0, comm, "linear", &request);
  toccata_wait(&request);
  check(rank != 0 || every[last] == 10 * last, "toccata_igatherv");

  begin();
  toccata_gatherv_init(mine, 1, MPI_INT, every, counts, places, MPI_INT, 0, comm, MPI_INFO_NULL,
                       "linear", &request);
  toccata_run(&request); /* any number of times */
  check(rank != 0 || every[last] == 10 * last, "toccata_gatherv_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_gatherv_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, 0, comm,
                    "linear");
  check(rank != 0 || every[last] == 10 * last, "toccata_gatherv_c");

  begin();
  toccata_igatherv_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, 0, comm,
                     "linear", &request);
  toccata_wait(&request);
  check(rank != 0 || every[last] == 10 * last, "toccata_igatherv_c");

  begin();
  toccata_gatherv_init_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, 0, comm,
                         MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(rank != 0 || every[last] == 10 * last, "toccata_gatherv_init_c");
  toccata_request_free(&request);
#endif
}

static void scatter(void) {
  toccata_request request;

  begin();
  toccata_scatter(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial");
  check(every[0] == rank, "toccata_scatter");

  begin();
  toccata_iscatter(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(every[0] == rank, "toccata_iscatter");

  begin();
  toccata_scatter_init(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, MPI_INFO_NULL, "binomial",
                       &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == rank, "toccata_scatter_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_scatter_c(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial");
  check(every[0] == rank, "toccata_scatter_c");

  begin();
  toccata_iscatter_c(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(every[0] == rank, "toccata_iscatter_c");

  begin();
  toccata_scatter_init_c(mine, 1, MPI_INT, every, 1, MPI_INT, 0, comm, MPI_INFO_NULL, "binomial",
                         &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == rank, "toccata_scatter_init_c");
  toccata_request_free(&request);
#endif
}

static void scatterv(void) {
  toccata_request request;

  begin();
  toccata_scatterv(mine, counts, places, MPI_INT, every, 1, MPI_INT, 0, comm, "linear");
  check(every[0] == rank, "toccata_scatterv");

  begin();
  toccata_iscatterv(mine, counts, places, MPI_INT, every, 1, MPI_INT, 0, comm, "linear", &request);
  toccata_wait(&request);
  check(every[0] == rank, "toccata_iscatterv");

  begin();
  toccata_scatterv_init(mine, counts, places, MPI_INT, every, 1, MPI_INT, 0, comm, MPI_INFO_NULL,
                        "linear", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == rank, "toccata_scatterv_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_scatterv_c(mine, large_counts, large_places, MPI_INT, every, 1, MPI_INT, 0, comm,
                     "linear");
  check(every[0] == rank, "toccata_scatterv_c");

  begin();
  toccata_iscatterv_c(mine, large_counts, large_places, MPI_INT, every, 1, MPI_INT, 0, comm,
                      "linear", &request);
  toccata_wait(&request);
  check(every[0] == rank, "toccata_iscatterv_c");

  begin();
  toccata_scatterv_init_c(mine, large_counts, large_places, MPI_INT, every, 1, MPI_INT, 0, comm,
                          MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == rank, "toccata_scatterv_init_c");
  toccata_request_free(&request);
#endif
}

static void reduce(void) {
  toccata_request request;

  begin();
  toccata_reduce(mine, every, 1, MPI_INT, MPI_SUM, 0, comm, "binomial");
  check(rank != 0 || every[0] == 10 * sum, "toccata_reduce");

  begin();
  toccata_ireduce(mine, every, 1, MPI_INT, MPI_SUM, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(rank != 0 || every[0] == 10 * sum, "toccata_ireduce");

  begin();
  toccata_reduce_init(mine, every, 1, MPI_INT, MPI_SUM, 0, comm, MPI_INFO_NULL, "binomial",
                      &request);
  toccata_run(&request); /* any number of times */
  check(rank != 0 || every[0] == 10 * sum, "toccata_reduce_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_reduce_c(mine, every, 1, MPI_INT, MPI_SUM, 0, comm, "binomial");
  check(rank != 0 || every[0] == 10 * sum, "toccata_reduce_c");

  begin();
  toccata_ireduce_c(mine, every, 1, MPI_INT, MPI_SUM, 0, comm, "binomial", &request);
  toccata_wait(&request);
  check(rank != 0 || every[0] == 10 * sum, "toccata_ireduce_c");

  begin();
  toccata_reduce_init_c(mine, every, 1, MPI_INT, MPI_SUM, 0, comm, MPI_INFO_NULL, "binomial",
                        &request);
  toccata_run(&request); /* any number of times */
  check(rank != 0 || every[0] == 10 * sum, "toccata_reduce_init_c");
  toccata_request_free(&request);
#endif
}

static void allreduce(void) {
  toccata_request request;

  begin();
  toccata_allreduce(mine, every, 1, MPI_INT, MPI_SUM, comm, "ring");
  check(every[0] == 10 * sum, "toccata_allreduce");

  begin();
  toccata_iallreduce(mine, every, 1, MPI_INT, MPI_SUM, comm, "ring", &request);
  toccata_wait(&request);
  check(every[0] == 10 * sum, "toccata_iallreduce");

  begin();
  toccata_allreduce_init(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "ring", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * sum, "toccata_allreduce_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_allreduce_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "ring");
  check(every[0] == 10 * sum, "toccata_allreduce_c");

  begin();
  toccata_iallreduce_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "ring", &request);
  toccata_wait(&request);
  check(every[0] == 10 * sum, "toccata_iallreduce_c");

  begin();
  toccata_allreduce_init_c(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "ring", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * sum, "toccata_allreduce_init_c");
  toccata_request_free(&request);
#endif
}

static void reduce_scatter_block(void) {
  toccata_request request;

  begin();
  toccata_reduce_scatter_block(mine, every, 1, MPI_INT, MPI_SUM, comm, "pairwise");
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter_block");

  begin();
  toccata_ireduce_scatter_block(mine, every, 1, MPI_INT, MPI_SUM, comm, "pairwise", &request);
  toccata_wait(&request);
  check(every[0] == 10 * sum + p * rank, "toccata_ireduce_scatter_block");

  begin();
  toccata_reduce_scatter_block_init(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                    "pairwise", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter_block_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_reduce_scatter_block_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "pairwise");
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter_block_c");

  begin();
  toccata_ireduce_scatter_block_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "pairwise", &request);
  toccata_wait(&request);
  check(every[0] == 10 * sum + p * rank, "toccata_ireduce_scatter_block_c");

  begin();
  toccata_reduce_scatter_block_init_c(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                      "pairwise", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter_block_init_c");
  toccata_request_free(&request);
#endif
}

static void reduce_scatter(void) {
  toccata_request request;

  begin();
  toccata_reduce_scatter(mine, every, counts, MPI_INT, MPI_SUM, comm, "ring");
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter");

  begin();
  toccata_ireduce_scatter(mine, every, counts, MPI_INT, MPI_SUM, comm, "ring", &request);
  toccata_wait(&request);
  check(every[0] == 10 * sum + p * rank, "toccata_ireduce_scatter");

  begin();
  toccata_reduce_scatter_init(mine, every, counts, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "ring",
                              &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_reduce_scatter_c(mine, every, large_counts, MPI_INT, MPI_SUM, comm, "ring");
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter_c");

  begin();
  toccata_ireduce_scatter_c(mine, every, large_counts, MPI_INT, MPI_SUM, comm, "ring", &request);
  toccata_wait(&request);
  check(every[0] == 10 * sum + p * rank, "toccata_ireduce_scatter_c");

  begin();
  toccata_reduce_scatter_init_c(mine, every, large_counts, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                "ring", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * sum + p * rank, "toccata_reduce_scatter_init_c");
  toccata_request_free(&request);
#endif
}

static void scan(void) {
  toccata_request request;

  begin();
  toccata_scan(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear");
  check(every[0] == 5 * rank * (rank + 1), "toccata_scan");

  begin();
  toccata_iscan(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear", &request);
  toccata_wait(&request);
  check(every[0] == 5 * rank * (rank + 1), "toccata_iscan");

  begin();
  toccata_scan_init(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 5 * rank * (rank + 1), "toccata_scan_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_scan_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear");
  check(every[0] == 5 * rank * (rank + 1), "toccata_scan_c");

  begin();
  toccata_iscan_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear", &request);
  toccata_wait(&request);
  check(every[0] == 5 * rank * (rank + 1), "toccata_iscan_c");

  begin();
  toccata_scan_init_c(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 5 * rank * (rank + 1), "toccata_scan_init_c");
  toccata_request_free(&request);
#endif
}

static void exscan(void) {
  toccata_request request;

  begin();
  toccata_exscan(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear");
  check(rank == 0 || every[0] == 5 * rank * (rank - 1), "toccata_exscan");

  begin();
  toccata_iexscan(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear", &request);
  toccata_wait(&request);
  check(rank == 0 || every[0] == 5 * rank * (rank - 1), "toccata_iexscan");

  begin();
  toccata_exscan_init(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(rank == 0 || every[0] == 5 * rank * (rank - 1), "toccata_exscan_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_exscan_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear");
  check(rank == 0 || every[0] == 5 * rank * (rank - 1), "toccata_exscan_c");

  begin();
  toccata_iexscan_c(mine, every, 1, MPI_INT, MPI_SUM, comm, "linear", &request);
  toccata_wait(&request);
  check(rank == 0 || every[0] == 5 * rank * (rank - 1), "toccata_iexscan_c");

  begin();
  toccata_exscan_init_c(mine, every, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, "linear", &request);
  toccata_run(&request); /* any number of times */
  check(rank == 0 || every[0] == 5 * rank * (rank - 1), "toccata_exscan_init_c");
  toccata_request_free(&request);
#endif
}

static void barrier(void) {
  toccata_request request;

  begin();
  toccata_barrier(comm, "dissemination");
  check(1, "toccata_barrier");

  begin();
  toccata_ibarrier(comm, "dissemination", &request);
  toccata_wait(&request);
  check(1, "toccata_ibarrier");

  begin();
  toccata_barrier_init(comm, MPI_INFO_NULL, "dissemination", &request);
  toccata_run(&request); /* any number of times */
  check(1, "toccata_barrier_init");
  toccata_request_free(&request);
}

static void neighbor_allgather(void) {
  toccata_request request;

  begin();
  toccata_neighbor_allgather(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_allgather");

  begin();
  toccata_ineighbor_allgather(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_allgather");

  begin();
  toccata_neighbor_allgather_init(mine, 1, MPI_INT, every, 1, MPI_INT, ring, MPI_INFO_NULL,
                                  "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_allgather_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_neighbor_allgather_c(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_allgather_c");

  begin();
  toccata_ineighbor_allgather_c(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_allgather_c");

  begin();
  toccata_neighbor_allgather_init_c(mine, 1, MPI_INT, every, 1, MPI_INT, ring, MPI_INFO_NULL,
                                    "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_allgather_init_c");
  toccata_request_free(&request);
#endif
}

static void neighbor_allgatherv(void) {
  toccata_request request;

  begin();
  toccata_neighbor_allgatherv(mine, 1, MPI_INT, every, counts, places, MPI_INT, ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_allgatherv");

  begin();
  toccata_ineighbor_allgatherv(mine, 1, MPI_INT, every, counts, places, MPI_INT, ring, "direct",
                               &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_allgatherv");

  begin();
  toccata_neighbor_allgatherv_init(mine, 1, MPI_INT, every, counts, places, MPI_INT, ring,
                                   MPI_INFO_NULL, "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_allgatherv_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_neighbor_allgatherv_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, ring,
                                "direct");
  check(every[0] == 10 * left, "toccata_neighbor_allgatherv_c");

  begin();
  toccata_ineighbor_allgatherv_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT, ring,
                                 "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_allgatherv_c");

  begin();
  toccata_neighbor_allgatherv_init_c(mine, 1, MPI_INT, every, large_counts, large_places, MPI_INT,
                                     ring, MPI_INFO_NULL, "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_allgatherv_init_c");
  toccata_request_free(&request);
#endif
}

static void neighbor_alltoall(void) {
  toccata_request request;

  begin();
  toccata_neighbor_alltoall(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_alltoall");

  begin();
  toccata_ineighbor_alltoall(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_alltoall");

  begin();
  toccata_neighbor_alltoall_init(mine, 1, MPI_INT, every, 1, MPI_INT, ring, MPI_INFO_NULL, "direct",
                                 &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_alltoall_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_neighbor_alltoall_c(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_alltoall_c");

  begin();
  toccata_ineighbor_alltoall_c(mine, 1, MPI_INT, every, 1, MPI_INT, ring, "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_alltoall_c");

  begin();
  toccata_neighbor_alltoall_init_c(mine, 1, MPI_INT, every, 1, MPI_INT, ring, MPI_INFO_NULL,
                                   "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_alltoall_init_c");
  toccata_request_free(&request);
#endif
}

static void neighbor_alltoallv(void) {
  toccata_request request;

  begin();
  toccata_neighbor_alltoallv(mine, counts, places, MPI_INT, every, counts, places, MPI_INT, ring,
                             "direct");
  check(every[0] == 10 * left, "toccata_neighbor_alltoallv");

  begin();
  toccata_ineighbor_alltoallv(mine, counts, places, MPI_INT, every, counts, places, MPI_INT, ring,
                              "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_alltoallv");

  begin();
  toccata_neighbor_alltoallv_init(mine, counts, places, MPI_INT, every, counts, places, MPI_INT,
                                  ring, MPI_INFO_NULL, "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_alltoallv_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_neighbor_alltoallv_c(mine, large_counts, large_places, MPI_INT, every, large_counts,
                               large_places, MPI_INT, ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_alltoallv_c");

  begin();
  toccata_ineighbor_alltoallv_c(mine, large_counts, large_places, MPI_INT, every, large_counts,
                                large_places, MPI_INT, ring, "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_alltoallv_c");

  begin();
  toccata_neighbor_alltoallv_init_c(mine, large_counts, large_places, MPI_INT, every, large_counts,
                                    large_places, MPI_INT, ring, MPI_INFO_NULL, "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_alltoallv_init_c");
  toccata_request_free(&request);
#endif
}

static void neighbor_alltoallw(void) {
  toccata_request request;

  begin();
  toccata_neighbor_alltoallw(mine, counts, large_bytes, types, every, counts, large_bytes, types,
                             ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_alltoallw");

  begin();
  toccata_ineighbor_alltoallw(mine, counts, large_bytes, types, every, counts, large_bytes, types,
                              ring, "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_alltoallw");

  begin();
  toccata_neighbor_alltoallw_init(mine, counts, large_bytes, types, every, counts, large_bytes,
                                  types, ring, MPI_INFO_NULL, "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_alltoallw_init");
  toccata_request_free(&request);
#if MPI_VERSION >= 4

  begin();
  toccata_neighbor_alltoallw_c(mine, large_counts, large_bytes, types, every, large_counts,
                               large_bytes, types, ring, "direct");
  check(every[0] == 10 * left, "toccata_neighbor_alltoallw_c");

  begin();
  toccata_ineighbor_alltoallw_c(mine, large_counts, large_bytes, types, every, large_counts,
                                large_bytes, types, ring, "direct", &request);
  toccata_wait(&request);
  check(every[0] == 10 * left, "toccata_ineighbor_alltoallw_c");

  begin();
  toccata_neighbor_alltoallw_init_c(mine, large_counts, large_bytes, types, every, large_counts,
                                    large_bytes, types, ring, MPI_INFO_NULL, "direct", &request);
  toccata_run(&request); /* any number of times */
  check(every[0] == 10 * left, "toccata_neighbor_alltoallw_init_c");
  toccata_request_free(&request);
#endif
}

static void start_two(toccata_request requests[2]) {
  begin();
  toccata_iallgather(mine, 1, MPI_INT, every, 1, MPI_INT, comm, "ring", &requests[0]);
  toccata_ibarrier(comm, "dissemination", &requests[1]);
}

static void sparse(void) {
  const int right = (rank + 1) % p, one = 1, zero = 0;
  toccata_messages messages = TOCCATA_MESSAGES_NULL;

  begin();
  toccata_sparse_alltoallv(mine, 1, &right, &one, &zero, MPI_INT, MPI_INT, comm, "nbx", &messages);
  check(messages->count == 1 && messages->list[0].source == left &&
            *(const int*)messages->list[0].data == 10 * left,
        "toccata_sparse_alltoallv");
  toccata_messages_free(&messages);
  check(messages == TOCCATA_MESSAGES_NULL, "toccata_messages_free");
}

static void requests(void) {
  toccata_request request, two[2];
  int flag = 0, index, codes[2];

  begin();
  toccata_allgather_init(mine, 1, MPI_INT, every, 1, MPI_INT, comm, MPI_INFO_NULL, "ring",
                         &request);
  toccata_start(&request);
  while (!flag) toccata_test(&request, &flag); /* with work of your own in between */
  check(every[last] == 10 * last, "toccata_start");
  toccata_request_free(&request);
  check(request == TOCCATA_REQUEST_NULL, "toccata_request_free");

  start_two(two);
  toccata_waitall(2, two);
  check(every[last] == 10 * last, "toccata_waitall");

  start_two(two);
  toccata_waitall_codes(2, two, codes);
  check(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS, "toccata_waitall_codes");

  start_two(two);
  do toccata_testall(2, two, &flag, codes);
  while (!flag);
  check(two[0] == TOCCATA_REQUEST_NULL && every[last] == 10 * last, "toccata_testall");

  start_two(two);
  toccata_waitany(2, two, &index);
  check(two[index] == TOCCATA_REQUEST_NULL, "toccata_waitany");
  do toccata_testany(2, two, &index, &flag);
  while (!flag);
  check(index == 0 || index == 1, "toccata_testany");
  toccata_testany(2, two, &index, &flag);
  check(flag && index == MPI_UNDEFINED, "toccata_testany");
}

static void communicators(void) {
  MPI_Comm reordered;
  MPI_Info info;
  int new_rank;

  toccata_comm_reorder(comm, "ring", MPI_INFO_NULL, &reordered);
  MPI_Comm_rank(reordered, &new_rank); /* rank 0 stays the same */
  check((rank == 0) == (new_rank == 0), "toccata_comm_reorder");
  MPI_Comm_free(&reordered);

  MPI_Info_create(&info);
  MPI_Info_set(info, "toccata_allgather", "bruck<=4K, native");
  begin();
  check(toccata_comm_set_info(comm, info) == MPI_SUCCESS, "toccata_comm_set_info");
  toccata_allgather(mine, 1, MPI_INT, every, 1, MPI_INT, comm, NULL);
  check(every[last] == 10 * last, "toccata_comm_set_info");
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  if (p > most) MPI_Abort(comm, 1);
  last = p - 1;
  left = (rank + last) % p;
  sum = p * last / 2;
  const int right = (rank + 1) % p, weight = 1;
  MPI_Dist_graph_create_adjacent(comm, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0,
                                 &ring);
  for (int i = 0; i < most; ++i) {
    counts[i] = 1;
    places[i] = i;
    bytes[i] = i * (int)sizeof(int);
    large_bytes[i] = bytes[i];
    types[i] = MPI_INT;
#if MPI_VERSION >= 4
    large_counts[i] = 1;
    large_places[i] = i;
#endif
  }
  check(strcmp(toccata_version(), TOCCATA_VERSION) == 0, "toccata_version");

  allgather();
  allgatherv();
  alltoall();
  alltoallv();
  alltoallw();
  bcast();
  gather();
  gatherv();
  scatter();
  scatterv();
  reduce();
  allreduce();
  reduce_scatter_block();
  reduce_scatter();
  scan();
  exscan();
  barrier();
  neighbor_allgather();
  neighbor_allgatherv();
  neighbor_alltoall();
  neighbor_alltoallv();
  neighbor_alltoallw();
  sparse();
  requests();
  communicators();
  MPI_Barrier(comm); /* MPI's own: all ranks have the right results */
  if (rank == 0) printf("toccata %s: every function is right\n", toccata_version());
  MPI_Comm_free(&ring);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
