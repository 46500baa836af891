#pragma once

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

#include "mpi/data/data.h"
#include "placement.h"

namespace toccata::bench {

// One collective of one size, ready for repeated calls on MPI_COMM_WORLD.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  // One call. `algorithm` is a name, "native", or "auto". "native" is the MPI library's own
  // algorithm. "auto" is the MPI function of this process: the automatic choice if our library is
  // preloaded.
  virtual void call(const std::string& algorithm) = 0;
  // Overwrites the memory that the next call must write.
  virtual void spoil() = 0;
  // Whether the last call produced the right data on this rank.
  virtual bool right() const = 0;
};

// The bytes per part if `bytes` are divided among `parts`: at least one, unless there are 0 bytes.
inline std::size_t share(std::size_t bytes, std::size_t parts) {
  return bytes == 0 ? 0 : std::max<std::size_t>(bytes / parts, 1);
}

// A message as bytes, or as larger elements if an int cannot count its bytes.
struct Elements {
  int count;
  MPI_Datatype type;
};
inline Elements elements_of(std::size_t bytes) {
  if (bytes <= INT_MAX) return {static_cast<int>(bytes), MPI_CHAR};
  return {static_cast<int>(bytes / sizeof(double)), MPI_DOUBLE};
}

// For "native" the MPI library's own function, for "auto" its replacement; null for other names.
template <typename Function>
Function* of_mpi(const std::string& algorithm, Function* own, Function* standing_in) {
  return algorithm == "native" ? own : algorithm == "auto" ? standing_in : nullptr;
}

// The elements of a message, which a simulation without data does not touch. If buffers lie in the
// memory of a device, the host has a copy. Filled elements are copied to the device, and elements
// are copied back when they are checked after a call.
template <typename Element>
class Memory {
 public:
  Memory() = default;
  ~Memory() { release(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void resize(std::size_t size) {
    release();
    size_ = size;
    elements_ = data_moves ? std::make_unique<Element[]>(size)
                           : std::make_unique_for_overwrite<Element[]>(size);
    if (placement() == nullptr || size == 0) return;
    device_ = static_cast<Element*>(placement()->allocate(size * sizeof(Element)));
    if (device_ == nullptr) throw std::bad_alloc();
    move(device_, elements_.get());
  }
  // Element i becomes value(i).
  template <typename Value>
  void fill(Value&& value) {
    fill(size_, [&](std::size_t, std::size_t i) { return value(i); });
  }
  // Element i of block b becomes value(b, i); blocks have `block` elements.
  template <typename Value>
  void fill(std::size_t block, Value&& value) {
    if (!data_moves) return;
    for (std::size_t b = 0; b * block < size_; ++b) {
      Element* const elements = elements_.get() + b * block;
      for (std::size_t i = 0; i < block; ++i) elements[i] = value(b, i);
    }
    if (device_ != nullptr) move(device_, elements_.get());
    is_old_ = false;
  }
  // Whether element i of each block b is value(b, i).
  template <typename Value>
  bool holds(std::size_t block, Value&& value) const {
    bring();
    bool all = true;
    for (std::size_t b = 0; b * block < size_; ++b) {
      const Element* const elements = elements_.get() + b * block;
      for (std::size_t i = 0; i < block; ++i) all &= elements[i] == value(b, i);
    }
    return all;
  }

  std::size_t size() const { return size_; }
  // The buffer for a call.
  Element* data() {
    is_old_ = device_ != nullptr;
    return device_ != nullptr ? device_ : elements_.get();
  }
  Element operator[](std::size_t place) const {
    bring();
    return elements_[place];
  }

 private:
  void move(Element* into, const Element* from) const {
    const DeviceCopy all{.into = reinterpret_cast<char*>(into),
                         .from = reinterpret_cast<const char*>(from),
                         .bytes = size_ * sizeof(Element)};
    if (!placement()->copy({&all, 1}, device_)) throw std::runtime_error("a copy to a device");
  }
  void bring() const {
    if (is_old_) move(elements_.get(), device_);
    is_old_ = false;
  }
  void release() {
    if (device_ != nullptr) placement()->release(device_);
    device_ = nullptr;
  }

  std::unique_ptr<Element[]> elements_;
  std::size_t size_ = 0;
  Element* device_ = nullptr;
  mutable bool is_old_ = false;  // a call may have changed the device's memory
};

// The common part of the benchmarks of all collectives.
class BenchmarkOfWorld : public Benchmark {
 public:
  void spoil() override {
    recv_.fill([](std::size_t) { return static_cast<unsigned char>(0xEE); });
  }

 protected:
  BenchmarkOfWorld() {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }
  // A byte that distinguishes ranks and positions, and is fast to compute.
  static unsigned char pattern(std::size_t rank, std::size_t place) {
    return static_cast<unsigned char>((rank + 1) * 37 + place * 11 + (place >> 8));
  }

  std::size_t rank_, size_;
  Memory<unsigned char> send_, recv_;
};

// For reductions: sums of floats that are integers, and therefore exact.
class BenchmarkOfSums : public Benchmark {
 public:
  void spoil() override {
    recv_.fill([](std::size_t) { return -1.0F; });
  }

 protected:
  explicit BenchmarkOfSums(std::size_t bytes) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    rank_ = rank;
    send_.resize(share(bytes, sizeof(float)));
    send_.fill([&](std::size_t i) { return static_cast<float>(rank + static_cast<int>(i % 64)); });
    recv_.resize(send_.size());
  }
  // Whether recv begins with `count` correct sums, of the elements from `first` on.
  bool right(std::size_t first, std::size_t count) const { return right(first, count, size_); }
  // The same for sums over the first `ranks` ranks.
  bool right(std::size_t first, std::size_t count, int ranks) const {
    for (std::size_t i = 0; i < count; ++i)
      if (recv_[i] !=
          static_cast<float>(ranks * (ranks - 1) / 2 + ranks * static_cast<int>((first + i) % 64)))
        return false;
    return true;
  }

  int rank_ = 0, size_ = 1;
  Memory<float> send_, recv_;
};

// `bytes` is the size of a block, or of the message, as everywhere in Toccata (docs/tuning.md has
// the table). A block of a reduce-scatter has at least one element, unless there are 0 bytes. The
// root is rank 0. Reductions are sums of floats. A barrier ignores the size.
std::unique_ptr<Benchmark> make_allgather(std::size_t bytes);
std::unique_ptr<Benchmark> make_allreduce(std::size_t bytes);
std::unique_ptr<Benchmark> make_alltoall(std::size_t bytes);
std::unique_ptr<Benchmark> make_barrier(std::size_t bytes);
std::unique_ptr<Benchmark> make_bcast(std::size_t bytes);
std::unique_ptr<Benchmark> make_exscan(std::size_t bytes);
std::unique_ptr<Benchmark> make_gather(std::size_t bytes);
std::unique_ptr<Benchmark> make_neighbor_allgather(std::size_t bytes);
std::unique_ptr<Benchmark> make_neighbor_alltoall(std::size_t bytes);
std::unique_ptr<Benchmark> make_reduce(std::size_t bytes);
std::unique_ptr<Benchmark> make_reduce_scatter(std::size_t bytes);
std::unique_ptr<Benchmark> make_scan(std::size_t bytes);
std::unique_ptr<Benchmark> make_scatter(std::size_t bytes);

// Blocks of different sizes, with a mean of `bytes`. In a gather and a scatter, the root is rank 0.
// `distribution` is one of `distributions` (options.h).
std::unique_ptr<Benchmark> make_alltoallv(std::size_t bytes, const std::string& distribution);
std::unique_ptr<Benchmark> make_gatherv(std::size_t bytes, const std::string& distribution);
std::unique_ptr<Benchmark> make_neighbor_allgatherv(std::size_t bytes,
                                                    const std::string& distribution);
std::unique_ptr<Benchmark> make_neighbor_alltoallv(std::size_t bytes,
                                                   const std::string& distribution);
std::unique_ptr<Benchmark> make_scatterv(std::size_t bytes, const std::string& distribution);

}  // namespace toccata::bench
