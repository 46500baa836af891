#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Allreduce : public BenchmarkOfSums {
 public:
  explicit Allreduce(std::size_t bytes) : BenchmarkOfSums(bytes) {}

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(send_.size());
    if (const auto call = of_mpi(algorithm, PMPI_Allreduce, MPI_Allreduce))
      call(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else
      toccata_allreduce(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                        algorithm.c_str());
  }

  bool right() const override { return BenchmarkOfSums::right(0, recv_.size()); }
};

}  // namespace

std::unique_ptr<Benchmark> make_allreduce(std::size_t bytes) {
  return std::make_unique<Allreduce>(bytes);
}

}  // namespace toccata::bench
