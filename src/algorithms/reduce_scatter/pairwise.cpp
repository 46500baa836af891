// Reduce-scatter in pairs: in round i, every rank sends to the rank i above its contribution for
// that rank.
// [thakur2005, on reduce-scatter]   rounds p-1   cost (p-1)·α + (p-1)/p·n·(β + γ)
//
//   p = 4, rank 1 receives from    0    3    2
//   and then has                   01   01 3   01 23    at the end 0123
//
// Operands arrive in descending order: first those of lower ranks, then those from the highest rank
// on. Each is reduced into those above it, and the two runs are combined at the end. So the order
// of the ranks is kept.

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::reduce_scatter {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const bool top = rank == shape.p - 1;
  const BlockRange scratch = schedule.scratch({recv(0), recv(0)});
  const BlockRange next{Buffer::scratch, scratch.first};
  const BlockRange own = top ? recv(0) : BlockRange{Buffer::scratch, scratch.first + 1};
  const BlockRange from_above = recv(0);

  schedule.round().copy(send(rank), own);
  for (int i = 1; i < shape.p; ++i) {
    const int to = ranks.above(i);
    const int from = ranks.below(i);
    const bool first_from_above = from == shape.p - 1;
    schedule.round().send(to, send(to)).recv(from, first_from_above ? from_above : next);
    if (!first_from_above) schedule.reduce(next, from < rank ? own : from_above);
  }
  if (!top) schedule.reduce(own, from_above);
}

static Cost claim(const Shape& shape) {
  const int others = shape.p - 1;
  return {.rounds = others, .messages = others, .sent = others, .copied = 1, .reduced = others};
}

extern const Algorithm pairwise{
    .name = "pairwise",
    .collective = toccata::reduce_scatter,
    .summary = "p-1 rounds, each with different peers; keeps the order of the ranks",
    .citation = "thakur2005, on reduce-scatter",
    .claim = claim,
    .ordered = true,
    .write = write,
};

}  // namespace toccata::algorithms::reduce_scatter
