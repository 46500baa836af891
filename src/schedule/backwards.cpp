#include "schedule/backwards.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
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
  // In a round, steps follow the messages. In reverse, they must come before the messages.
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
      for (const Message& each : schedule.recvs(i))
        result.channel(each.channel).send(each.peer, mirrored(schedule.ranges(each)), each.travel);
      for (const Message& each : schedule.sends(i))
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
    // Owned contributions are copied to recv first. No message is received there, because with
    // MPI_IN_PLACE the send block and the recv block are the same and hold a contribution.
    result_.round();
    if (owned_ > 0) result_.copy(send(first_owned_, owned_), recv(0, owned_));
    for (int i = rounds - 1; i >= 0; --i) {
      result_.round();
      if (i >= spreading_.rounds()) continue;
      for (const Message& each : spreading_.recvs(i)) {
        BlockRanges ranges;
        for (const BlockRange& run : alike(spreading_.ranges(each))) append(ranges, held(run));
        result_.channel(each.channel).send(each.peer, in_runs(ranges), each.travel);
      }
      for (const Message& each : spreading_.sends(i)) receive(each, spreading_.ranges(each));
      for (const auto& [from, into] : reductions_) result_.reduce(from, into);
      reductions_.clear();
      for_each(with_spares_, [&](int block) { used_[block] = 0; });
      with_spares_.clear();
    }
    result_.channel(spreading_.channels() - 1);
    return std::move(result_).build();
  }

 private:
  static constexpr int none = -(1 << 30);  // no place: far from all places

  // The same ranges, with equally spaced runs merged into strided ranges.
  static BlockRanges in_runs(const BlockRanges& ranges) {
    BlockRanges merged;
    for (const BlockRange& each : ranges) append(merged, each);
    return merged;
  }

  template <typename Visit>
  static void for_each(std::span<const BlockRange> ranges, Visit&& visit) {
    for (const BlockRange& range : ranges) for_each_block(range, visit);
  }

  // The same blocks, divided into runs that can be treated as a whole: their blocks are equally
  // spaced, and so are their places. With many ranks, a message has very many blocks.
  BlockRanges alike(std::span<const BlockRange> ranges) const {
    BlockRanges runs;
    const auto add = [&](int first, int step, int blocks) {
      while (blocks > 0) {
        const int count = how_many_alike(first, step, blocks);
        runs.push_back(step == 1 || count == 1 ? send(first, count)
                                               : BlockRange{Buffer::send, first, 1, step, count});
        first += count * step;
        blocks -= count;
      }
    };
    for (const BlockRange& range : ranges)
      if (range.count == 1)
        add(range.first, range.stride, range.repeat);
      else
        for (int run = 0; run < range.repeat; ++run)
          add(range.first + run * range.stride, 1, range.count);
    return runs;
  }

  // The number of blocks, from the first on, that form such a run.
  int how_many_alike(int first, int step, int blocks) const {
    if (blocks == 1) return 1;
    const auto spare = static_cast<std::size_t>(used_[first]);
    // If there are no such spares yet, there is nothing more to check than partial_.
    const std::vector<int>& spares = spare < spares_.size() ? spares_[spare] : partial_;
    const int gap = partial_[first + step] - partial_[first];
    const int spare_gap = spares[first + step] - spares[first];
    // The distance from a place to `none` is greater than the distance between any two places.
    if (std::max(std::abs(gap), std::abs(spare_gap)) > -none / 2) return 1;
    int count = 1;
    for (int next = first + step; count < blocks; next += step, ++count) {
      const bool differs = used_[next] != used_[first];
      const bool changes = is_owned(next) != is_owned(first);
      const bool jumps = partial_[next] - partial_[next - step] != gap;
      const bool spare_jumps = spares[next] - spares[next - step] != spare_gap;
      if (differs | changes | jumps | spare_jumps) break;
    }
    return count;
  }

  // The place of a run in scratch.
  static BlockRange placed(const std::vector<int>& places, const BlockRange& run) {
    const int first = places[run.first], count = static_cast<int>(run.blocks());
    if (count == 1) return {Buffer::scratch, first};
    return {Buffer::scratch, first, 1, places[run.first + (run.count > 1 ? 1 : run.stride)] - first,
            count};
  }

  bool is_owned(int block) const { return block >= first_owned_ && block < first_owned_ + owned_; }

  // The place of the partial results that this rank has for a run.
  BlockRange held(BlockRange run) const {
    if (partial_[run.first] != none) return placed(partial_, run);
    if (is_owned(run.first)) {
      run.buffer = Buffer::recv;
      run.first -= first_owned_;
    }
    return run;
  }

  // The first message for a block stays where it arrives, and our contribution is added there.
  // Later messages arrive in spare blocks; a block has one spare for each message of a round.
  void receive(const Message& message, std::span<const BlockRange> ranges) {
    BlockRanges first, later, missing;
    const BlockRanges runs = alike(ranges);
    for (const BlockRange& run : runs) {
      if (!is_owned(run.first) && partial_[run.first] == none) {
        append(first, run);
        continue;
      }
      append(later, run);
      const std::size_t spare = used_[run.first];
      if (spare == spares_.size()) spares_.emplace_back(partial_.size(), none);
      if (spares_[spare][run.first] == none) append(missing, run);
    }
    first = in_runs(first);
    const BlockRange partials = result_.scratch(first);
    int room = partials.first;
    for_each(first, [&](int block) { partial_[block] = room++; });
    room = result_.scratch(in_runs(missing)).first;

    BlockRanges arrival, spare_blocks, into;
    for (const BlockRange& run : runs) {
      if (partial_[run.first] >= partials.first) {
        append(arrival, held(run));
        continue;
      }
      std::vector<int>& spares = spares_[used_[run.first]];
      if (spares[run.first] == none)
        for_each_block(run, [&](int block) { spares[block] = room++; });
      append(arrival, placed(spares, run));
      append(spare_blocks, placed(spares, run));
      append(into, held(run));
      with_spares_.push_back(run);
      for_each_block(run, [&](int block) { ++used_[block]; });
    }
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
  BlockRanges with_spares_;                                      // blocks of this round
  std::vector<std::pair<BlockRanges, BlockRanges>> reductions_;  // of this round
};

}  // namespace

Schedule collecting(const Schedule& spreading, int rounds, int first_owned, int owned) {
  return Collector(spreading, first_owned, owned).collect(rounds);
}

}  // namespace toccata
