#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Gather : public BenchmarkOfWorld {
 public:
  explicit Gather(std::size_t bytes) : bytes_(bytes) {
    send_.resize(bytes);
    send_.fill([&](std::size_t i) { return pattern(rank_, i); });
    if (rank_ == 0) recv_.resize(bytes * size_);
  }

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(bytes_);
    if (const auto call = of_mpi(algorithm, PMPI_Gather, MPI_Gather))
      call(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, 0, MPI_COMM_WORLD);
    else
      toccata_gather(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, 0,
                     MPI_COMM_WORLD, algorithm.c_str());
  }

  bool right() const override { return recv_.holds(bytes_, pattern); }

 private:
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Benchmark> make_gather(std::size_t bytes) {
  return std::make_unique<Gather>(bytes);
}

}  // namespace toccata::bench
