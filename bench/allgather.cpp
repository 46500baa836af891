#include <mpi.h>

#include <algorithm>
#include <vector>

#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

// Tells the byte of one rank at one place from those of others, and is cheap.
unsigned char pattern(std::size_t rank, std::size_t place) {
  return static_cast<unsigned char>((rank + 1) * 37 + place * 11 + (place >> 8));
}

class Allgather : public Benchmark {
 public:
  explicit Allgather(std::size_t bytes) : bytes_(bytes) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    send_.resize(bytes);
    for (std::size_t i = 0; i < bytes; ++i) send_[i] = pattern(rank, i);
    recv_.resize(bytes * size);
  }

  void call(const std::string& algorithm) override {
    const auto count = static_cast<int>(bytes_);
    if (algorithm == "native")
      MPI_Allgather(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR, MPI_COMM_WORLD);
    else
      toccata_allgather(send_.data(), count, MPI_CHAR, recv_.data(), count, MPI_CHAR,
                        MPI_COMM_WORLD, algorithm.c_str());
  }

  void spoil() override { std::ranges::fill(recv_, static_cast<unsigned char>(0xEE)); }

  bool right() const override {
    for (std::size_t i = 0; i < recv_.size(); ++i)
      if (recv_[i] != pattern(i / bytes_, i % bytes_)) return false;
    return true;
  }

 private:
  std::size_t bytes_;
  std::vector<unsigned char> send_, recv_;
};

}  // namespace

std::unique_ptr<Benchmark> make_allgather(std::size_t bytes) {
  return std::make_unique<Allgather>(bytes);
}

}  // namespace toccata::bench
