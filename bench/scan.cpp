#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Scan : public BenchmarkOfSums {
 public:
  explicit Scan(std::size_t bytes) : BenchmarkOfSums(bytes) {}

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(send_.size());
    if (const auto call = of_mpi(algorithm, PMPI_Scan, MPI_Scan))
      call(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else
      toccata_scan(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                   algorithm.c_str());
  }

  bool right() const override { return BenchmarkOfSums::right(0, send_.size(), rank_ + 1); }
};

}  // namespace

std::unique_ptr<Benchmark> make_scan(std::size_t bytes) { return std::make_unique<Scan>(bytes); }

}  // namespace toccata::bench
