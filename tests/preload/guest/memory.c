/* memory large|kept|unasked N: the memory of N communicators that exist at the same time. Per
 * communicator, it prints the bytes given out by malloc, and the bytes of the process. On each
 * communicator, the program calls one large allreduce, every collective, or one small allreduce. */
#include <string.h>
#include <unistd.h>

#include "guest.h"

static long resident(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static double *from, *into;
enum { large = 510000 };

static void use(const char* how, MPI_Comm comm) {
  int one = 1, sum = 0;
  if (strcmp(how, "kept") == 0) {
    faults += every_collective(comm, 4, 0);
  } else if (strcmp(how, "large") == 0) {
    MPI_Allreduce(from, into, large, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < large; i += 1000) faults += into[i] != (double)p * i;
  } else {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    faults += sum != p;
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const char* how = argv[1];
  const int count = atoi(argv[2]);
  MPI_Comm* comms = malloc(sizeof(MPI_Comm) * count);
  from = malloc(sizeof(double) * large);
  into = malloc(sizeof(double) * large);
  for (int i = 0; i < large; ++i) {
    from[i] = i;
    into[i] = 0;
  }
  /* Memory that the process allocates only once does not count. */
  for (int i = 0; i < 10; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    use(how, comm);
    MPI_Comm_free(&comm);
  }
  const long given = memory_in_use(), held = resident();
  for (int i = 0; i < count; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comms[i]);
    use(how, comms[i]);
  }
  if (rank == 0)
    printf("%ld %ld\n", (memory_in_use() - given) / count, (resident() - held) / count);
  /* The last ones are freed first, so that the time to free does not depend on the order. */
  for (int i = count; i-- > 0;) MPI_Comm_free(&comms[i]);
  free(comms);
  free(from);
  free(into);
  finish();
  return 0;
}
