#include "schedule/builder.h"

#include <algorithm>
#include <cassert>

#include "schedule/scratch_sizes.h"

namespace toccata {

ScheduleBuilder& ScheduleBuilder::round() {
  schedule_.rounds_.push_back({static_cast<std::uint32_t>(schedule_.sends_.size()),
                               static_cast<std::uint32_t>(schedule_.recvs_.size()),
                               static_cast<std::uint32_t>(schedule_.steps_.size())});
  return *this;
}

std::uint32_t ScheduleBuilder::store(std::span<const BlockRange> blocks) {
  const std::size_t first = schedule_.ranges_.size();
  for (const BlockRange& range : blocks)  // usually one
    if (range.blocks() > 0) schedule_.ranges_.push_back(range);
  return static_cast<std::uint32_t>(first);
}

std::uint32_t ScheduleBuilder::store_moved(std::span<const BlockRange> ranges,
                                           const BlockShift& shift) {
  const std::uint32_t first = store(ranges);
  for (std::size_t i = first; i < schedule_.ranges_.size(); ++i) {
    BlockRange& range = schedule_.ranges_[i];
    range.first += shift.of(range.buffer);
  }
  return first;
}

void ScheduleBuilder::reserve(const Schedule& like) {
  const auto make_room = [](auto& entries, const auto& others) {
    entries.reserve(entries.size() + others.size());
  };
  make_room(schedule_.rounds_, like.rounds_);
  make_room(schedule_.sends_, like.sends_);
  make_room(schedule_.recvs_, like.recvs_);
  make_room(schedule_.steps_, like.steps_);
  make_room(schedule_.ranges_, like.ranges_);
}

Message ScheduleBuilder::message(int peer, std::span<const BlockRange> blocks, Travel travel) {
  assert(schedule_.rounds() > 0 && "round() comes first");
  const std::uint32_t first = store(blocks);
  return {peer, channel_, travel, first, stored_since(first)};
}

ScheduleBuilder& ScheduleBuilder::send(int peer, const BlockRanges& blocks, Travel travel) {
  schedule_.sends_.push_back(message(peer, blocks, travel));
  return *this;
}

ScheduleBuilder& ScheduleBuilder::send(int peer, const BlockRange& blocks, Travel travel) {
  schedule_.sends_.push_back(message(peer, {&blocks, 1}, travel));
  return *this;
}

ScheduleBuilder& ScheduleBuilder::recv(int peer, const BlockRanges& blocks, Travel travel) {
  schedule_.recvs_.push_back(message(peer, blocks, travel));
  return *this;
}

ScheduleBuilder& ScheduleBuilder::recv(int peer, const BlockRange& blocks, Travel travel) {
  schedule_.recvs_.push_back(message(peer, {&blocks, 1}, travel));
  return *this;
}

ScheduleBuilder& ScheduleBuilder::publish(std::span<const int> readers, const BlockRange& blocks) {
  for (const int reader : readers) publish(reader, blocks);
  return *this;
}

ScheduleBuilder& ScheduleBuilder::step(std::span<const BlockRange> from,
                                       std::span<const BlockRange> into, bool reduces) {
  assert(schedule_.rounds() > 0 && "round() comes first");
  assert(blocks(from) == blocks(into));
  const std::uint32_t first = store(from), middle = store(into);
  schedule_.steps_.push_back({first, middle - first, stored_since(middle), reduces});
  return *this;
}

ScheduleBuilder& ScheduleBuilder::copy(const BlockRanges& from, const BlockRanges& into) {
  return step(from, into, false);
}

ScheduleBuilder& ScheduleBuilder::reduce(const BlockRanges& from, const BlockRanges& into) {
  return step(from, into, true);
}

ScheduleBuilder& ScheduleBuilder::copy(const BlockRange& from, const BlockRange& into) {
  return step({&from, 1}, {&into, 1}, false);
}

ScheduleBuilder& ScheduleBuilder::reduce(const BlockRange& from, const BlockRange& into) {
  return step({&from, 1}, {&into, 1}, true);
}

BlockRange ScheduleBuilder::scratch(const BlockRanges& like) {
  for (const BlockRange& range : like) append(schedule_.scratch_, range);
  const auto count = static_cast<std::int32_t>(blocks(like));
  scratch_blocks_ += count;
  return {Buffer::scratch, scratch_blocks_ - count, count};
}

ScheduleBuilder& ScheduleBuilder::channel(int channel) {
  channel_ = static_cast<std::uint16_t>(channel);
  schedule_.channels_ = std::max(schedule_.channels_, channel + 1);
  return *this;
}

ScheduleBuilder& ScheduleBuilder::merge_round(const Schedule& other, int round,
                                              const BlockShift& shift, int first_channel) {
  const auto moved = [&](const Message& message) {
    channel(first_channel + message.channel);
    return Message{message.peer, channel_, message.travel,
                   store_moved(other.ranges(message), shift), message.range_count};
  };
  for (const Message& each : other.sends(round)) schedule_.sends_.push_back(moved(each));
  for (const Message& each : other.recvs(round)) schedule_.recvs_.push_back(moved(each));
  for (const Step& each : other.steps(round)) {
    const std::uint32_t first = store_moved(other.from(each), shift);
    store_moved(other.into(each), shift);
    schedule_.steps_.push_back({first, each.from_count, each.into_count, each.reduces});
  }
  channel_ = 0;
  return *this;
}

ScheduleBuilder& ScheduleBuilder::then(Schedule next, int rounds) {
  const int missing = std::max(0, rounds - next.rounds());
  const bool first = schedule_.rounds() == 0;
  const BlockRange moved = scratch(next.scratch());
  schedule_.channels_ = std::max(schedule_.channels_, next.channels());
  if (first && moved.first == 0) {
    next.channels_ = schedule_.channels_;
    schedule_ = std::move(next);
  } else {
    // The entries do not change, except for the indices at which they begin in our schedule.
    const auto sends = static_cast<std::uint32_t>(schedule_.sends_.size());
    const auto recvs = static_cast<std::uint32_t>(schedule_.recvs_.size());
    const auto steps = static_cast<std::uint32_t>(schedule_.steps_.size());
    const std::uint32_t ranges = store_moved(next.ranges_, {.scratch = moved.first});
    for (const auto& each : next.rounds_)
      schedule_.rounds_.push_back({each.sends + sends, each.recvs + recvs, each.steps + steps});
    const auto add = [&](auto& all, const auto& entries) {
      const auto ours = static_cast<std::ptrdiff_t>(all.size());
      all.insert(all.end(), entries.begin(), entries.end());
      for (auto each = all.begin() + ours; each != all.end(); ++each) each->first_range += ranges;
    };
    add(schedule_.sends_, next.sends_);
    add(schedule_.recvs_, next.recvs_);
    add(schedule_.steps_, next.steps_);
  }
  for (int i = 0; i < missing; ++i) round();
  return *this;
}

// Replaces scratch blocks by the blocks of send or recv from which they take their sizes.
BlockRanges ScheduleBuilder::without_scratch(const BlockRanges& like) const {
  if (std::ranges::none_of(like, [](auto& range) { return range.buffer == Buffer::scratch; }))
    return like;
  BlockRanges result;
  const ScratchSizes sizes(schedule_.scratch_);
  for (const BlockRange& range : like)
    if (range.buffer != Buffer::scratch)
      append(result, range);
    else
      for (const BlockRange& home : sizes.of(range)) append(result, home);
  return result;
}

ScheduleBuilder& ScheduleBuilder::go_on(std::span<const Schedule> abreast, int rounds) {
  for (const Schedule& each : abreast) {
    reserve(each);
    scratch(without_scratch(each.scratch()));
    channel(each.channels() - 1);
    rounds = std::max(rounds, each.rounds());
  }
  schedule_.rounds_.reserve(schedule_.rounds_.size() + rounds);
  for (int i = 0; i < rounds; ++i) {
    round();
    for (const Schedule& each : abreast)
      if (i < each.rounds()) merge_round(each, i);
  }
  channel_ = 0;
  return *this;
}

Schedule ScheduleBuilder::build() && {
  auto& rounds = schedule_.rounds_;
  while (!rounds.empty() && rounds.back().sends == schedule_.sends_.size() &&
         rounds.back().recvs == schedule_.recvs_.size() &&
         rounds.back().steps == schedule_.steps_.size())
    rounds.pop_back();
  return std::move(schedule_);
}

}  // namespace toccata
