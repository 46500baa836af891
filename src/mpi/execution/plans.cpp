#include "mpi/execution/plans.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "choices/ranking.h"

namespace toccata {

bool Plans::Key::operator==(const Key& other) const {
  return collective == other.collective && choice == other.choice && p == other.p &&
         rank == other.rank && root == other.root && where == other.where;
}

std::size_t Plans::Key::hash() const {
  std::size_t result = std::hash<const void*>()(collective);
  const auto mix = [&](std::uint64_t value) {
    result = (result ^ value) * 0x9e3779b97f4a7c15u;
    result ^= result >> 32;
  };
  mix(reinterpret_cast<std::uintptr_t>(choice.algorithm));
  mix(static_cast<std::uint64_t>(p) << 32 | static_cast<std::uint32_t>(rank));
  mix(static_cast<std::uint64_t>(root));
  mix(where);
  return result;
}

// The maximum number of blocks per message. 0 if a message is not one contiguous range, or if
// blocks are combined.
static int longest_stretch(const Schedule& schedule) {
  int longest = 1;
  for (int round = 0; round < schedule.rounds(); ++round) {
    for (const auto messages : {schedule.sends(round), schedule.recvs(round)})
      for (const Message& each : messages) {
        const auto ranges = schedule.ranges(each);
        if (ranges.empty() || each.travel == Travel::per_block) continue;
        if (ranges.size() > 1 || !ranges[0].consecutive()) return 0;
        longest = std::max(longest, static_cast<int>(ranges[0].blocks()));
      }
    for (const Step& each : schedule.steps(round))
      if (each.reduces) return 0;
  }
  return longest;
}

std::shared_ptr<const Plan> Plans::make(const Key& key, const Shape& known) {
  auto plan = std::make_shared<Plan>();
  const Shape shape = shape_of(key.choice, known);
  const auto units = [&](Buffer buffer) {
    return key.collective->blocks(shape, key.rank, buffer) / shape.parts;
  };
  plan->schedule = key.choice.schedule(shape, key.rank);
  plan->units = {units(Buffer::send), units(Buffer::recv), shape.parts, key.collective->reduces};
  plan->straight = StraightProgram::compile(plan->schedule);
  plan->publishes = plan->schedule.publishes();
  if (plan->publishes) plan->program = node::Program::compile(plan->schedule);
  plan->sized = key.collective->vector_of != nullptr && key.choice.algorithm->blocks_alike;
  plan->longest_stretch =
      plan->units.reduces || plan->publishes || plan->sized ? 0 : longest_stretch(plan->schedule);
  return plan;
}

std::shared_ptr<const Plan> Plans::find(const Key& key) {
  const std::size_t hash = key.hash();
  const std::lock_guard lock(mutex_);
  const auto [first, end] = by_hash_.equal_range(hash);
  for (auto each = first; each != end; ++each) {
    if (each->second->key != key) continue;
    entries_.splice(entries_.begin(), entries_, each->second);
    return each->second->plan;
  }
  return nullptr;
}

std::shared_ptr<const Plan> Plans::keep(const Key& key, std::shared_ptr<const Plan> plan) {
  const std::size_t hash = key.hash();
  const std::lock_guard lock(mutex_);
  entries_.push_front({key, hash, plan});
  by_hash_.emplace(hash, entries_.begin());
  memory_ += plan->memory();
  while (memory_ > most_memory && entries_.size() > 1) {
    const auto last = std::prev(entries_.end());
    memory_ -= last->plan->memory();
    const auto [first, end] = by_hash_.equal_range(last->hash);
    for (auto each = first; each != end; ++each)
      if (each->second == last) {
        by_hash_.erase(each);
        break;
      }
    entries_.erase(last);
  }
  return plan;
}

}  // namespace toccata
