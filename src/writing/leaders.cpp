#include "writing/leaders.h"

namespace toccata {

const Parameter& Leaders::exchange() {
  static const Parameter parameter = [] {
    Parameter made = choice("exchange", "allgather among leaders",
                            {"bruck", "ring", "recursive_doubling", "sparbit"});
    made.samples = {0, 1};  // the other values are like the first
    return made;
  }();
  return parameter;
}

const Parameter& Leaders::local() {
  static const Parameter parameter =
      choice("local",
             "gather and broadcast inside a node: along a binomial tree, or directly by the leader",
             {"binomial", "linear"});
  return parameter;
}

Leaders::Leaders(Levels levels, const Shape& shape)
    : levels_(std::move(levels)),
      exchange_(allgather, exchange().words[shape.parameters[exchange()]]),
      gather_(gather, local().words[shape.parameters[local()]]),
      broadcast_(bcast, local().words[shape.parameters[local()]]),
      p_(shape.p) {}

std::string Leaders::why_impossible() const {
  const std::string why = exchange_.why_impossible(levels_.largest(0));
  return why.empty() ? "" : "needs a power of two leaders for exchange=recursive_doubling";
}

std::optional<Cost> Leaders::claim() const {
  if (!levels_.even()) return {};
  Cost cost = exchange_.claim(levels_.largest(0)).of(p_ / levels_.largest(0)) +
              levels_.claim(1, broadcast_).of(p_);
  cost.rounds += levels_.claim(1, gather_).rounds;
  cost.copied = 1;
  return cost;
}

void Leaders::write(int rank, ScheduleBuilder& schedule) const {
  levels_.gather(schedule, 1, rank, gather_);
  levels_.in_teams(schedule, 0, rank, exchange_, levels_.contribution(0, rank),
                   levels_.contributions_of_team(0, rank));
  levels_.broadcast(schedule, 1, rank, broadcast_, p_);
}

}  // namespace toccata
