// Conjugate gradients on an unstructured mesh: random points in a square, connected where they are
// near. The points are divided between the ranks by recursive bisection, and each step exchanges
// the values at the borders. This halo can travel in three ways:
//
//   messages      MPI_Isend and MPI_Irecv, as in most programs
//   neighborhood  MPI_Neighbor_alltoallv, on a communicator with the edges between the ranks
//   persistent    MPI_Neighbor_alltoallv_init and MPI_Start, from MPI 4 on
//
// The arguments of the last two are the lists that the first one needs anyway (see make_halo). Does
// not use Toccata (docs/neighbours.md).
//
//   mpirun -n 4 mesh [WAY [POINTS [STEPS]]]

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, p, points;
static double (*at)[2];  // the coordinates of all points
static int* owner;       // by point

// Divides points order[0] ... order[count - 1] between `parts` ranks from `first` on.
static int axis;
static int by_axis(const void* a, const void* b) {
  const double x = at[*(const int*)a][axis], y = at[*(const int*)b][axis];
  return (x > y) - (x < y);
}
static void bisect(int* order, int count, int first, int parts) {
  if (parts == 1) {
    for (int i = 0; i < count; ++i) owner[order[i]] = first;
    return;
  }
  double low[2] = {1, 1}, high[2] = {0, 0};
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < 2; ++j) {
      low[j] = fmin(low[j], at[order[i]][j]);
      high[j] = fmax(high[j], at[order[i]][j]);
    }
  axis = high[1] - low[1] > high[0] - low[0];
  qsort(order, (size_t)count, sizeof(int), by_axis);
  const int left = (int)((long)count * (parts / 2) / parts);
  bisect(order, left, first, parts / 2);
  bisect(order + left, count - left, first + parts / 2, parts - parts / 2);
}

// This rank's points are numbered 0 ... mine - 1, and the points of others that it needs from mine
// on, neighbour after neighbour. Point i is near the points near[begin[i]] ... near[begin[i + 1] -
// 1].
static int mine, ghosts, *begin, *near;

// The halo. Neighbour i gets the values of send_counts[i] points from chosen[send_places[i]] on;
// its recv_counts[i] values arrive behind our own, from recv_places[i] on.
static int degree, *peers, *send_counts, *send_places, *recv_counts, *recv_places, *chosen;
static double* border;  // the values of the chosen points

static int is_near(int i, int j, double radius) {
  return i != j && hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]) <= radius;
}

static int* integers(int count) { return calloc((size_t)count + 1, sizeof(int)); }

// Being near is mutual: a rank needs the values of a point if the point's rank needs one of its
// own.
static void make_mesh(double radius) {
  int *number = integers(points), room = 16, entries = 0;
  for (int i = 0; i < points; ++i)
    if (owner[i] == rank) number[i] = mine++;
  begin = integers(mine);
  near = integers(room);
  char* touches = calloc((size_t)points * (size_t)p, 1);  // whether a point is near one of a rank
  for (int i = 0; i < points; ++i) {
    for (int j = 0; j < points && owner[i] == rank; ++j)
      if (is_near(i, j, radius)) {
        if (entries == room) near = realloc(near, sizeof(int) * (size_t)(room *= 2));
        near[entries++] = j;
        touches[i * p + owner[j]] = touches[j * p + rank] = 1;
      }
    if (owner[i] == rank) begin[number[i] + 1] = entries;
  }

  int sent = 0;
  peers = integers(p), chosen = integers(mine * p);
  send_counts = integers(p), send_places = integers(p);
  recv_counts = integers(p), recv_places = integers(p);
  for (int other = 0; other < p; ++other) {
    const int first_sent = sent, first_ghost = ghosts;
    for (int i = 0; i < points && other != rank; ++i) {
      if (owner[i] == rank && touches[i * p + other]) chosen[sent++] = number[i];
      if (owner[i] == other && touches[i * p + rank]) number[i] = mine + ghosts++;
    }
    if (sent == first_sent) continue;
    peers[degree] = other;
    send_places[degree] = first_sent, send_counts[degree] = sent - first_sent;
    recv_places[degree] = first_ghost, recv_counts[degree] = ghosts - first_ghost;
    ++degree;
  }
  for (int i = 0; i < entries; ++i) near[i] = number[near[i]];
  border = calloc((size_t)sent + 1, sizeof(double));
  free(number);
  free(touches);
}

static enum { messages, neighborhood, persistent } way;
static MPI_Comm graph = MPI_COMM_NULL;
static MPI_Request *requests, request = MPI_REQUEST_NULL;
static double in_halo;  // seconds

// A halo is an all-to-all between neighbours. What a program has for its messages is all it needs.
static void make_halo(double* x) {
  requests = malloc(sizeof(MPI_Request) * (size_t)(2 * degree + 1));
  if (way == messages) return;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, peers, MPI_UNWEIGHTED, degree, peers,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
#if MPI_VERSION >= 4
  if (way == persistent)
    MPI_Neighbor_alltoallv_init(border, send_counts, send_places, MPI_DOUBLE, x + mine, recv_counts,
                                recv_places, MPI_DOUBLE, graph, MPI_INFO_NULL, &request);
#endif
  (void)x;
}

static void exchange_halo(double* x) {
  const double started = MPI_Wtime();
  const int sent = degree == 0 ? 0 : send_places[degree - 1] + send_counts[degree - 1];
  for (int i = 0; i < sent; ++i) border[i] = x[chosen[i]];
  if (way == messages) {
    for (int i = 0; i < degree; ++i)
      MPI_Irecv(x + mine + recv_places[i], recv_counts[i], MPI_DOUBLE, peers[i], 0, MPI_COMM_WORLD,
                &requests[i]);
    for (int i = 0; i < degree; ++i)
      MPI_Isend(border + send_places[i], send_counts[i], MPI_DOUBLE, peers[i], 0, MPI_COMM_WORLD,
                &requests[degree + i]);
    MPI_Waitall(2 * degree, requests, MPI_STATUSES_IGNORE);
  } else if (way == neighborhood) {
    MPI_Neighbor_alltoallv(border, send_counts, send_places, MPI_DOUBLE, x + mine, recv_counts,
                           recv_places, MPI_DOUBLE, graph);
  } else {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  in_halo += MPI_Wtime() - started;
}

static double dot(const double* a, const double* b) {
  double part = 0, sum;
  for (int i = 0; i < mine; ++i) part += a[i] * b[i];
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// y = A x: each point has a small part of its value, and the differences from those near it.
static void apply(double* x, double* y) {
  exchange_halo(x);
  for (int i = 0; i < mine; ++i) {
    y[i] = 0.01 * x[i];
    for (int j = begin[i]; j < begin[i + 1]; ++j) y[i] += x[i] - x[near[j]];
  }
}

static int read_way(const char* name) {
  const char* const names[] = {"messages", "neighborhood", "persistent"};
  for (int i = 0; i < (MPI_VERSION >= 4 ? 3 : 2); ++i)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int asked = argc > 1 ? read_way(argv[1]) : neighborhood;
  points = argc > 2 ? atoi(argv[2]) : 2000;
  const int steps = argc > 3 ? atoi(argv[3]) : 2000;
  if (asked < 0 || points < p || steps < 1) {
    if (rank == 0)
      fprintf(stderr,
              "mesh: WAY is messages, neighborhood or, under MPI 4, persistent; "
              "POINTS at least the number of ranks\n");
    MPI_Finalize();
    return 2;
  }
  way = asked;

  at = malloc(sizeof *at * (size_t)points);
  owner = integers(points);
  int* order = integers(points);
  srand(1);
  for (int i = 0; i < points; ++i) {
    order[i] = i;
    for (int j = 0; j < 2; ++j) at[i][j] = rand() / (RAND_MAX + 1.0);
  }
  bisect(order, points, 0, p);
  make_mesh(sqrt(3.0 / points));  // a point has about nine others near it

  // The exact solution is i % 10 at our i-th point.
  const size_t all = (size_t)(mine + ghosts) + 1;
  double *u = calloc(all, sizeof(double)), *residual = calloc(all, sizeof(double));
  double *product = calloc(all, sizeof(double)), *direction = calloc(all, sizeof(double));
  make_halo(direction);
  for (int i = 0; i < mine; ++i) direction[i] = i % 10;
  apply(direction, residual);
  memcpy(direction, residual, sizeof(double) * (size_t)mine);
  in_halo = 0;

  MPI_Barrier(MPI_COMM_WORLD);
  const double started = MPI_Wtime(), first = dot(residual, residual);
  double square = first;
  int done = 0;
  for (; done < steps && square > 1e-24 * first; ++done) {
    apply(direction, product);
    const double alpha = square / dot(direction, product);
    for (int i = 0; i < mine; ++i) {
      u[i] += alpha * direction[i];
      residual[i] -= alpha * product[i];
    }
    const double next = dot(residual, residual);
    for (int i = 0; i < mine; ++i) direction[i] = residual[i] + next / square * direction[i];
    square = next;
  }
  double seconds[] = {MPI_Wtime() - started, in_halo}, error = 0, checksum = 0, worst, sum;
  for (int i = 0; i < mine; ++i) error = fmax(error, fabs(u[i] - i % 10)), checksum += u[i];
  MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&checksum, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const int right = argc > 3 || worst < 1e-6;
  if (rank == 0)
    printf(
        "mesh: %d ranks, %d points, %d steps: %.3f s, of which %.3f s in halos; "
        "checksum %.17g, %s\n",
        p, points, done, seconds[0], seconds[1], sum, right ? "right" : "WRONG");

  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  if (graph != MPI_COMM_NULL) MPI_Comm_free(&graph);
  void* const memory[] = {at,          owner,       order,       begin,       near,     peers,
                          send_counts, send_places, recv_counts, recv_places, chosen,   border,
                          requests,    u,           residual,    product,     direction};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) free(memory[i]);
  MPI_Finalize();
  return rank == 0 && !right;
}
