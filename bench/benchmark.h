#pragma once

#include <memory>
#include <string>

namespace toccata::bench {

// One collective at one size, ready to be called over and over on MPI_COMM_WORLD.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  // One call: `algorithm` by name, or "native" for the MPI library's own.
  virtual void call(const std::string& algorithm) = 0;
  // Spoils what the next call has to write.
  virtual void spoil() = 0;
  // Whether the last call left the right data on this rank.
  virtual bool right() const = 0;
};

// `bytes` is what each rank contributes: in an all-to-all, its blocks for all ranks together (each
// of at least a byte).
std::unique_ptr<Benchmark> make_allgather(std::size_t bytes);
std::unique_ptr<Benchmark> make_alltoall(std::size_t bytes);

// Blocks of different sizes, `bytes` for all of a rank's together in the mean. `distribution` is
// one of these:
//   even       all alike
//   uniform    anything up to twice the mean
//   power_law  few large blocks, many small ones
//   silent     uniform, but the last rank sends nothing
inline constexpr const char* distributions[] = {"even", "uniform", "power_law", "silent"};
std::unique_ptr<Benchmark> make_alltoallv(std::size_t bytes, const std::string& distribution);

}  // namespace toccata::bench
