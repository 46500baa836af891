#include "tables/check.h"

#include <algorithm>
#include <array>
#include <vector>

#include "proofs/walk.h"
#include "schedule/scratch_sizes.h"

namespace toccata {

bool lies_within(const BlockRange& range, std::int64_t limit) {
  return range.blocks() <= limit && names_within(range, limit);
}

bool names_within(const BlockRange& range, std::int64_t limit) {
  if (range.count < 0 || range.repeat < 0) return false;
  if (range.blocks() == 0) return true;
  const std::int64_t reach = std::int64_t{range.repeat - 1} * range.stride;
  const std::int64_t lowest = range.first + std::min<std::int64_t>(reach, 0);
  const std::int64_t highest = range.first + std::max<std::int64_t>(reach, 0) + range.count - 1;
  return lowest >= 0 && highest < limit;
}

namespace {

// Checking this many blocks takes a fraction of a second; no algorithm of the library moves more
// among a thousand ranks.
constexpr std::int64_t most_blocks = 50'000'000;
constexpr const char* too_many = "the schedules move too many blocks to check";

// Consecutive blocks with the sizes of consecutive, or equally spaced, data.
struct Run {
  std::int64_t datum, step, count;
};

// The data that give the blocks of a rank their sizes, in as few runs as possible: a file may name
// a million blocks in a line.
class Sizes {
 public:
  Sizes(const Collective& collective, const Shape& shape, int rank, const Schedule& schedule)
      : collective_(&collective), shape_(&shape), rank_(rank), scratch_sizes_(schedule.scratch()) {
    for (const Buffer buffer : {Buffer::send, Buffer::recv})
      blocks_[static_cast<int>(buffer)] = collective.blocks(shape, rank, buffer);
    blocks_[static_cast<int>(Buffer::scratch)] =
        static_cast<std::int64_t>(toccata::blocks(schedule.scratch()));
  }

  std::int64_t blocks(Buffer buffer) const { return blocks_[static_cast<int>(buffer)]; }

  void append_runs(std::span<const BlockRange> ranges, std::vector<Run>& runs) const {
    for (const BlockRange& range : ranges)
      if (range.buffer != Buffer::scratch)
        append_runs(range, runs);
      else
        for (const BlockRange& home : scratch_sizes_.of(range)) append_runs(home, runs);
  }

 private:
  // Within a part of the collective's unit, and perhaps beyond, data ascend evenly with the blocks.
  void append_runs(const BlockRange& range, std::vector<Run>& runs) const {
    const auto sized = [&](std::int64_t block) -> std::int64_t {
      return collective_->sized(*shape_, rank_, range.buffer, static_cast<int>(block));
    };
    const bool even =
        collective_ != &alltoall || range.buffer != Buffer::recv || shape_->parts == 1;
    if (even && range.count == 1 && range.repeat > 1) {  // a stripe
      const std::int64_t datum = sized(range.first);
      runs.push_back({datum, sized(range.first + range.stride) - datum, range.repeat});
      return;
    }
    for (std::int32_t run = 0; run < range.repeat; ++run) {
      std::int64_t first = range.first + std::int64_t{run} * range.stride, left = range.count;
      while (left > 0) {
        std::int64_t some = left;
        if (!even) some = std::min(left, shape_->parts - first % shape_->parts);
        const std::int64_t datum = sized(first);
        runs.push_back({datum, some > 1 ? sized(first + 1) - datum : 1, some});
        first += some;
        left -= some;
      }
    }
  }

  const Collective* collective_;
  const Shape* shape_;
  int rank_;
  ScratchSizes scratch_sizes_;
  std::array<std::int64_t, 3> blocks_{};
};

class Check : public WalkVisitor {
 public:
  Check(const Algorithm& algorithm, const Shape& shape, std::span<const Schedule> schedules)
      : collective_(algorithm.collective),
        shape_(shape),
        alike_(algorithm.blocks_alike),
        relays_(algorithm.relays),
        schedules_(schedules) {}

  std::string run() {
    for (int rank = 0; rank < shape_.p; ++rank)
      for (const BlockRange& range : schedules_[rank].scratch()) {
        if (range.buffer == Buffer::scratch ||
            !names_within(range, known_blocks(rank, range.buffer)))
          return at(rank, 0) +
                 "scratch takes its sizes from blocks that do not exist: " + describe(range);
        if ((looked_at_ += range.blocks()) > most_blocks) return too_many;
      }
    for (int rank = 0; rank < shape_.p; ++rank)
      sizes_.emplace_back(collective_, shape_, rank, schedules_[rank]);
    for (int rank = 0; rank < shape_.p && error_.empty(); ++rank) look_at(rank);
    if (!error_.empty()) return error_;
    const std::string stuck = walk(schedules_, *this);
    return error_.empty() ? stuck : error_;
  }

  void moved(int sender, const Message& send, int receiver, const Message& receive) override {
    if (!error_.empty()) return;
    const std::int64_t block = first_difference(sender, schedules_[sender].ranges(send), receiver,
                                                schedules_[receiver].ranges(receive));
    if (block >= 0)
      error_ = "rank " + std::to_string(receiver) + ": block " + std::to_string(block) +
               " of a message from rank " + std::to_string(sender) +
               " differs in size from the block that receives it";
  }
  void stepped(int, int, const Step&) override {}

 private:
  static std::string at(int rank, int round) {
    return "rank " + std::to_string(rank) + ", round " + std::to_string(round) + ": ";
  }
  static std::string describe(const BlockRange& range) {
    return std::string(name(range.buffer)) + " blocks from " + std::to_string(range.first) + " on";
  }
  // The blocks whose sizes a rank knows. If all are equal, these include blocks that only the root
  // has.
  int known_blocks(int rank, Buffer buffer) const {
    const int own = collective_.blocks(shape_, rank, buffer);
    return relays_ ? std::max(own, collective_.blocks(shape_, shape_.root, buffer)) : own;
  }

  void look_at(int rank) {
    const Schedule& schedule = schedules_[rank];
    for (int round = 0; round < schedule.rounds() && error_.empty(); ++round) {
      for (const Message& each : schedule.sends(round)) look_at(rank, round, each, false);
      for (const Message& each : schedule.recvs(round)) look_at(rank, round, each, true);
      for (const Step& each : schedule.steps(round)) look_at(rank, round, each);
    }
  }

  void look_at(int rank, int round, const Message& message, bool written) {
    if (message.peer < 0 || message.peer >= shape_.p || message.peer == rank)
      return fail(at(rank, round) + "there is no peer " + std::to_string(message.peer));
    const auto ranges = schedules_[rank].ranges(message);
    look_at(rank, round, ranges, written);
    if (written && writes_input(rank, ranges)) fail_on_input(rank, round);
  }

  // Whether these blocks are input of the root in recv: a broadcast's message, or in place a part
  // of a scatter's send.
  bool writes_input(int rank, std::span<const BlockRange> into) const {
    return rank == shape_.root && (collective_.one_buffer || collective_.recv_is_in_send) &&
           uses(into, Buffer::recv);
  }
  void fail_on_input(int rank, int round) {
    fail(at(rank, round) + "recv may hold the root's input, which is read-only");
  }

  void look_at(int rank, int round, const Step& step) {
    const auto from = schedules_[rank].from(step), into = schedules_[rank].into(step);
    look_at(rank, round, from, false);
    look_at(rank, round, into, true);
    if (!error_.empty()) return;
    if (blocks(from) != blocks(into))
      return fail(at(rank, round) + std::to_string(blocks(from)) + " blocks are copied into " +
                  std::to_string(blocks(into)));
    if (step.reduces && !collective_.reduces)
      return fail(at(rank, round) + std::string(collective_.name) + " does not reduce");
    if (first_difference(rank, from, rank, into) >= 0)
      return fail(at(rank, round) + "a block is copied into a block of a different size");
    if (writes_input(rank, into) && !std::ranges::equal(cells(rank, from, true, cells_in_place_),
                                                        cells(rank, into, true, cells_)))
      return fail_on_input(rank, round);
    look_for_overlap(rank, round, from, into, step.reduces);
  }

  static bool uses(std::span<const BlockRange> ranges, Buffer buffer) {
    return std::ranges::find(ranges, buffer, &BlockRange::buffer) != ranges.end();
  }

  // A number for each block, which is the same for the same memory.
  std::span<const std::int64_t> cells(int rank, std::span<const BlockRange> ranges, bool in_place,
                                      std::vector<std::int64_t>& result) const {
    result.clear();
    for (const BlockRange& range : ranges)
      for_each_block(range, [&](int block) {
        int place = nothing;
        if (range.buffer == Buffer::recv) place = block;
        if (range.buffer == Buffer::send && in_place && collective_.in_place != nullptr)
          place = collective_.in_place(shape_, rank, block);
        result.push_back(place != nothing ? place
                                          : (std::int64_t{block} << 2) + (std::int64_t{1} << 40) +
                                                (range.buffer == Buffer::scratch ? 1 : 2));
      });
    return result;
  }

  void look_at(int rank, int round, std::span<const BlockRange> ranges, bool written) {
    for (const BlockRange& range : ranges) {
      if (!error_.empty()) return;
      if (written && range.buffer == Buffer::send)
        return fail(at(rank, round) + "send is read-only");
      if (!lies_within(range, sizes_[rank].blocks(range.buffer)))
        return fail(at(rank, round) + name(range.buffer) + " has " +
                    std::to_string(sizes_[rank].blocks(range.buffer)) + " blocks, not " +
                    std::to_string(range.blocks()) + " from number " + std::to_string(range.first) +
                    " on");
      looked_at_ += range.blocks();
    }
    if (looked_at_ > most_blocks) fail(too_many);
  }

  // memcpy must not get overlapping memory. A copy of a block to itself is allowed: in place, send
  // is recv.
  void look_for_overlap(int rank, int round, std::span<const BlockRange> from,
                        std::span<const BlockRange> into, bool reduces) {
    if (!uses(from, Buffer::send) && !(uses(from, Buffer::recv) && uses(into, Buffer::recv)) &&
        !(uses(from, Buffer::scratch) && uses(into, Buffer::scratch)))
      return;
    const auto written = cells(rank, into, false, cells_);
    std::vector<std::int64_t> order(written.begin(), written.end());
    std::ranges::sort(order);
    if (std::ranges::adjacent_find(order) != order.end())
      return fail(at(rank, round) + "a block is written twice");
    for (const bool in_place : {false, true}) {
      const auto read = cells(rank, from, in_place, cells_in_place_);
      if (!reduces && std::ranges::equal(read, written)) continue;  // moves nothing
      for (const std::int64_t cell : read)
        if (std::ranges::binary_search(order, cell))
          return fail(at(rank, round) + "a step writes a block that it reads");
    }
  }

  // The first block whose size differs from that of its counterpart, as its index in the message;
  // -1 if there is none. Both have the same number of blocks.
  std::int64_t first_difference(int one, std::span<const BlockRange> from, int other,
                                std::span<const BlockRange> into) {
    if (alike_ && shape_.parts == 1) return -1;
    runs_.clear();
    other_runs_.clear();
    sizes_[one].append_runs(from, runs_);
    sizes_[other].append_runs(into, other_runs_);
    std::int64_t done = 0;
    std::size_t i = 0, j = 0;
    while (i < runs_.size() && j < other_runs_.size()) {
      Run &a = runs_[i], &b = other_runs_[j];
      const std::int64_t some = std::min(a.count, b.count);
      if (!alike(a, b, some)) return done;
      for (Run* each : {&a, &b}) {
        each->datum += some * each->step;
        each->count -= some;
      }
      done += some;
      i += a.count == 0 ? 1 : 0;
      j += b.count == 0 ? 1 : 0;
    }
    return -1;
  }
  // If all whole blocks are equal, they are cut equally: a datum is then part datum % parts of a
  // block.
  bool alike(const Run& a, const Run& b, std::int64_t count) const {
    if (!alike_) return a.datum == b.datum && (count == 1 || a.step == b.step);
    for (std::int64_t i = 0; i < count; ++i)
      if ((a.datum + i * a.step) % shape_.parts != (b.datum + i * b.step) % shape_.parts)
        return false;
    return true;
  }

  void fail(const std::string& what) {
    if (error_.empty()) error_ = what;
  }

  const Collective& collective_;
  const Shape& shape_;
  const bool alike_, relays_;
  std::span<const Schedule> schedules_;
  std::vector<Sizes> sizes_;
  std::int64_t looked_at_ = 0;
  std::string error_;
  std::vector<Run> runs_, other_runs_;  // members to keep their memory
  std::vector<std::int64_t> cells_, cells_in_place_;
};

}  // namespace

std::string unsafe(const Algorithm& algorithm, const Shape& shape,
                   std::span<const Schedule> schedules) {
  return Check(algorithm, shape, schedules).run();
}

}  // namespace toccata
