// Every rank gets one number from each rank, by an algorithm of Toccata; the C++ interface.
#include <iostream>
#include <toccata/toccata.hpp>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const toccata::Communicator comm(MPI_COMM_WORLD);
  const std::vector<int> mine{comm.rank()};
  std::vector<int> all(comm.size());
  toccata::iallgather(mine, all, comm, "sparbit").wait();
  if (comm.rank() == 0) std::cout << "the last of " << all.size() << " is " << all.back() << "\n";
  MPI_Finalize();
}
