#include "writing/shared.h"

#include <vector>

#include "patterns/circulant.h"
#include "patterns/standard_expression.h"
#include "writing/algorithm.h"

namespace toccata {

const Parameter& shared_reducers() {
  static const Parameter reducers = choice(
      "reducers",
      "slices: each rank reduces one slice; whole: every rank with a result reduces all of it",
      {"slices", "whole"});
  return reducers;
}

int shared_parts(const Shape& shape) {
  return shape.parameters.is(shared_reducers(), "slices") ? shape.p : 1;
}

void combine_published(ScheduleBuilder& schedule, int p, int rank, const BlockRange& own,
                       const BlockRange& target) {
  const Circulant ranks{p, rank};
  std::vector<BlockRange> operands(p, own);
  for (int i = 1; i < p; ++i) {
    const int peer = ranks.above(i);
    operands[peer] = schedule.scratch({own});
    schedule.read(peer, operands[peer]);
  }
  StandardExpression(schedule, own, [&](int each) { return operands[each]; }).write_all(p, target);
}

void publish_slices(ScheduleBuilder& schedule, int p, int rank) {
  const Circulant ranks{p, rank};
  for (int i = 1; i < p; ++i) schedule.publish(ranks.above(i), send(ranks.above(i)));
}

void publish_to_all(ScheduleBuilder& schedule, int p, int rank, const BlockRange& block) {
  const Circulant ranks{p, rank};
  for (int i = 1; i < p; ++i) schedule.publish(ranks.above(i), block);
}

}  // namespace toccata
