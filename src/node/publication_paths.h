#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace toccata::node {

// The path of a rank's publications in a round: through its slots, or directly. Slots need two
// copies, one on each core; a direct publication needs one copy by the kernel. The faster path
// depends on the size, on the readers, on the rank's own reading in that round, and on the location
// of the cores. This location may change while a virtual machine runs. So each rank decides by its
// own times. Readers follow the announcement, and the result has the same bits.
//
// The time of a try ends when all readers have the message. With slots, a rank that does not read
// could return much earlier, but the call ends for the program when its slowest rank returns.
//
//   rounds of a class   0 1 | s d s d s d s d | the faster one ... | s d s d s d s d | ...
//                       usual     tries                            after `period` rounds
class PublicationPaths {
 public:
  // What a rank does in a round in which it publishes.
  struct Round {
    bool reads = false;
    bool combines = false;  // the rank combines or copies blocks
    bool common = false;    // all readers of a publication get the same message
    // Large slots win some tries against direct publications although they take longer in most
    // calls, so they have to win clearly.
    bool slots_must_win_clearly = false;
  };

  // A class of rounds: the longest message in bytes, as a power of two, and the round.
  class Kind {
   public:
    Kind(std::int64_t bytes, const Round& round)
        : index_(class_of(bytes) * 8 + (round.reads ? 4U : 0) + (round.combines ? 2U : 0) +
                 (round.common ? 1U : 0)),
          usually_direct_(round.reads && bytes >= usually_direct_from),
          direct_up_to_(round.slots_must_win_clearly && bytes >= doubtful_from ? 1.25 : 1) {}

   private:
    friend class PublicationPaths;
    // One class contains all messages of 1 GiB and more, and one those of less than 2 KiB.
    static std::size_t class_of(std::int64_t bytes) {
      const auto power = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
      return static_cast<std::size_t>(std::clamp(power - least_power, 0, classes - 1));
    }
    std::size_t index_;
    bool usually_direct_;
    double direct_up_to_;  // the highest ratio of direct to slot time at which direct is chosen
  };

  // Whether the next round of this kind is a try.
  bool is_try(const Kind& kind) const {
    const int round = times_[kind.index_].rounds - first_rounds;
    return round >= 0 && round < tries;
  }
  // Whether the next round of this kind is published directly.
  bool next(const Kind& kind) const {
    const Times& times = times_[kind.index_];
    if (is_try(kind)) return (times.rounds - first_rounds) % 2 == 1;
    if (times.rounds < first_rounds) return kind.usually_direct_;
    return times.direct < kind.direct_up_to_ * times.slots;
  }
  void took(const Kind& kind, bool direct, double seconds) {
    Times& times = times_[kind.index_];
    if (times.rounds == first_rounds) times.direct = times.slots = unknown;
    if (is_try(kind)) {
      double& least = direct ? times.direct : times.slots;
      if (seconds < least) least = seconds;
    }
    if (++times.rounds == period) times.rounds = first_rounds;
  }

 private:
  static constexpr int first_rounds = 2, tries = 8, period = 512;
  static constexpr std::int64_t usually_direct_from = 256 << 10, doubtful_from = 32 << 10;
  static constexpr double unknown = std::numeric_limits<double>::infinity();
  static constexpr int least_power = 11, classes = 21;

  struct Times {
    int rounds = 0;
    double direct = unknown, slots = unknown;  // seconds, the least of the last tries
  };
  std::array<Times, std::size_t{classes} * 8> times_;
};

}  // namespace toccata::node
