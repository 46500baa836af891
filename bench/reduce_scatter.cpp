#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class ReduceScatter : public BenchmarkOfSums {
 public:
  explicit ReduceScatter(std::size_t bytes) : BenchmarkOfSums(whole_blocks(bytes)) {}

  void call(const std::string& algorithm) override {
    const int count = static_cast<int>(send_.size()) / size_;
    if (const auto call = of_mpi(algorithm, PMPI_Reduce_scatter_block, MPI_Reduce_scatter_block))
      call(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else
      toccata_reduce_scatter_block(send_.data(), recv_.data(), count, MPI_FLOAT, MPI_SUM,
                                   MPI_COMM_WORLD, algorithm.c_str());
  }

  bool right() const override {
    const std::size_t count = send_.size() / static_cast<std::size_t>(size_);
    return BenchmarkOfSums::right(static_cast<std::size_t>(rank_) * count, count);
  }

 private:
  static std::size_t whole_blocks(std::size_t bytes) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::size_t block = share(bytes, sizeof(float)) * sizeof(float);
    return block * static_cast<std::size_t>(size);
  }
};

}  // namespace

std::unique_ptr<Benchmark> make_reduce_scatter(std::size_t bytes) {
  return std::make_unique<ReduceScatter>(bytes);
}

}  // namespace toccata::bench
