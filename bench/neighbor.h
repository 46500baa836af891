#pragma once

#include <mpi.h>

#include <vector>

#include "benchmark.h"

namespace toccata::bench {

// What the benchmarks among neighbours have in common: a ring of rings, as even as can be, on which
// a five-point stencil's ranks talk.
class BenchmarkOfNeighbors : public BenchmarkOfWorld {
 public:
  ~BenchmarkOfNeighbors() override { MPI_Comm_free(&torus_); }

 protected:
  explicit BenchmarkOfNeighbors(std::size_t bytes) : block_(bytes) {
    int dims[2] = {0, 0};
    const int periods[2] = {1, 1};
    MPI_Dims_create(static_cast<int>(size_), 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &torus_);
    for (int i = 0; i < 2; ++i) {
      int below, above;
      MPI_Cart_shift(torus_, i, 1, &below, &above);
      peers_.insert(peers_.end(),
                    {static_cast<std::size_t>(below), static_cast<std::size_t>(above)});
    }
    recv_.resize(block_ * peers_.size());
  }

  std::size_t block_;
  MPI_Comm torus_ = MPI_COMM_NULL;
  std::vector<std::size_t> peers_;
};

}  // namespace toccata::bench
