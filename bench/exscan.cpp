#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Exscan : public BenchmarkOfSums {
 public:
  explicit Exscan(std::size_t bytes) : BenchmarkOfSums(bytes) {}

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(send_.size());
    if (const auto call = of_mpi(algorithm, PMPI_Exscan, MPI_Exscan))
      call(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else
      toccata_exscan(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                     algorithm.c_str());
  }

  bool right() const override {
    return rank_ == 0 || BenchmarkOfSums::right(0, send_.size(), rank_);
  }
};

}  // namespace

std::unique_ptr<Benchmark> make_exscan(std::size_t bytes) {
  return std::make_unique<Exscan>(bytes);
}

}  // namespace toccata::bench
