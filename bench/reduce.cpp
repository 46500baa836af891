#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Reduce : public BenchmarkOfSums {
 public:
  explicit Reduce(std::size_t bytes) : BenchmarkOfSums(bytes) {}

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(send_.size());
    if (const auto call = of_mpi(algorithm, PMPI_Reduce, MPI_Reduce))
      call(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    else
      toccata_reduce(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD,
                     algorithm.c_str());
  }

  bool right() const override { return rank_ != 0 || BenchmarkOfSums::right(0, recv_.size()); }
};

}  // namespace

std::unique_ptr<Benchmark> make_reduce(std::size_t bytes) {
  return std::make_unique<Reduce>(bytes);
}

}  // namespace toccata::bench
