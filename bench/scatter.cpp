#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Scatter : public BenchmarkOfWorld {
 public:
  explicit Scatter(std::size_t bytes) {
    if (rank_ == 0) send_.resize(bytes * size_);
    send_.fill(bytes, pattern);
    recv_.resize(bytes);
  }

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(recv_.size());
    if (const auto call = of_mpi(algorithm, PMPI_Scatter, MPI_Scatter))
      call(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, 0, MPI_COMM_WORLD);
    else
      toccata_scatter(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, 0,
                      MPI_COMM_WORLD, algorithm.c_str());
  }

  bool right() const override {
    return recv_.holds(recv_.size(), [&](std::size_t, std::size_t i) { return pattern(rank_, i); });
  }
};

}  // namespace

std::unique_ptr<Benchmark> make_scatter(std::size_t bytes) {
  return std::make_unique<Scatter>(bytes);
}

}  // namespace toccata::bench
