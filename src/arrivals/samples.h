#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace toccata {

// When a rank arrived at a call, and when it left: nanoseconds of its clock.
struct Sample {
  std::int64_t number = 0;  // of the call, see Samples
  std::int64_t arrived = 0, left = 0;
  int root = 0;
  int row = -1;  // on rank 0 of the communicator: the row of the report that counted the call
};

// Some of the calls of a collective on a communicator, numbered from 0. Their numbers decide which
// calls are kept, so all ranks keep the same ones without a message. When the memory is full, half
// of the calls remain. The numbers are mixed first: every second call of a program may be of
// another kind.
class Samples {
 public:
  explicit Samples(std::size_t most) : most_(most) {}

  // Counts a call. Returns its number if it is to be added, otherwise -1.
  std::int64_t count() {
    const std::int64_t number = calls_++;
    return keeps(number) ? number : -1;
  }
  void add(const Sample& sample) {
    samples_.push_back(sample);
    while (samples_.size() > most_) {
      mask_ = mask_ * 2 + 1;
      std::erase_if(samples_, [this](const Sample& each) { return !keeps(each.number); });
    }
  }

  // Each kept call represents that many calls.
  double weight() const { return static_cast<double>(mask_ + 1); }
  const std::vector<Sample>& kept() const { return samples_; }
  std::vector<Sample>& kept() { return samples_; }

  // As another rank has written them.
  Samples(std::uint64_t mask, std::vector<Sample> samples)
      : mask_(mask), samples_(std::move(samples)) {}
  std::uint64_t mask() const { return mask_; }

 private:
  bool keeps(std::int64_t number) const { return (mixed(number) & mask_) == 0; }
  // The finalizer of splitmix64.
  static std::uint64_t mixed(std::int64_t number) {
    std::uint64_t x = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::size_t most_ = 0;
  std::int64_t calls_ = 0;
  std::uint64_t mask_ = 0;  // a call is kept if its mixed number has zeros there
  std::vector<Sample> samples_;
};

}  // namespace toccata
