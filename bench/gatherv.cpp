#include "toccata/toccata.h"
#include "uneven.h"

namespace toccata::bench {

namespace {

class Gatherv : public BenchmarkOfBlocks {
 public:
  Gatherv(std::size_t bytes, const std::string& distribution) {
    const auto mean = static_cast<double>(bytes);
    send_.counts = {block_bytes(distribution, rank_, 0, size_, mean)};
    for (int peer = 0; peer < size_ && rank_ == 0; ++peer)
      recv_.counts.push_back(block_bytes(distribution, peer, 0, size_, mean));
    send_.make_room();
    recv_.make_room();
    fill(send_.block(0), send_.counts[0], rank_, 0);
  }

  void call(const std::string& algorithm) override {
    if (const auto call = of_mpi(algorithm, PMPI_Gatherv, MPI_Gatherv))
      call(send_.data.data(), send_.counts[0], MPI_CHAR, recv_.data.data(), recv_.counts.data(),
           recv_.places.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
    else
      toccata_gatherv(send_.data.data(), send_.counts[0], MPI_CHAR, recv_.data.data(),
                      recv_.counts.data(), recv_.places.data(), MPI_CHAR, 0, MPI_COMM_WORLD,
                      algorithm.c_str());
  }

  bool right() const override {
    for (std::size_t peer = 0; peer < recv_.counts.size(); ++peer)
      if (!filled(recv_.block(peer), recv_.counts[peer], static_cast<int>(peer), 0)) return false;
    return true;
  }
};

}  // namespace

std::unique_ptr<Benchmark> make_gatherv(std::size_t bytes, const std::string& distribution) {
  return std::make_unique<Gatherv>(bytes, distribution);
}

}  // namespace toccata::bench
