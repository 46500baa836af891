#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace toccata::node {

// The path of a rank's publications in a round: through its slots, or directly. Slots need two
// copies, one on each core; a direct publication needs one copy by the kernel. The faster path
// depends on the size, on the rank's own reading in that round, and on the location of the cores.
// This location may change while a virtual machine runs. So each rank decides by its own times.
// Readers follow the announcement, and the result has the same bits.
//
//   rounds of a class   0 1 | s d s d s d s d | the faster one ... | s d s d s d s d | ...
//                       usual     tries                            after `period` rounds
class Paths {
 public:
  // A class of rounds: the longest message in bytes, as a power of two, and whether the rank also
  // reads.
  class Kind {
   public:
    Kind(std::int64_t bytes, bool reads)
        : index_(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes))) * 2 +
                 (reads ? 1 : 0)),
          usually_direct_(reads && bytes >= usually_direct_from) {}

   private:
    friend class Paths;
    std::size_t index_;
    bool usually_direct_;
  };

  // Whether the next round of this kind is published directly.
  bool next(const Kind& kind) const {
    const Times& times = times_[kind.index_];
    const int round = times.rounds - first_rounds;
    if (round >= 0 && round < tries) return round % 2 == 1;
    if (times.rounds < first_rounds) return kind.usually_direct_;
    return times.direct < times.slots;
  }
  void took(const Kind& kind, bool direct, double seconds) {
    Times& times = times_[kind.index_];
    if (times.rounds == first_rounds) times.direct = times.slots = unknown;
    if (times.rounds >= first_rounds && times.rounds < first_rounds + tries) {
      double& least = direct ? times.direct : times.slots;
      if (seconds < least) least = seconds;
    }
    if (++times.rounds == period) times.rounds = first_rounds;
  }

 private:
  static constexpr int first_rounds = 2, tries = 8, period = 512;
  static constexpr std::int64_t usually_direct_from = 256 << 10;
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  struct Times {
    int rounds = 0;
    double direct = unknown, slots = unknown;  // seconds, the least of the last tries
  };
  std::array<Times, 130> times_;  // two for each power of two
};

}  // namespace toccata::node
