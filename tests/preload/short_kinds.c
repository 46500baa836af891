/* Short calls of several kinds, which alternate or change their arguments. Prints the most
   allocations in 1000 calls of one kind, which is small if the library keeps their form
   (mpi/call/shortcuts.h), and "right" if all results are right. */
#include <mpi.h>

#include <stdio.h>

extern int allocations(void);

enum { most_ranks = 8, calls = 1400 };
static int rank, p, wrong;

static void expect(int value, int right) { wrong += value != right; }

static void alternating_operations(int i) {
  const MPI_Op operations[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BOR};
  const int results[] = {p * i + p * (p - 1) / 2, i + p - 1, i};
  int mine = i + rank, got = -1;
  MPI_Allreduce(&mine, &got, 1, MPI_INT, operations[i % 4], MPI_COMM_WORLD);
  if (i % 4 < 3) expect(got, results[i % 4]);
}

static void alternating_datatypes(int i) {
  float single = (float)rank, least = -1;
  double wide = rank, most = -1;
  short low = (short)rank, lowest = -1;
  long mine = i, sum = -1;
  switch (i % 4) {
    case 0:
      MPI_Allreduce(&single, &least, 1, MPI_FLOAT, MPI_MIN, MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Allreduce(&wide, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Allreduce(&low, &lowest, 1, MPI_SHORT, MPI_BOR, MPI_COMM_WORLD);
      break;
    case 3:
      MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      break;
  }
  if (i % 4 == 0) expect((int)least, 0);
  if (i % 4 == 1) expect((int)most, p - 1);
  if (i % 4 == 3) expect((int)sum, p * i);
}

/* The same arrays, whose contents change: the number of blocks per rank, or their order. */
static void gathered_arrays(int i) {
  static int counts[most_ranks], places[most_ranks];
  const int kind = i / 100 % 3;
  int mine[2], got[2 * most_ranks], total = 0;
  for (int r = 0; r < p; ++r) {
    counts[r] = kind == 0 ? 1 : 1 + r % 2;
    total += counts[r];
  }
  for (int r = 0, place = 0; r < p; ++r) {
    places[r] = kind == 2 ? total - place - counts[r] : place;
    place += counts[r];
  }
  for (int k = 0; k < 2; ++k) mine[k] = 100 * i + 10 * rank + k;
  MPI_Allgatherv(mine, counts[rank], MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < p; ++r)
    for (int k = 0; k < counts[r]; ++k) expect(got[places[r] + k], 100 * i + 10 * r + k);
}

static void scattered_sums(int i) {
  static int counts[most_ranks];
  int mine[2 * most_ranks], got[2] = {-1, -1}, first = 0;
  for (int r = 0; r < p; ++r) counts[r] = i / 100 % 2 == 0 ? 1 : 1 + r % 2;
  for (int k = 0; k < 2 * most_ranks; ++k) mine[k] = i + k;
  for (int r = 0; r < rank; ++r) first += counts[r];
  MPI_Reduce_scatter(mine, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < counts[rank]; ++k) expect(got[k], p * (i + first + k));
}

static MPI_Datatype new_type = MPI_DATATYPE_NULL, one_type = MPI_DATATYPE_NULL;

/* Every other datatype has gaps. MPI may give a new datatype the handle of a freed one. */
static void new_datatypes(int i) {
  const int stride = 1 + i / 50 % 2;
  if (i % 50 == 0) {
    if (new_type != MPI_DATATYPE_NULL) MPI_Type_free(&new_type);
    MPI_Type_vector(2, 1, stride, MPI_INT, &new_type);
    MPI_Type_commit(&new_type);
  }
  int data[3] = {-1, -1, -1};
  if (rank == i % p) data[0] = i, data[stride] = -i;
  MPI_Bcast(data, 1, new_type, i % p, MPI_COMM_WORLD);
  expect(data[0], i);
  expect(data[stride], -i);
  expect(data[3 - stride], -1);
}

static void one_datatype(int i) {
  if (one_type == MPI_DATATYPE_NULL) {
    MPI_Type_contiguous(2, MPI_INT, &one_type);
    MPI_Type_commit(&one_type);
  }
  int data[2] = {-1, -1};
  if (rank == i % p) data[0] = i, data[1] = -i;
  MPI_Bcast(data, 1, one_type, i % p, MPI_COMM_WORLD);
  expect(data[0], i);
  expect(data[1], -i);
}

/* Blocks with a gap between them or in them, on one side or on both. */
static void blocks_with_gaps(int i) {
  static MPI_Datatype spread = MPI_DATATYPE_NULL;
  if (i == 0) {
    MPI_Datatype pair;
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 4 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    MPI_Type_free(&pair);
  }
  int mine[4 * most_ranks], got[4 * most_ranks];
  const int root = i / 5 % p;
  for (int k = 0; k < 4 * most_ranks; ++k) mine[k] = 1000 * i + 100 * rank + k, got[k] = -1;
  switch (i % 5) {
    case 0:
      MPI_Allgather(mine, 1, spread, got, 2, MPI_INT, MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Allgather(mine, 2, MPI_INT, got, 1, spread, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Alltoall(mine, 1, spread, got, 1, spread, MPI_COMM_WORLD);
      break;
    case 3:
      MPI_Gather(mine, 1, spread, got, 1, spread, root, MPI_COMM_WORLD);
      break;
    case 4:
      MPI_Scatter(mine, 1, spread, got, 1, spread, root, MPI_COMM_WORLD);
      break;
  }
  const int blocks = i % 5 == 4 ? 1 : i % 5 == 3 && rank != root ? 0 : p;
  for (int k = 0; k < 4 * blocks; ++k) {
    const int r = i % 5 == 4 ? root : i % 5 == 0 ? k / 2 : k / 4;
    if (i % 5 == 0 && k >= 2 * p) break;
    const int place = i % 5 == 0   ? k % 2 * 2
                      : i % 5 == 1 ? k % 4 / 2
                      : i % 5 == 2 ? 4 * rank + k % 4
                      : i % 5 == 3 ? k % 4
                                   : 4 * rank + k;
    const int is_gap = i % 5 != 0 && k % 2 == 1;
    expect(got[k], is_gap ? -1 : 1000 * i + 100 * r + place);
  }
  if (i == calls - 1) MPI_Type_free(&spread);
}

/* Columns of a mesh that ends: the blocks of neighbors that do not exist keep their values. */
static void columns_of_a_mesh(int i) {
  static MPI_Datatype column = MPI_DATATYPE_NULL;
  static MPI_Comm line = MPI_COMM_NULL;
  if (i == 0) {
    const int ends = 0;
    MPI_Datatype elements;
    MPI_Type_vector(2, 1, 2, MPI_INT, &elements);
    MPI_Type_create_resized(elements, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&elements);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &ends, 0, &line);
  }
  int mine[4], got[4];
  for (int k = 0; k < 4; ++k) mine[k] = 100 * i + 10 * rank + k, got[k] = -i;
  if (i % 2 == 0)
    MPI_Neighbor_alltoall(mine, 1, column, got, 1, column, line);
  else
    MPI_Neighbor_allgather(mine, 1, column, got, 1, column, line);
  for (int k = 0; k < 4; ++k) {
    const int from = k % 2 == 0 ? rank - 1 : rank + 1;
    const int sent = i % 2 == 0 ? k + (k % 2 == 0 ? 1 : -1) : k / 2 * 2;
    expect(got[k], from < 0 || from == p ? -i : 100 * i + 10 * from + sent);
  }
  if (i < calls - 1) return;
  MPI_Type_free(&column);
  MPI_Comm_free(&line);
}

static int in_many(void (*call)(int)) {
  int before = 0;
  for (int i = 0; i < calls; ++i) {
    if (i == 400) before = allocations();
    call(i);
  }
  return allocations() - before;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  void (*const kinds[])(int) = {alternating_operations, alternating_datatypes, gathered_arrays,
                                scattered_sums, one_datatype};
  int most = 0;
  for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); ++i) {
    const int made = in_many(kinds[i]);
    if (made > most) most = made;
  }
  in_many(new_datatypes);
  in_many(blocks_with_gaps);
  in_many(columns_of_a_mesh);
  MPI_Type_free(&new_type);
  MPI_Type_free(&one_type);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %s\n", most, wrong == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
