/* MPI_Dist_graph_create after collectives, with and without reordering. */
#include "guest.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < 10; ++i) {
    MPI_Comm comm, graph;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    faults += every_collective(comm, 3, i);
    const int degree = 1, next = (rank + 1) % p, weight = 1;
    MPI_Dist_graph_create(comm, 1, &rank, &degree, &next, &weight, MPI_INFO_NULL, i % 2, &graph);
    faults += every_collective(graph, 3, i);
    MPI_Comm_free(&comm);
    faults += every_collective(graph, 3, i + 1);
    MPI_Comm_free(&graph);
  }
  finish();
  return 0;
}
