// Scan in the shared memory of a node: every rank publishes its contribution once. Each rank
// reduces those of the lower ranks in place, by the standard prefix.
// [graham2008, section 3]   rounds 1   copies per rank 1 into shared memory; reduces up to p-1
//
//   p = 4      rank 0   rank 1   rank 2     rank 3
//   publish    a        b        c          d
//   reduce     a        a∘b      (a∘b)∘c    (a∘b)∘(c∘d)

#include "writing/shared.h"

#include "patterns/standard_expression.h"

namespace toccata::algorithms::scan {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  schedule.round();
  for (int higher = rank + 1; higher < shape.p; ++higher) schedule.publish(higher, send(0));
  BlockRanges operands;
  for (int lower = 0; lower < rank; ++lower) {
    operands.push_back(schedule.scratch({send(0)}));
    schedule.read(lower, operands.back());
  }
  operands.push_back(send(0));
  const BlockRange result = schedule.scratch({send(0)});
  StandardExpression(schedule, send(0), [&](int each) {
    return operands[each];
  }).write_prefix(rank + 1, result);
  schedule.copy(result, recv(0));
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others > 0 ? 1 : 0,
          .messages = others,
          .sent = others,
          .copied = combining_copies(shape.p) + 1,
          .reduced = others};
}

extern const Algorithm shared{
    .name = "shared",
    .collective = toccata::scan,
    .summary = "one round through the shared memory of a node",
    .citation = "graham2008, section 3",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .publishes = true,
    .write = write,
};

}  // namespace toccata::algorithms::scan
