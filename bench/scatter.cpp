#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Scatter : public BenchmarkOfWorld {
 public:
  explicit Scatter(std::size_t bytes) {
    if (rank_ == 0) send_.resize(bytes * size_);
    send_.fill([&](std::size_t i) { return pattern(i / bytes, i % bytes); });
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
    for (std::size_t i = 0; i < recv_.size(); ++i)
      if (recv_[i] != pattern(rank_, i)) return false;
    return true;
  }
};

}  // namespace

std::unique_ptr<Benchmark> make_scatter(std::size_t bytes) {
  return std::make_unique<Scatter>(bytes);
}

}  // namespace toccata::bench
