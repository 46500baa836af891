#include <mpi.h>

#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

// A byte that distinguishes source, destination and position, and is fast to compute.
unsigned char pattern(std::size_t source, std::size_t destination, std::size_t place) {
  return static_cast<unsigned char>((source + 1) * 37 + (destination + 1) * 101 + place * 11 +
                                    (place >> 8));
}

class Alltoall : public Benchmark {
 public:
  explicit Alltoall(std::size_t bytes) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = rank;
    block_ = bytes;
    send_.resize(block_ * size);
    recv_.resize(block_ * size);
    send_.fill(block_, [&](std::size_t destination, std::size_t place) {
      return pattern(rank_, destination, place);
    });
  }

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(block_);
    if (const auto call = of_mpi(algorithm, PMPI_Alltoall, MPI_Alltoall))
      call(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, MPI_COMM_WORLD);
    else
      toccata_alltoall(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, MPI_COMM_WORLD,
                       algorithm.c_str());
  }

  void spoil() override {
    recv_.fill([](std::size_t) { return static_cast<unsigned char>(0xEE); });
  }

  bool right() const override {
    return recv_.holds(block_, [&](std::size_t source, std::size_t place) {
      return pattern(source, rank_, place);
    });
  }

 private:
  std::size_t rank_, block_;
  Memory<unsigned char> send_, recv_;
};

}  // namespace

std::unique_ptr<Benchmark> make_alltoall(std::size_t bytes) {
  return std::make_unique<Alltoall>(bytes);
}

}  // namespace toccata::bench
