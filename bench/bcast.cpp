#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Bcast : public BenchmarkOfWorld {
 public:
  explicit Bcast(std::size_t bytes) {
    recv_.resize(bytes);
    recv_.fill([](std::size_t i) { return pattern(0, i); });
  }

  void call(const std::string& algorithm) override {
    const auto [count, type] = elements_of(recv_.size());
    if (const auto call = of_mpi(algorithm, PMPI_Bcast, MPI_Bcast))
      call(recv_.data(), count, type, 0, MPI_COMM_WORLD);
    else
      toccata_bcast(recv_.data(), count, type, 0, MPI_COMM_WORLD, algorithm.c_str());
  }

  void spoil() override {
    if (rank_ > 0) BenchmarkOfWorld::spoil();
  }

  bool right() const override { return recv_.holds(recv_.size(), pattern); }
};

}  // namespace

std::unique_ptr<Benchmark> make_bcast(std::size_t bytes) { return std::make_unique<Bcast>(bytes); }

}  // namespace toccata::bench
