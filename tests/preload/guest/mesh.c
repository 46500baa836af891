/* Two of four ranks of a Cartesian communicator, created by MPI_Comm_create_group. Open MPI 4.1.4
 * wrongly reports that these two have the topology of the whole mesh. */
#include "guest.h"

int main(int argc, char** argv) {
  MPI_Comm mesh, part;
  MPI_Group all, some;
  const int sizes[2] = {2, 2}, periods[2] = {0, 1}, chosen[2] = {2, 0};
  start(&argc, &argv);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &mesh);
  MPI_Comm_group(mesh, &all);
  MPI_Group_incl(all, 2, chosen, &some);
  faults += every_collective(mesh, 5, 1);
  if (rank == chosen[0] || rank == chosen[1]) {
    MPI_Comm_create_group(mesh, some, 3, &part);
    faults += every_collective(part, 5, 1);
    MPI_Comm_free(&part);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Comm_free(&mesh);
  finish();
  return 0;
}
