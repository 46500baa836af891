#include "toccata/toccata.h"
#include "uneven.h"

namespace toccata::bench {

namespace {

class Alltoallv : public BenchmarkOfBlocks {
 public:
  Alltoallv(std::size_t bytes, const std::string& distribution) {
    const auto mean = static_cast<double>(bytes);
    for (int peer = 0; peer < size_; ++peer) {
      send_.counts.push_back(block_bytes(distribution, rank_, peer, size_, mean));
      recv_.counts.push_back(block_bytes(distribution, peer, rank_, size_, mean));
    }
    send_.make_room();
    recv_.make_room();
    for (int peer = 0; peer < size_; ++peer)
      fill(send_.block(peer), send_.counts[peer], rank_, peer);
  }

  void call(const std::string& algorithm) override {
    if (const auto call = of_mpi(algorithm, PMPI_Alltoallv, MPI_Alltoallv))
      call(send_.data.data(), send_.counts.data(), send_.places.data(), MPI_CHAR, recv_.data.data(),
           recv_.counts.data(), recv_.places.data(), MPI_CHAR, MPI_COMM_WORLD);
    else
      toccata_alltoallv(send_.data.data(), send_.counts.data(), send_.places.data(), MPI_CHAR,
                        recv_.data.data(), recv_.counts.data(), recv_.places.data(), MPI_CHAR,
                        MPI_COMM_WORLD, algorithm.c_str());
  }

  bool right() const override {
    for (int peer = 0; peer < size_; ++peer)
      if (!filled(recv_.block(peer), recv_.counts[peer], peer, rank_)) return false;
    return true;
  }
};

}  // namespace

std::unique_ptr<Benchmark> make_alltoallv(std::size_t bytes, const std::string& distribution) {
  return std::make_unique<Alltoallv>(bytes, distribution);
}

}  // namespace toccata::bench
