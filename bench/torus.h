#pragma once

#include <mpi.h>

#include <vector>

namespace toccata::bench {

// The topology of the benchmarks among neighbours: a two-dimensional torus, as square as possible,
// with the communication of a five-point stencil.
//
//   0 1 2    the peers of 4, in MPI's order, are 1 and 7 in the first dimension,
//   3 4 5    3 and 5 in the second
//   6 7 8
class Torus {
 public:
  Torus() {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int dims[2] = {0, 0};
    const int periods[2] = {1, 1};
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm_);
    for (int i = 0; i < 2; ++i) {
      int below, above;
      MPI_Cart_shift(comm_, i, 1, &below, &above);
      peers_.insert(peers_.end(), {below, above});
    }
  }
  ~Torus() { MPI_Comm_free(&comm_); }
  Torus(const Torus&) = delete;
  Torus& operator=(const Torus&) = delete;

  MPI_Comm comm() const { return comm_; }
  const std::vector<int>& peers() const { return peers_; }
  // A block that a rank sends to its peer i is received there from its peer opposite(i).
  static std::size_t opposite(std::size_t i) { return i ^ 1; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> peers_;
};

}  // namespace toccata::bench
