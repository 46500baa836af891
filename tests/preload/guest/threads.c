/* Several threads, each with its own communicators, start their first collectives at the same time.
 * If MPI does not provide MPI_THREAD_MULTIPLE, one thread makes all calls. */
#include <pthread.h>

#include "guest.h"

enum { threads = 4, communicators = 5 };
static MPI_Comm comms[threads][communicators];
static int found[threads];
static pthread_barrier_t together;

static void* use(void* number) {
  const int me = (int)(size_t)number;
  pthread_barrier_wait(&together);
  for (int i = 0; i < communicators; ++i)
    for (int root = 0; root < p; ++root)
      found[me] += every_collective(comms[me][i], 1 + (me + i) % 4, root);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t running[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int multiple = provided == MPI_THREAD_MULTIPLE;
  for (int t = 0; t < threads; ++t)
    for (int i = 0; i < communicators; ++i)
      MPI_Comm_split(MPI_COMM_WORLD, 0, t % 2 ? rank : -rank, &comms[t][i]);
  pthread_barrier_init(&together, NULL, multiple ? threads : 1);
  for (int t = 0; t < threads; ++t) {
    if (multiple)
      pthread_create(&running[t], NULL, use, (void*)(size_t)t);
    else
      use((void*)(size_t)t);
  }
  for (int t = 0; t < threads; ++t) {
    if (multiple) pthread_join(running[t], NULL);
    faults += found[t];
    for (int i = 0; i < communicators; ++i) MPI_Comm_free(&comms[t][i]);
  }
  if (rank == 0) puts(multiple ? "multiple" : "single");
  finish();
  return 0;
}
