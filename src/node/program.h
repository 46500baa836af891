#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "node/exchange.h"
#include "schedule/schedule.h"

namespace toccata::node {

// The memory of a schedule's blocks, which are contiguous in each buffer.
struct Memory {
  struct Side {
    char* base = nullptr;
    std::int64_t block = 0;                     // bytes of a block, if all have the same size
    std::span<const std::int64_t> begins = {};  // else the begin of each block, and the end

    Stretch stretch(std::int32_t first, std::int32_t count) const {
      if (begins.empty()) return {base + first * block, count * block};
      return {base + begins[first], begins[first + count] - begins[first]};
    }
  };
  std::array<Side, 3> sides;  // by Buffer
};

// A schedule that is ready to run on a board. All its messages are published, and each message and
// each step is one contiguous range of blocks. Some blocks would be received in scratch only to be
// reduced or copied from there. They are not received: the step reads them in the publisher's
// memory.
class Program {
 public:
  // Nothing if the schedule is not of that kind.
  static std::optional<Program> compile(const Schedule& schedule);

  // Runs one call, round by round. Keep it from call to call, because it holds memory.
  class Run {
   public:
    // `first` is the schedule's rank 0 on the board, whose ranks are all ranks of the communicator.
    // `times_paths` as in Exchange::open().
    void start(const Program& program, Board& board, std::uint64_t call, int first,
               const Memory& memory, const Operator& reduction, bool times_paths = true);
    // Goes as far as it can; true at the end of the schedule.
    bool go_on();
    bool was_cut() const { return was_cut_; }  // see Exchange
    void shrink() { exchange_.shrink(); }

   private:
    int board_rank(int rank) const;
    bool has_one_length(std::uint32_t first_step, std::uint32_t end_step) const;
    void open_round();
    void close_round();

    const Program* program_ = nullptr;
    Board* board_ = nullptr;
    std::uint64_t call_ = 0;
    int first_ = 0;
    Memory memory_;
    Operator reduction_;
    bool times_paths_ = true;
    bool was_cut_ = false;
    std::uint32_t round_ = 0;
    bool open_ = false;
    bool in_place_ = false;  // steps of the open round read the publications of others in place
    Exchange exchange_;
    std::vector<int> readers_;
    std::vector<Stretch> messages_;
    std::vector<Publication> publications_;
    std::vector<Reading> readings_;
    std::vector<Combination> combinations_;
  };

  // The number of readings whose data steps read where it was published.
  int reads_in_place() const {
    return static_cast<int>(std::ranges::count_if(reads_, &Read::in_place));
  }
  bool uses_scratch() const { return uses_scratch_; }
  std::size_t memory() const;

 private:
  struct Blocks {
    std::int32_t first = 0, count = 0;
    Buffer buffer = Buffer::recv;

    bool operator==(const Blocks&) const = default;
  };
  struct Published {
    int channel = 0;
    std::uint32_t first_message = 0, messages = 0;  // 1 message: the same for all readers
    std::uint32_t first_reader = 0, readers = 0;
  };
  struct Read {
    int publisher = 0;
    int channel = 0;
    Blocks into;
    bool in_place = false;  // a step reads it where it was published
  };
  // into = from, or into = from ∘ other. Either may be a reading of the round, in place.
  struct Source {
    Blocks blocks;
    int reading = -1;
  };
  struct Step {
    Source from = {}, other = {};
    Blocks into = {};
    bool reduces = false;
  };
  // The first entries of a round.
  struct Round {
    std::uint32_t published = 0, reads = 0, steps = 0;
    bool in_place = false;  // steps read the publications of others in place
  };
  class Compiler;
  friend class ShortProgram;

  int channels_ = 1;
  bool uses_scratch_ = false;
  std::vector<Round> rounds_;  // and one after the last
  std::vector<Published> published_;
  std::vector<int> readers_;
  std::vector<Blocks> messages_;
  std::vector<Read> reads_;
  std::vector<Step> steps_;
};

}  // namespace toccata::node
