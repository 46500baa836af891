#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

// From 0 to 1, random but the same for a pair of ranks on every rank and in every run
// (the mixing function of SplitMix64).
double random_of(std::uint64_t source, std::uint64_t destination) {
  std::uint64_t bits = (source << 32 | destination) + 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

// Bytes from one rank to another of `size`, where a block has `mean` of them in the mean.
int block_bytes(const std::string& distribution, int source, int destination, int size,
                double mean) {
  const double random = random_of(source, destination);
  double bytes = mean;
  if (distribution == "uniform" || distribution == "silent") bytes = 2 * mean * random;
  if (distribution == "silent" && source == size - 1) bytes = 0;
  // Pareto's, of exponent 3/2: few blocks make up most of it; none is more than 64 times the mean.
  if (distribution == "power_law")
    bytes = std::min(mean / 3 * std::pow(1 - random, -2.0 / 3), 64 * mean);
  return static_cast<int>(bytes + 0.5);
}

unsigned char pattern(std::size_t source, std::size_t destination, std::size_t place) {
  return static_cast<unsigned char>((source + 1) * 37 + (destination + 1) * 101 + place * 11 +
                                    (place >> 8));
}

class Alltoallv : public Benchmark {
 public:
  Alltoallv(std::size_t bytes, const std::string& distribution) {
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double mean = static_cast<double>(bytes) / size;
    for (int peer = 0; peer < size; ++peer) {
      send_.counts.push_back(block_bytes(distribution, rank_, peer, size, mean));
      recv_.counts.push_back(block_bytes(distribution, peer, rank_, size, mean));
    }
    send_.make_room();
    recv_.make_room();
    for (int peer = 0; peer < size; ++peer)
      for (int i = 0; i < send_.counts[peer]; ++i) send_.block(peer)[i] = pattern(rank_, peer, i);
  }

  void call(const std::string& algorithm) override {
    if (algorithm == "native")
      MPI_Alltoallv(send_.data.data(), send_.counts.data(), send_.places.data(), MPI_CHAR,
                    recv_.data.data(), recv_.counts.data(), recv_.places.data(), MPI_CHAR,
                    MPI_COMM_WORLD);
    else
      toccata_alltoallv(send_.data.data(), send_.counts.data(), send_.places.data(), MPI_CHAR,
                        recv_.data.data(), recv_.counts.data(), recv_.places.data(), MPI_CHAR,
                        MPI_COMM_WORLD, algorithm.c_str());
  }

  void spoil() override { std::ranges::fill(recv_.data, static_cast<unsigned char>(0xEE)); }

  bool right() const override {
    for (std::size_t peer = 0; peer < recv_.counts.size(); ++peer)
      for (int i = 0; i < recv_.counts[peer]; ++i)
        if (recv_.block(peer)[i] != pattern(peer, rank_, i)) return false;
    return true;
  }

 private:
  struct Side {
    std::vector<int> counts, places;
    std::vector<unsigned char> data;

    void make_room() {
      places.resize(counts.size());
      std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
      data.resize(places.back() + counts.back());
    }
    unsigned char* block(std::size_t peer) { return data.data() + places[peer]; }
    const unsigned char* block(std::size_t peer) const { return data.data() + places[peer]; }
  };

  int rank_;
  Side send_, recv_;
};

}  // namespace

std::unique_ptr<Benchmark> make_alltoallv(std::size_t bytes, const std::string& distribution) {
  return std::make_unique<Alltoallv>(bytes, distribution);
}

}  // namespace toccata::bench
