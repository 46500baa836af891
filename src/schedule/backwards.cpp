#include "schedule/backwards.h"

#include <algorithm>
#include <cassert>
#include <ranges>
#include <utility>
#include <vector>

#include "schedule/builder.h"

namespace toccata {

Schedule backwards(const Schedule& schedule, int rounds) {
  const auto mirrored = [](std::span<const BlockRange> ranges) {
    BlockRanges result(ranges.begin(), ranges.end());
    for (BlockRange& range : result)
      if (range.buffer != Buffer::scratch)
        range.buffer = range.buffer == Buffer::send ? Buffer::recv : Buffer::send;
    return result;
  };
  rounds = std::max(rounds, schedule.rounds());
  ScheduleBuilder result;
  result.scratch(mirrored(schedule.scratch()));
  // A round's steps followed its messages; now they have to come before them.
  const auto undo_steps = [&](int round) {
    if (round < 0 || round >= schedule.rounds()) return;
    for (const Step& each : schedule.steps(round) | std::views::reverse) {
      assert(!each.reduces);
      result.copy(mirrored(schedule.into(each)), mirrored(schedule.from(each)));
    }
  };
  result.round();
  undo_steps(rounds - 1);
  for (int i = rounds - 1; i >= 0; --i) {
    result.round();
    if (i < schedule.rounds()) {
      for (const Message& each : schedule.recvs(i) | std::views::reverse)
        result.channel(each.channel).send(each.peer, mirrored(schedule.ranges(each)), each.travel);
      for (const Message& each : schedule.sends(i) | std::views::reverse)
        result.channel(each.channel).recv(each.peer, mirrored(schedule.ranges(each)), each.travel);
    }
    undo_steps(i - 1);
  }
  result.channel(schedule.channels() - 1);
  return std::move(result).build();
}

namespace {

class Collector {
 public:
  Collector(const Schedule& spreading, int first_owned, int owned)
      : spreading_(spreading), first_owned_(first_owned), owned_(owned) {
    int blocks = first_owned + owned;
    for (int i = 0; i < spreading.rounds(); ++i)
      for (const auto messages : {spreading.sends(i), spreading.recvs(i)})
        for (const Message& each : messages)
          for (const BlockRange& range : spreading.ranges(each)) {
            assert(range.buffer == Buffer::recv);
            const int last_run =
                std::max(range.first, range.first + (range.repeat - 1) * range.stride);
            blocks = std::max(blocks, last_run + range.count);
          }
    partial_.assign(blocks, none);
    used_.assign(blocks, 0);
  }

  Schedule collect(int rounds) {
    // Copied and not received into: in place they are one, and hold a contribution.
    result_.round();
    if (owned_ > 0) result_.copy(send(first_owned_, owned_), recv(0, owned_));
    for (int i = rounds - 1; i >= 0; --i) {
      result_.round();
      if (i >= spreading_.rounds()) continue;
      for (const Message& each : spreading_.recvs(i) | std::views::reverse) {
        BlockRanges ranges;
        for_each(spreading_.ranges(each), [&](int block) { append(ranges, held(block)); });
        result_.channel(each.channel).send(each.peer, in_runs(ranges), each.travel);
      }
      for (const Message& each : spreading_.sends(i) | std::views::reverse)
        receive(each, spreading_.ranges(each));
      for (const auto& [from, into] : reductions_) result_.reduce(from, into);
      reductions_.clear();
      for (const int block : with_spares_) used_[block] = 0;
      with_spares_.clear();
    }
    result_.channel(spreading_.channels() - 1);
    return std::move(result_).build();
  }

 private:
  static constexpr int none = -1;

  // What was appended block by block, its runs merged where they are strided.
  static BlockRanges in_runs(const BlockRanges& ranges) {
    BlockRanges merged;
    for (const BlockRange& each : ranges) append(merged, each);
    return merged;
  }

  template <typename Visit>
  static void for_each(std::span<const BlockRange> ranges, Visit&& visit) {
    for (const BlockRange& range : ranges) for_each_block(range, visit);
  }

  bool is_owned(int block) const { return block >= first_owned_ && block < first_owned_ + owned_; }

  // Where the part of a block's result is that this rank has.
  BlockRange held(int block) const {
    if (is_owned(block)) return recv(block - first_owned_);
    if (partial_[block] == none) return send(block);
    return {Buffer::scratch, partial_[block]};
  }

  // What comes first for a block stays where it arrives and takes our contribution in; what comes
  // later arrives in a spare block, of which a block has as many as messages of one round.
  void receive(const Message& message, std::span<const BlockRange> ranges) {
    BlockRanges first, later, missing;
    for_each(ranges, [&](int block) {
      if (!is_owned(block) && partial_[block] == none) return append(first, send(block));
      append(later, send(block));
      const std::size_t spare = used_[block];
      if (spare == spares_.size()) spares_.emplace_back(partial_.size(), none);
      if (spares_[spare][block] == none) append(missing, send(block));
    });
    first = in_runs(first);
    const BlockRange partials = result_.scratch(first);
    int room = partials.first;
    for_each(first, [&](int block) { partial_[block] = room++; });
    room = result_.scratch(in_runs(missing)).first;

    BlockRanges arrival, spare_blocks, into;
    if (later.empty())
      append(arrival, partials);
    else
      for_each(ranges, [&](int block) {
        if (partial_[block] >= partials.first && !is_owned(block))
          return append(arrival, held(block));
        with_spares_.push_back(block);
        int& spare = spares_[used_[block]++][block];
        if (spare == none) spare = room++;
        append(arrival, {Buffer::scratch, spare});
        append(spare_blocks, {Buffer::scratch, spare});
        append(into, held(block));
      });
    result_.channel(message.channel).recv(message.peer, in_runs(arrival), message.travel);
    if (!first.empty()) reductions_.emplace_back(std::move(first), BlockRanges{partials});
    if (!later.empty()) reductions_.emplace_back(in_runs(spare_blocks), in_runs(into));
  }

  const Schedule& spreading_;
  int first_owned_, owned_;
  ScheduleBuilder result_;
  std::vector<int> partial_;                                     // scratch, by block
  std::vector<std::vector<int>> spares_;                         // scratch, by number and block
  std::vector<int> used_;                                        // spares of this round, by block
  std::vector<int> with_spares_;                                 // blocks of this round
  std::vector<std::pair<BlockRanges, BlockRanges>> reductions_;  // of this round
};

}  // namespace

Schedule collecting(const Schedule& spreading, int rounds, int first_owned, int owned) {
  return Collector(spreading, first_owned, owned).collect(rounds);
}

}  // namespace toccata
