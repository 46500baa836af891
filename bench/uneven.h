#pragma once

#include <mpi.h>

#include <numeric>
#include <string>
#include <vector>

#include "benchmark.h"

namespace toccata::bench {

// The bytes from one rank to another among `size` ranks, if blocks have `mean` bytes on average.
int block_bytes(const std::string& distribution, int source, int destination, int size,
                double mean);

// Blocks of different sizes, contiguous.
struct Blocks {
  std::vector<int> counts, places;
  std::vector<unsigned char> data;

  // Call this after all counts are set.
  void make_room() {
    places.resize(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    data.resize(counts.empty() ? 0 : places.back() + counts.back());
  }
  unsigned char* block(std::size_t peer) { return data.data() + places[peer]; }
  const unsigned char* block(std::size_t peer) const { return data.data() + places[peer]; }
};

// The common part of the benchmarks of all vector forms.
class BenchmarkOfBlocks : public Benchmark {
 public:
  void spoil() override { std::ranges::fill(recv_.data, static_cast<unsigned char>(0xEE)); }

 protected:
  BenchmarkOfBlocks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  static unsigned char pattern(int source, int destination, int place) {
    return static_cast<unsigned char>((source + 1) * 37 + (destination + 1) * 101 + place * 11 +
                                      (place >> 8));
  }
  static void fill(unsigned char* block, int bytes, int source, int destination) {
    for (int i = 0; i < bytes; ++i) block[i] = pattern(source, destination, i);
  }
  static bool filled(const unsigned char* block, int bytes, int source, int destination) {
    for (int i = 0; i < bytes; ++i)
      if (block[i] != pattern(source, destination, i)) return false;
    return true;
  }

  int rank_ = 0, size_ = 1;
  Blocks send_, recv_;
};

}  // namespace toccata::bench
