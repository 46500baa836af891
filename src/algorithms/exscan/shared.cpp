// Exclusive scan in the shared memory of a node: every rank publishes its contribution once. Each
// rank reduces those of the lower ranks in place, by the standard prefix.
// [graham2008, section 3]   rounds 1   copies per rank 1 into shared memory; reduces up to p-1
//
//   p = 4      rank 0   rank 1   rank 2     rank 3
//   publish    a        b        c          d
//   reduce              a        a∘b        (a∘b)∘c

#include "writing/shared.h"

#include "patterns/standard_expression.h"

namespace toccata::algorithms::exscan {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  for (int higher = rank + 1; higher < shape.p; ++higher) schedule.publish(higher, send(0));
  if (rank == 0) return;
  if (shape.p == 2) {  // nothing to combine
    schedule.read(0, recv(0));
    return;
  }
  BlockRanges operands;
  for (int lower = 0; lower < rank; ++lower) {
    operands.push_back(schedule.scratch({send(0)}));
    schedule.read(lower, operands.back());
  }
  const BlockRange result = schedule.scratch({send(0)});
  StandardExpression(schedule, send(0), [&](int each) {
    return operands[each];
  }).write_prefix(rank, result);
  schedule.copy(result, recv(0));
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  if (others == 0) return {};
  return {.rounds = 1,
          .messages = others,
          .sent = others,
          .copied = others == 1 ? 0 : combining_copies(others) + 1,
          .reduced = others - 1};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::exscan,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::exscan
