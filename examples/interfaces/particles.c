/* Particles move, and those that leave a rank's part of the ring go to the rank of their new place.
 * A rank does not know which ranks send to it; toccata_sparse_alltoallv determines this.
 *
 *   mpiexec -n 4 build/release/examples/openmpi/particles
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toccata/toccata.h>

enum { per_rank = 1000, steps = 20 };

typedef struct {
  int owner; /* the rank of its place */
  int id;
} particle;

static int by_owner(const void* a, const void* b) {
  const particle *left = a, *right = b;
  return (left->owner > right->owner) - (left->owner < right->owner);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  int me, p;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &p);
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);

  int mine = per_rank, i, step;
  particle* particles = malloc(sizeof(particle) * per_rank * p); /* space for all particles */
  int* to = malloc(sizeof(int) * p);
  int* counts = malloc(sizeof(int) * p);
  int* places = malloc(sizeof(int) * p);
  for (i = 0; i < mine; ++i) particles[i] = (particle){me, me * per_rank + i};

  toccata_messages arrived = TOCCATA_MESSAGES_NULL;
  for (step = 0; step < steps; ++step) {
    /* One of a hundred particles jumps to one of a few ranks. */
    for (i = 0; i < mine; ++i)
      if ((particles[i].id + step) % 100 == 0)
        particles[i].owner = (me + 1 + particles[i].id / 100 % 3) % p;
    qsort(particles, mine, sizeof(particle), by_owner);
    int destinations = 0;
    for (i = 0; i < mine; ++i) {
      if (destinations == 0 || to[destinations - 1] != particles[i].owner) {
        to[destinations] = particles[i].owner;
        counts[destinations] = 0;
        places[destinations++] = i;
      }
      ++counts[destinations - 1];
    }
    toccata_sparse_alltoallv(particles, destinations, to, counts, places, type, type, comm, NULL,
                             &arrived);
    mine = 0; /* particles that stay are a message to this rank itself */
    for (i = 0; i < arrived->count; ++i) {
      memcpy(particles + mine, arrived->list[i].data, sizeof(particle) * arrived->list[i].count);
      mine += arrived->list[i].count;
    }
  }

  /* Each particle is still there once, on the rank of its place. */
  long long sums[3] = {mine, 0, 0}, all[3];
  for (i = 0; i < mine; ++i) {
    sums[1] += particles[i].id;
    sums[2] += particles[i].owner != me;
  }
  MPI_Reduce(sums, all, 3, MPI_LONG_LONG, MPI_SUM, 0, comm);
  const long long particles_of_all = (long long)per_rank * p;
  if (me == 0)
    printf("%lld particles on %d ranks, %s\n", all[0], p,
           all[0] == particles_of_all && all[1] == particles_of_all * (particles_of_all - 1) / 2 &&
                   all[2] == 0
               ? "right"
               : "wrong");

  toccata_messages_free(&arrived);
  MPI_Type_free(&type);
  free(particles);
  free(to);
  free(counts);
  free(places);
  MPI_Finalize();
  return 0;
}
