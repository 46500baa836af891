#include "toccata/toccata.h"
#include "uneven.h"

namespace toccata::bench {

namespace {

class Scatterv : public BenchmarkOfBlocks {
 public:
  Scatterv(std::size_t bytes, const std::string& distribution) {
    const auto mean = static_cast<double>(bytes);
    recv_.counts = {block_bytes(distribution, rank_, 0, size_, mean)};
    for (int peer = 0; peer < size_ && rank_ == 0; ++peer)
      send_.counts.push_back(block_bytes(distribution, peer, 0, size_, mean));
    send_.make_room();
    recv_.make_room();
    for (std::size_t peer = 0; peer < send_.counts.size(); ++peer)
      fill(send_.block(peer), send_.counts[peer], 0, static_cast<int>(peer));
  }

  void call(const std::string& algorithm) override {
    if (const auto call = of_mpi(algorithm, PMPI_Scatterv, MPI_Scatterv))
      call(send_.data.data(), send_.counts.data(), send_.places.data(), MPI_CHAR, recv_.data.data(),
           recv_.counts[0], MPI_CHAR, 0, MPI_COMM_WORLD);
    else
      toccata_scatterv(send_.data.data(), send_.counts.data(), send_.places.data(), MPI_CHAR,
                       recv_.data.data(), recv_.counts[0], MPI_CHAR, 0, MPI_COMM_WORLD,
                       algorithm.c_str());
  }

  bool right() const override { return filled(recv_.block(0), recv_.counts[0], 0, rank_); }
};

}  // namespace

std::unique_ptr<Benchmark> make_scatterv(std::size_t bytes, const std::string& distribution) {
  return std::make_unique<Scatterv>(bytes, distribution);
}

}  // namespace toccata::bench
