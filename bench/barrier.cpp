#include "benchmark.h"
#include "toccata/toccata.h"

namespace toccata::bench {

namespace {

class Barrier : public Benchmark {
 public:
  void call(const std::string& algorithm) override {
    if (const auto call = of_mpi(algorithm, PMPI_Barrier, MPI_Barrier))
      call(MPI_COMM_WORLD);
    else
      toccata_barrier(MPI_COMM_WORLD, algorithm.c_str());
  }
  void spoil() override {}
  bool right() const override { return true; }  // there is no data
};

}  // namespace

std::unique_ptr<Benchmark> make_barrier(std::size_t) { return std::make_unique<Barrier>(); }

}  // namespace toccata::bench
