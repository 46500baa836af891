#include "benchmark.h"
#include "toccata/toccata.h"
#include "torus.h"

namespace toccata::bench {

namespace {

class NeighborAllgather : public BenchmarkOfWorld {
 public:
  explicit NeighborAllgather(std::size_t bytes) : block_(bytes) {
    send_.resize(block_);
    recv_.resize(block_ * torus_.peers().size());
    send_.fill([&](std::size_t i) { return pattern(rank_, i); });
  }

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(block_);
    if (const auto call = of_mpi(algorithm, PMPI_Neighbor_allgather, MPI_Neighbor_allgather))
      call(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, torus_.comm());
    else
      toccata_neighbor_allgather(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR,
                                 torus_.comm(), algorithm.c_str());
  }

  bool right() const override {
    return recv_.holds(block_, [&](std::size_t neighbor, std::size_t place) {
      return pattern(static_cast<std::size_t>(torus_.peers()[neighbor]), place);
    });
  }

 private:
  Torus torus_;
  std::size_t block_;
};

}  // namespace

std::unique_ptr<Benchmark> make_neighbor_allgather(std::size_t bytes) {
  return std::make_unique<NeighborAllgather>(bytes);
}

}  // namespace toccata::bench
