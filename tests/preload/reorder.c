/* Collectives and topologies of a program that does not use Toccata, on a simulated machine with
 * reorder: in TOCCATA_TOPOLOGY. The results must be those of MPI. With the
 * argument "moved", topologies must have another order of ranks. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, rank, p;

static void check(int good, const char* what) {
  if (!good) {
    printf("rank %d: %s\n", rank, what);
    ++failures;
  }
}

static void collectives(MPI_Comm comm) {
  int me, n;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  for (int count = 1; count <= 3000; count = count * 7 + 2) {
    int *mine = malloc(sizeof(int) * count * n), *all = malloc(sizeof(int) * count * n);
    int* expected = malloc(sizeof(int) * count * n);
    for (int i = 0; i < count * n; ++i) mine[i] = 1000 * me + i;
    for (int in_place = 0; in_place < 2; ++in_place) {
      memcpy(all + count * me, mine, sizeof(int) * count);
      MPI_Allgather(in_place ? MPI_IN_PLACE : mine, count, MPI_INT, all, count, MPI_INT, comm);
      PMPI_Allgather(mine, count, MPI_INT, expected, count, MPI_INT, comm);
      check(memcmp(all, expected, sizeof(int) * count * n) == 0, "allgather");
    }
    MPI_Alltoall(mine, count, MPI_INT, all, count, MPI_INT, comm);
    PMPI_Alltoall(mine, count, MPI_INT, expected, count, MPI_INT, comm);
    check(memcmp(all, expected, sizeof(int) * count * n) == 0, "alltoall");
    MPI_Allreduce(mine, all, count, MPI_INT, MPI_SUM, comm);
    PMPI_Allreduce(mine, expected, count, MPI_INT, MPI_SUM, comm);
    check(memcmp(all, expected, sizeof(int) * count) == 0, "allreduce");
    for (int root = 0; root < n; ++root) {
      memset(all, 0, sizeof(int) * count * n);
      memset(expected, 0, sizeof(int) * count * n);
      MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, root, comm);
      PMPI_Gather(mine, count, MPI_INT, expected, count, MPI_INT, root, comm);
      check(memcmp(all, expected, sizeof(int) * count * n) == 0, "gather");
      MPI_Scatter(mine, count, MPI_INT, all, count, MPI_INT, root, comm);
      PMPI_Scatter(mine, count, MPI_INT, expected, count, MPI_INT, root, comm);
      check(memcmp(all, expected, sizeof(int) * count) == 0, "scatter");
      for (int i = 0; i < count; ++i) all[i] = me == root ? 17 * i + root : -1;
      MPI_Bcast(all, count, MPI_INT, root, comm);
      for (int i = 0; i < count; ++i) check(all[i] == 17 * i + root, "bcast");
      MPI_Reduce(mine, all, count, MPI_INT, MPI_SUM, root, comm);
      PMPI_Reduce(mine, expected, count, MPI_INT, MPI_SUM, root, comm);
      check(me != root || memcmp(all, expected, sizeof(int) * count) == 0, "reduce");
    }
    free(mine), free(all), free(expected);
  }
}

/* The numbers in the world of the ranks of `made`, in order; returns whether they differ from 0 1 2
 * ... */
static int is_moved(MPI_Comm made) {
  int *worlds = malloc(sizeof(int) * p), moved = 0;
  PMPI_Allgather(&rank, 1, MPI_INT, worlds, 1, MPI_INT, made);
  for (int i = 0; i < p; ++i) moved |= worlds[i] != i;
  free(worlds);
  return moved;
}

/* A ring, created by each of the four functions. The neighbours are those of the new rank. */
static void topologies(int moved) {
  const int yes = 1;
  for (int reorder = 0; reorder < 2; ++reorder) {
    MPI_Comm made;
    int me, left, right;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &yes, reorder, &made);
    MPI_Comm_rank(made, &me);
    MPI_Cart_shift(made, 0, 1, &left, &right);
    check(left == (me + p - 1) % p && right == (me + 1) % p, "cart_shift");
    check(is_moved(made) == (moved && reorder), "cart_create moved ranks, or did not");
    collectives(made);
    MPI_Comm_free(&made);

    int *index = malloc(sizeof(int) * p), *edges = malloc(sizeof(int) * 2 * p);
    for (int i = 0; i < p; ++i) {
      index[i] = 2 * (i + 1);
      edges[2 * i] = (i + p - 1) % p, edges[2 * i + 1] = (i + 1) % p;
    }
    MPI_Graph_create(MPI_COMM_WORLD, p, index, edges, reorder, &made);
    MPI_Comm_rank(made, &me);
    int beside[2];
    MPI_Graph_neighbors(made, me, 2, beside);
    check(beside[0] == (me + p - 1) % p && beside[1] == (me + 1) % p, "graph_neighbors");
    check(is_moved(made) == (moved && reorder), "graph_create moved ranks, or did not");
    MPI_Comm_free(&made);

    for (int weighted = 0; weighted < 2; ++weighted) {
      const int weights[2] = {3 + rank, 5 + rank};
      int from[2], to[2], from_weights[2], to_weights[2];
      MPI_Dist_graph_create_adjacent(
          MPI_COMM_WORLD, 2, edges + 2 * rank, weighted ? weights : MPI_UNWEIGHTED, 2,
          edges + 2 * rank, weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &made);
      MPI_Comm_rank(made, &me);
      MPI_Dist_graph_neighbors(made, 2, from, weighted ? from_weights : MPI_UNWEIGHTED, 2, to,
                               weighted ? to_weights : MPI_UNWEIGHTED);
      check(from[0] == (me + p - 1) % p && from[1] == (me + 1) % p && to[0] == from[0],
            "dist_graph_neighbors");
      check(!weighted || (from_weights[0] == 3 + me && to_weights[1] == 5 + me), "weights");
      check(is_moved(made) == (moved && reorder), "adjacent moved ranks, or did not");
      MPI_Comm_free(&made);
    }
    const int degree = 2;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, edges + 2 * rank, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, reorder, &made);
    MPI_Comm_rank(made, &me);
    int incoming, outgoing, weighted;
    MPI_Dist_graph_neighbors_count(made, &incoming, &outgoing, &weighted);
    check(incoming == 2 && outgoing == 2, "dist_graph_neighbors_count");
    check(is_moved(made) == (moved && reorder), "dist_graph_create moved ranks, or did not");
    MPI_Comm_free(&made);
    free(index), free(edges);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  collectives(MPI_COMM_WORLD);
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0, -rank, &part); /* scattered, reversed order */
  collectives(part);
  MPI_Comm_free(&part);
  if (p > 3) topologies(argc > 1 && strcmp(argv[1], "moved") == 0);
  int all;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("all right\n");
  MPI_Finalize();
  return all != 0;
}
