/* Calls a collective, with the ranks as roots in turn, and prints how many bytes and packets the
 * interface eth0 of each host has sent meanwhile. Arguments: collective, bytes of a block or of the
 * message, calls. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int p, rank, size;
static char *out, *in;
static int *counts, *sizes, *places;

static void call(const char* collective, int root) {
  if (strcmp(collective, "bcast") == 0) MPI_Bcast(in, size, MPI_BYTE, root, MPI_COMM_WORLD);
  if (strcmp(collective, "reduce") == 0)
    MPI_Reduce(out, in, size / 4, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (strcmp(collective, "allreduce") == 0)
    MPI_Allreduce(out, in, size / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(collective, "reduce_scatter") == 0)
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(collective, "reduce_scatter_block") == 0)
    MPI_Reduce_scatter_block(out, in, size / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(collective, "allgatherv") == 0)
    MPI_Allgatherv(out, size, MPI_BYTE, in, sizes, places, MPI_BYTE, MPI_COMM_WORLD);
  if (strcmp(collective, "allgather") == 0)
    MPI_Allgather(out, size, MPI_BYTE, in, size, MPI_BYTE, MPI_COMM_WORLD);
  if (strcmp(collective, "alltoall") == 0)
    MPI_Alltoall(out, size, MPI_BYTE, in, size, MPI_BYTE, MPI_COMM_WORLD);
  if (strcmp(collective, "gather") == 0)
    MPI_Gather(out, size, MPI_BYTE, in, size, MPI_BYTE, root, MPI_COMM_WORLD);
  if (strcmp(collective, "scatter") == 0)
    MPI_Scatter(out, size, MPI_BYTE, in, size, MPI_BYTE, root, MPI_COMM_WORLD);
}

/* Bytes and packets that eth0 has sent, after all ranks are here and the last acknowledgements have
 * left. */
static void read_counters(long long sent[2]) {
  char line[512];
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(200000);
  FILE* const file = fopen("/proc/self/net/dev", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    sscanf(line, " eth0: %*d %*d %*d %*d %*d %*d %*d %*d %lld %lld", &sent[0], &sent[1]);
  if (file != NULL) fclose(file);
  usleep(200000);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  size = atoi(argv[2]);
  const int calls = atoi(argv[3]);
  out = calloc(p, size);
  in = calloc(p, size);
  counts = calloc(p, sizeof *counts);
  sizes = calloc(p, sizeof *sizes);
  places = calloc(p, sizeof *places);
  for (int i = 0; i < p; ++i) counts[i] = size / 4, sizes[i] = size, places[i] = i * size;
  for (int i = 0; i < p; ++i) call(argv[1], i);
  long long before[2] = {0, 0}, after[2] = {0, 0};
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  read_counters(before);
  for (int i = 0; i < calls; ++i) call(argv[1], i % p);
  read_counters(after);
  printf("%d %s %lld %lld\n", rank, host, after[0] - before[0], after[1] - before[1]);
  MPI_Finalize();
  return 0;
}
