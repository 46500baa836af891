/* Cartesian grids with reorder = 1, on a simulated machine with
 * TOCCATA_TOPOLOGY=reorder:topologies. Argument: the number of simulated nodes; rank r of the world
 * is on node r modulo this number. Each grid must be as that of MPI with reorder = 0, except for
 * the order of the ranks, and must not have more neighbours on different nodes; with weights, the
 * sum of these. Prints how many grids have fewer. With the second argument "wrong", sets wrong
 * weights; with "setting", leaves them to TOCCATA_TOPOLOGY and prints between_in_first(). */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static int failures, rank, nodes, fewer, is_weighted;
static const int weights[3] = {1, 9, 3};

static void check(int good, const char* what) {
  if (!good) {
    printf("rank %d: %s\n", rank, what);
    ++failures;
  }
}

static void set_weights(MPI_Comm comm, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "toccata_cart_weights", value);
  check(MPI_Comm_set_info(comm, info) == MPI_SUCCESS, "set_info");
  MPI_Info_free(&info);
}

/* Numbers in the world of the ranks of a grid; the number of neighbours on different nodes, or the
 * sum of their weights. */
static int between_nodes(MPI_Comm grid, int ndims, int worlds[]) {
  int sum = 0, all = 0;
  PMPI_Allgather(&rank, 1, MPI_INT, worlds, 1, MPI_INT, grid);
  for (int i = 0; i < ndims; ++i) {
    int from, to;
    MPI_Cart_shift(grid, i, 1, &from, &to);
    if (to != MPI_PROC_NULL && worlds[to] % nodes != rank % nodes)
      sum += is_weighted ? weights[i] : 1;
  }
  PMPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, grid);
  return all;
}

static void same_grid(MPI_Comm ours, MPI_Comm theirs, int ndims) {
  int dims[2][3], periods[2][3], at[2][3], me[2], n[2], from[2], to[2], back;
  MPI_Comm grids[2] = {ours, theirs};
  for (int i = 0; i < 2; ++i) {
    MPI_Cart_get(grids[i], ndims, dims[i], periods[i], at[i]);
    MPI_Comm_size(grids[i], &n[i]);
    MPI_Comm_rank(grids[i], &me[i]);
  }
  check(n[0] == n[1], "size");
  check(memcmp(dims[0], dims[1], sizeof(int) * ndims) == 0, "dims");
  check(memcmp(periods[0], periods[1], sizeof(int) * ndims) == 0, "periods");
  MPI_Cart_rank(ours, at[0], &back);
  check(back == me[0], "cart_rank");
  for (int each = 0; each < n[1]; ++each) {
    MPI_Cart_coords(ours, each, ndims, at[0]);
    MPI_Cart_coords(theirs, each, ndims, at[1]);
    check(memcmp(at[0], at[1], sizeof(int) * ndims) == 0, "cart_coords");
  }
  for (int i = 0; i < ndims; ++i) { /* messages arrive from the neighbours below */
    MPI_Cart_shift(ours, i, 1, &from[0], &to[0]);
    int got = -1;
    MPI_Sendrecv(&me[0], 1, MPI_INT, to[0], i, &got, 1, MPI_INT, from[0], i, ours,
                 MPI_STATUS_IGNORE);
    check(got == (from[0] == MPI_PROC_NULL ? -1 : from[0]), "neighbour");
  }
}

static void grid(MPI_Comm comm, int cells, int ndims, int periodic) {
  int dims[3] = {0, 0, 0}, n, worlds[MOST], seen[MOST] = {0};
  const int periods[3] = {periodic, 1, periodic};
  PMPI_Dims_create(cells, ndims, dims);
  MPI_Comm ours, theirs;
  char value[20];
  if (is_weighted) {
    sprintf(value, "%d,%d,%d", weights[0], weights[1], weights[2]);
    value[2 * ndims - 1] = 0;
    set_weights(comm, value);
  }
  MPI_Comm_size(comm, &n);
  const int code = MPI_Cart_create(comm, ndims, dims, periods, 1, &ours);
  PMPI_Cart_create(comm, ndims, dims, periods, 0, &theirs);
  check(code == MPI_SUCCESS, "code");
  int in = ours != MPI_COMM_NULL, all = 0, after = 0, before = 0;
  PMPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, comm);
  check(all == cells, "number of ranks");
  if (theirs != MPI_COMM_NULL) before = between_nodes(theirs, ndims, worlds);
  if (ours != MPI_COMM_NULL) {
    after = between_nodes(ours, ndims, worlds);
    for (int i = 0; i < cells; ++i) check(seen[worlds[i]]++ == 0, "a rank is in two cells");
  }
  PMPI_Allreduce(MPI_IN_PLACE, &before, 1, MPI_INT, MPI_MAX, comm);
  PMPI_Allreduce(MPI_IN_PLACE, &after, 1, MPI_INT, MPI_MAX, comm);
  check(after <= before, "more neighbours on different nodes");
  fewer += after < before;
  if (cells == n) same_grid(ours, theirs, ndims);
  if (ours != MPI_COMM_NULL) MPI_Comm_free(&ours);
  if (theirs != MPI_COMM_NULL) MPI_Comm_free(&theirs);
}

/* A grid of two dimensions with these weights, unless it is NULL: its number of neighbours on
 * different nodes in the first dimension. */
static int between_in_first(const char* value, int worlds[]) {
  int n, to, from, sum = 0, all = 0, dims[2] = {0, 0};
  const int periods[2] = {0, 0};
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  PMPI_Dims_create(n, 2, dims);
  if (value != NULL) set_weights(MPI_COMM_WORLD, value);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  PMPI_Allgather(&rank, 1, MPI_INT, worlds, 1, MPI_INT, grid);
  MPI_Cart_shift(grid, 0, 1, &from, &to);
  if (to != MPI_PROC_NULL) sum = worlds[to] % nodes != rank % nodes;
  PMPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, grid);
  MPI_Comm_free(&grid);
  return all;
}

/* Wrong weights, and some that differ between ranks, are like none. */
static void wrong_weights(void) {
  int alike[MOST], found[MOST];
  const char* values[] = {"1,x", "1,9,3", rank == 1 ? "9,1" : "1,9", rank == 0 ? "-1,1" : "9,1"};
  between_in_first("1,1", alike);
  for (int i = 0; i < 4; ++i) {
    memcpy(found, alike, sizeof found);
    between_in_first(values[i], found);
    check(memcmp(found, alike, sizeof found) == 0, values[i]);
  }
}

static void grids(MPI_Comm comm) {
  int n;
  MPI_Comm_size(comm, &n);
  for (int cells = n; cells >= 1 && cells >= n - 2; cells -= 2)
    for (int ndims = 1; ndims <= 3; ++ndims)
      for (int periodic = 0; periodic < 2; ++periodic) grid(comm, cells, ndims, periodic);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nodes = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 4 == 3, -rank, &part); /* in reversed order */
  const int by_setting = argc > 2 && strcmp(argv[2], "setting") == 0;
  int worlds[MOST];
  if (by_setting) fewer = between_in_first(NULL, worlds);
  if (argc > 2 && !by_setting) wrong_weights();
  for (is_weighted = 0; argc <= 2 && is_weighted < 2; ++is_weighted) {
    grids(MPI_COMM_WORLD);
    grids(part);
  }
  MPI_Comm_free(&part);
  check(between_in_first("9,1", worlds) < between_in_first("1,9", worlds), "heavy dimension");
  int none[1] = {0}, too_many[1] = {MOST}, yes[1] = {1};
  MPI_Comm made;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Cart_create(MPI_COMM_WORLD, 1, too_many, yes, 1, &made) != MPI_SUCCESS,
        "too many cells");
  check((MPI_Cart_create(MPI_COMM_WORLD, 1, none, yes, 1, &made) != MPI_SUCCESS) ==
            (PMPI_Cart_create(MPI_COMM_WORLD, 1, none, yes, 0, &made) != MPI_SUCCESS),
        "no cells");
  int all;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %d\n", all == 0 ? "right" : "wrong", fewer);
  MPI_Finalize();
  return all != 0;
}
