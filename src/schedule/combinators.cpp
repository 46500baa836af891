#include "schedule/combinators.h"

#include <algorithm>
#include <array>

#include "schedule/builder.h"
#include "schedule/scratch_sizes.h"

namespace toccata {

Schedule then(const Schedule& first, const Schedule& second) {
  ScheduleBuilder result;
  result.then(first).then(second);
  return std::move(result).build();
}

Schedule going_on(const Schedule& first, const Schedule& second) {
  ScheduleBuilder result;
  result.then(first).go_on({&second, 1});
  return std::move(result).build();
}

namespace {

// A schedule that runs at the same time as others, from round `begin` on.
struct Part {
  const Schedule& schedule;
  int begin = 0, first_channel = 0;
  BlockShift shift = {};
};

// The number of channels must be the same on all ranks, also on a rank without messages.
Schedule merged(std::span<Part> parts, int channels) {
  ScheduleBuilder result;
  int rounds = 0;
  for (Part& part : parts) {
    BlockRanges like = part.schedule.scratch();
    for (BlockRange& range : like) range.first += part.shift.of(range.buffer);
    part.shift.scratch = result.scratch(like).first;
    rounds = std::max(rounds, part.begin + part.schedule.rounds());
  }
  for (int i = 0; i < rounds; ++i) {
    result.round();
    for (const Part& part : parts)
      if (const int own = i - part.begin; own >= 0 && own < part.schedule.rounds())
        result.merge_round(part.schedule, own, part.shift, part.first_channel);
  }
  result.channel(channels - 1);
  return std::move(result).build();
}

}  // namespace

Schedule beside(const Schedule& one, const Schedule& other) {
  std::array parts{Part{one}, Part{.schedule = other, .first_channel = one.channels()}};
  return merged(parts, one.channels() + other.channels());
}

Schedule beside(std::span<const Schedule> all) {
  std::vector<Part> parts;
  int channels = 0;
  for (const Schedule& each : all) {
    parts.push_back({.schedule = each, .first_channel = channels});
    channels += each.channels();
  }
  return merged(parts, channels);
}

Schedule abreast(std::span<const Schedule> all, int delay) {
  std::vector<Part> parts;
  int channels = 1;
  for (const Schedule& each : all) {
    parts.push_back({.schedule = each, .begin = delay * static_cast<int>(parts.size())});
    channels = std::max(channels, each.channels());
  }
  return merged(parts, channels);
}

Schedule segmented(const Schedule& one, int blocks, int number, int delay) {
  std::vector<Part> parts;
  for (int i = 0; i < number; ++i)
    parts.push_back(
        {.schedule = one, .begin = delay * i, .shift = {.send = blocks * i, .recv = blocks * i}});
  return merged(parts, one.channels());
}

BlockMap BlockMap::affine(Buffer buffer, int first, int stride, int width) {
  BlockMap map;
  map.affine_ = {buffer, first, width};
  map.stride_ = stride;
  return map;
}

BlockMap BlockMap::permuted(Buffer buffer, std::span<const int> permutation, int width) {
  BlockMap map = affine(buffer, 0);
  map.permutation_ = permutation;
  map.blocks_a_rank_ = width;
  return map;
}

BlockMap BlockMap::table(std::span<const BlockRanges> table) {
  BlockMap map;
  map.first_ = {0};
  map.first_.reserve(table.size() + 1);
  for (const BlockRanges& each : table) map.add(each);
  return map;
}

void BlockMap::add(std::span<const BlockRange> ranges) {
  const auto block = static_cast<std::int32_t>(first_.size()) - 1;
  const auto width = static_cast<std::int32_t>(blocks(ranges));
  const bool run = ranges.size() == 1 && ranges[0].repeat == 1;
  if (block == 0)
    affine_ = {run ? ranges[0].buffer : Buffer::recv, run ? ranges[0].first : 0, width};
  if (block == 1 && run) stride_ = ranges[0].first - affine_.first;
  is_affine_ = (block == 0 || is_affine_) && run && width > 0 &&
               ranges[0] == BlockRange{affine_.buffer, affine_.first + block * stride_,
                                       affine_.count, ranges[0].stride};
  ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
  first_.push_back(static_cast<std::uint32_t>(ranges_.size()));
  if (affine_.count != width) affine_.count = 0;
}

std::span<const BlockRange> BlockMap::of(int inner_block) const {
  return std::span(ranges_).subspan(first_[inner_block],
                                    first_[inner_block + 1] - first_[inner_block]);
}

std::int64_t BlockMap::width(int inner_block) const {
  return first_.empty() ? affine_.count : blocks(of(inner_block));
}

void BlockMap::map(const BlockRange& inner, BlockRanges& outer) const {
  if (!first_.empty() && !is_affine_) {
    for_each_block(inner, [&](int block) {
      for (const BlockRange& range : of(block)) append(outer, range);
    });
    return;
  }
  if (!permutation_.empty()) {
    for_each_block(inner, [&](int block) {
      append(outer, {affine_.buffer, permutation_[block / blocks_a_rank_] * blocks_a_rank_ +
                                         block % blocks_a_rank_});
    });
    return;
  }
  const auto start = [&](int block) { return affine_.first + block * stride_; };
  if (affine_.count == stride_ || inner.count == 1) {  // a run stays a run
    append(outer, {affine_.buffer, start(inner.first), inner.count * affine_.count,
                   inner.stride * stride_, inner.repeat});
    return;
  }
  for (int run = 0; run < inner.repeat; ++run)
    append(outer, {affine_.buffer, start(inner.first + run * inner.stride), affine_.count, stride_,
                   inner.count});
}

namespace {

// Inner scratch blocks lie one after the other. Each is as wide as the block from which it takes
// its size.
BlockMap map_scratch(const BlockRanges& like, const BlockMap& send, const BlockMap& recv,
                     std::int32_t first) {
  const auto uniform = [&](const BlockRange& range) {
    return (range.buffer == Buffer::send ? send : recv).uniform_width();
  };
  if (!like.empty()) {
    const int width = uniform(like.front());
    if (width > 0 &&
        std::ranges::all_of(like, [&](auto& range) { return uniform(range) == width; }))
      return BlockMap::affine(Buffer::scratch, first, width, width);
  }
  BlockMap table = BlockMap::table();
  for (const BlockRange& range : like)
    for_each_block(range, [&](int block) {
      const BlockMap& map = range.buffer == Buffer::send ? send : recv;
      const auto width = static_cast<std::int32_t>(map.width(block));
      table.add({Buffer::scratch, first, width});
      first += width;
    });
  return table;
}

// Whether messages and copies without blocks are kept. In a group, a rank may have no blocks.
enum class Nothing : bool { kept, left_out };

template <typename PeerMap>
Schedule mapped(const Schedule& inner, const PeerMap& peer, const BlockMap& send,
                const BlockMap& recv, Scratch where, Nothing nothing, int first_scratch = 0) {
  const bool apart = where == Scratch::apart;
  const BlockMap scratch = map_scratch(inner.scratch(), send, recv, first_scratch);
  const ScratchSizes sizes(apart ? BlockRanges{} : inner.scratch());
  const auto map = [&](std::span<const BlockRange> ranges, BlockRanges& outer) {
    outer.clear();
    for (const BlockRange& range : ranges)
      if (range.buffer == Buffer::scratch && !apart) {
        for (const BlockRange& home : sizes.of(range))
          (home.buffer == Buffer::send ? send : recv).map(home, outer);
      } else {
        const BlockMap& blocks = range.buffer == Buffer::send   ? send
                                 : range.buffer == Buffer::recv ? recv
                                                                : scratch;
        blocks.map(range, outer);
      }
  };

  ScheduleBuilder result;
  result.reserve(inner);
  BlockRanges moved, from, into;  // outside the loop, because schedules may have very many messages
  if (apart) {
    map(inner.scratch(), moved);
    result.scratch(moved);
  }
  const bool all = nothing == Nothing::kept;
  for (int i = 0; i < inner.rounds(); ++i) {
    result.round();
    for (const Message& each : inner.sends(i))
      if (map(inner.ranges(each), moved); all || !moved.empty() || each.range_count == 0)
        result.channel(each.channel).send(peer(each.peer), moved, each.travel);
    for (const Message& each : inner.recvs(i))
      if (map(inner.ranges(each), moved); all || !moved.empty() || each.range_count == 0)
        result.channel(each.channel).recv(peer(each.peer), moved, each.travel);
    for (const Step& each : inner.steps(i)) {
      map(inner.from(each), from);
      map(inner.into(each), into);
      if (each.reduces)
        result.reduce(from, into);
      else if (all || from != into)
        result.copy(from, into);
    }
  }
  result.channel(inner.channels() - 1);
  return std::move(result).build();
}

}  // namespace

Schedule on(std::span<const int> group, const Schedule& inner, const BlockMap& send,
            const BlockMap& recv, Scratch scratch) {
  return mapped(
      inner, [&](int rank) { return group[rank]; }, send, recv, scratch, Nothing::left_out);
}

Schedule on(std::span<const int> group, const Schedule& inner, const BlockMap& send,
            const BlockMap& recv, int first_scratch) {
  return mapped(
      inner, [&](int rank) { return group[rank]; }, send, recv, Scratch::apart, Nothing::left_out,
      first_scratch);
}

Schedule on(const Schedule& inner, const BlockMap& send, const BlockMap& recv, Scratch scratch) {
  return mapped(
      inner, [](int rank) { return rank; }, send, recv, scratch, Nothing::kept);
}

Schedule signals(const Schedule& schedule) {
  ScheduleBuilder result;
  for (int i = 0; i < schedule.rounds(); ++i) {
    result.round();
    for (const Message& each : schedule.sends(i)) result.channel(each.channel).send(each.peer);
    for (const Message& each : schedule.recvs(i)) result.channel(each.channel).recv(each.peer);
  }
  result.channel(schedule.channels() - 1);
  return std::move(result).build();
}

Schedule without_messages_to(int root, int rank, const Schedule& schedule) {
  ScheduleBuilder result;
  result.reserve(schedule);
  result.scratch(schedule.scratch());
  const auto ranges = [&](std::span<const BlockRange> all) {
    return BlockRanges(all.begin(), all.end());
  };
  for (int i = 0; i < schedule.rounds(); ++i) {
    result.round();
    for (const Message& each : schedule.sends(i))
      if (each.peer != root)
        result.channel(each.channel).send(each.peer, ranges(schedule.ranges(each)), each.travel);
    for (const Message& each : schedule.recvs(i))
      if (rank != root)
        result.channel(each.channel).recv(each.peer, ranges(schedule.ranges(each)), each.travel);
    for (const Step& each : schedule.steps(i))
      if (each.reduces)
        result.reduce(ranges(schedule.from(each)), ranges(schedule.into(each)));
      else
        result.copy(ranges(schedule.from(each)), ranges(schedule.into(each)));
  }
  result.channel(schedule.channels() - 1);
  return std::move(result).build();
}

Schedule in_scratch(const Schedule& schedule, const BlockMap& like, int stays) {
  std::vector<bool> used;
  const auto use = [&](std::span<const BlockRange> ranges) {
    for (const BlockRange& range : ranges)
      for (int run = 0; range.buffer == Buffer::recv && run < range.repeat; ++run) {
        const std::size_t first = range.first + run * range.stride, end = first + range.count;
        used.resize(std::max(used.size(), end));
        std::fill(used.begin() + first, used.begin() + end, true);
      }
  };
  for (int i = 0; i < schedule.rounds(); ++i) {
    for (const Message& each : schedule.sends(i)) use(schedule.ranges(each));
    for (const Message& each : schedule.recvs(i)) use(schedule.ranges(each));
    for (const Step& each : schedule.steps(i)) {
      use(schedule.from(each));
      use(schedule.into(each));
    }
  }
  use(schedule.scratch());
  BlockRanges room;
  BlockMap places = BlockMap::table();
  int place = 0;
  for (std::size_t block = 0; block < used.size(); ++block) {
    if (static_cast<int>(block) == stays || !used[block]) {
      places.add(recv(0));
      continue;
    }
    like.map(recv(static_cast<int>(block)), room);
    places.add({Buffer::scratch, place++});
  }
  ScheduleBuilder declared;
  declared.scratch(room);
  return going_on(std::move(declared).build(),
                  mapped(
                      schedule, [](int rank) { return rank; }, BlockMap::affine(Buffer::send, 0),
                      places, Scratch::apart, Nothing::kept, place));
}

Schedule relabel(std::span<const int> permutation, const Schedule& schedule,
                 std::initializer_list<Buffer> block_a_rank, int width) {
  const auto map = [&](Buffer buffer) {
    return std::ranges::find(block_a_rank, buffer) == block_a_rank.end()
               ? BlockMap::affine(buffer, 0)
               : BlockMap::permuted(buffer, permutation, width);
  };
  return on(permutation, schedule, map(Buffer::send), map(Buffer::recv));
}

}  // namespace toccata
