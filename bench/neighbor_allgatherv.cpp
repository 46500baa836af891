#include "toccata/toccata.h"
#include "torus.h"
#include "uneven.h"

namespace toccata::bench {

namespace {

class NeighborAllgatherv : public BenchmarkOfBlocks {
 public:
  NeighborAllgatherv(std::size_t bytes, const std::string& distribution) {
    const auto mean = static_cast<double>(bytes);
    send_.counts = {block_bytes(distribution, rank_, 0, size_, mean)};
    for (const int peer : torus_.peers())
      recv_.counts.push_back(block_bytes(distribution, peer, 0, size_, mean));
    send_.make_room();
    recv_.make_room();
    fill(send_.block(0), send_.counts[0], rank_, 0);
  }

  void call(const std::string& algorithm) override {
    if (const auto call = of_mpi(algorithm, PMPI_Neighbor_allgatherv, MPI_Neighbor_allgatherv))
      call(send_.data.data(), send_.counts[0], MPI_CHAR, recv_.data.data(), recv_.counts.data(),
           recv_.places.data(), MPI_CHAR, torus_.comm());
    else
      toccata_neighbor_allgatherv(send_.data.data(), send_.counts[0], MPI_CHAR, recv_.data.data(),
                                  recv_.counts.data(), recv_.places.data(), MPI_CHAR, torus_.comm(),
                                  algorithm.c_str());
  }

  bool right() const override {
    for (std::size_t i = 0; i < recv_.counts.size(); ++i)
      if (!filled(recv_.block(i), recv_.counts[i], torus_.peers()[i], 0)) return false;
    return true;
  }

 private:
  Torus torus_;
};

}  // namespace

std::unique_ptr<Benchmark> make_neighbor_allgatherv(std::size_t bytes,
                                                    const std::string& distribution) {
  return std::make_unique<NeighborAllgatherv>(bytes, distribution);
}

}  // namespace toccata::bench
