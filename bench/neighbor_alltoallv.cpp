#include "toccata/toccata.h"
#include "torus.h"
#include "uneven.h"

namespace toccata::bench {

namespace {

// A block is identified by its source and by its index among that rank's peers.
class NeighborAlltoallv : public BenchmarkOfBlocks {
 public:
  NeighborAlltoallv(std::size_t bytes, const std::string& distribution) {
    const auto mean = static_cast<double>(bytes);
    const auto& peers = torus_.peers();
    for (std::size_t i = 0; i < peers.size(); ++i) {
      send_.counts.push_back(block_bytes(distribution, rank_, static_cast<int>(i), size_, mean));
      recv_.counts.push_back(block_bytes(distribution, peers[i], opposite(i), size_, mean));
    }
    send_.make_room();
    recv_.make_room();
    for (std::size_t i = 0; i < peers.size(); ++i)
      fill(send_.block(i), send_.counts[i], rank_, static_cast<int>(i));
  }

  void call(const std::string& algorithm) override {
    if (const auto call = of_mpi(algorithm, PMPI_Neighbor_alltoallv, MPI_Neighbor_alltoallv))
      call(send_.data.data(), send_.counts.data(), send_.places.data(), MPI_CHAR, recv_.data.data(),
           recv_.counts.data(), recv_.places.data(), MPI_CHAR, torus_.comm());
    else
      toccata_neighbor_alltoallv(send_.data.data(), send_.counts.data(), send_.places.data(),
                                 MPI_CHAR, recv_.data.data(), recv_.counts.data(),
                                 recv_.places.data(), MPI_CHAR, torus_.comm(), algorithm.c_str());
  }

  bool right() const override {
    for (std::size_t i = 0; i < recv_.counts.size(); ++i)
      if (!filled(recv_.block(i), recv_.counts[i], torus_.peers()[i], opposite(i))) return false;
    return true;
  }

 private:
  static int opposite(std::size_t i) { return static_cast<int>(Torus::opposite(i)); }

  Torus torus_;
};

}  // namespace

std::unique_ptr<Benchmark> make_neighbor_alltoallv(std::size_t bytes,
                                                   const std::string& distribution) {
  return std::make_unique<NeighborAlltoallv>(bytes, distribution);
}

}  // namespace toccata::bench
