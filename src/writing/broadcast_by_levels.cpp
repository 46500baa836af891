#include "writing/broadcast_by_levels.h"

#include "schedule/combinators.h"

namespace toccata {

const Parameter& BroadcastByLevels::between() {
  static const Parameter parameter =
      choice("between", "algorithm among leaders: bcast/... (a reduction runs it backwards)",
             {"binomial", "knomial", "pipeline"});
  return parameter;
}
const Parameter& BroadcastByLevels::inside() {
  static const Parameter parameter =
      choice("inside", "algorithm inside each region: bcast/... (a reduction runs it backwards)",
             {"binomial", "pipeline"});
  return parameter;
}
const Parameter& BroadcastByLevels::segments() {
  static const Parameter parameter = number_of_segments(
      "segments; one moves on inside the region while the next arrives", {1, 3}, 1);
  return parameter;
}

BroadcastByLevels::BroadcastByLevels(const Shape& shape)
    : levels_(shape),
      between_(bcast, between().words[shape.parameters[between()]]),
      inside_(bcast, inside().words[shape.parameters[inside()]]),
      segments_(shape.parameters[segments()]),
      delay_(segments_ == 1 ? 0 : levels_.segment_interval(between_, inside_)) {}

Schedule BroadcastByLevels::schedule(int rank) const {
  const BlockMap message = BlockMap::affine(Buffer::recv, 0);
  ScheduleBuilder down;
  levels_.in_teams(down, 0, rank, between_, message, message);
  levels_.broadcast(down, 1, rank, inside_, 1);
  return segmented(std::move(down).build(), 1, segments_, delay_);
}

std::optional<Cost> BroadcastByLevels::claim() const {
  if (segments_ > 1 || !levels_.even()) return {};
  return between_.claim(levels_.largest(0)) + levels_.claim(1, inside_);
}

int BroadcastByLevels::rounds() const {
  return levels_.rounds(0, between_) + levels_.rounds_from(1, inside_) + (segments_ - 1) * delay_;
}

}  // namespace toccata
