// Broadcast by van de Geijn: scatter/binomial of p parts of the message, then an allgather of them,
// in which no rank sends to the root.
// [thakur2005, on broadcast]   rounds ⌈log2 p⌉ + p - 1, with the ring
//                              cost (⌈log2 p⌉ + p - 1)·α + 2·(p-1)/p·n·β
//
//   p = 4, root 0    0>2 C D    0>1 B 2>3 D    then all parts go around the ring 0>1>2>3

#include <algorithm>

#include "patterns/arithmetic.h"
#include "schedule/combinators.h"
#include "writing/registry.h"

namespace toccata::algorithms::bcast {

// Between nodes, which are all far from each other, Sparbit has fewer rounds than the ring.
static const Parameter second_half =
    choice("allgather", "algorithm for the allgather: allgather/...",
           {"ring", "recursive_doubling", "sparbit"}, "sparbit");

static const Algorithm& scatter() { return *find_algorithm(toccata::scatter, "binomial"); }
static const Algorithm& gather(const Shape& shape) {
  return *find_algorithm(toccata::allgather, second_half.text(shape.parameters[second_half]));
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const BlockMap all = BlockMap::affine(Buffer::recv, 0);
  const BlockMap own = BlockMap::affine(Buffer::recv, rank);
  const Algorithm& second = gather(shape);
  const Schedule gathering = on(second.schedule(second.complete({shape.p}), rank), own, all);
  schedule
      .then(on(scatter().schedule({.p = shape.p, .root = shape.root}, rank), all, own,
               Scratch::at_home),
            std::max(1, ceil_log2(shape.p)))
      .then(without_messages_to(shape.root, rank, gathering));
}

// The root sends most in the scatter, and in the allgather as much as any rank.
static Cost claim(const Shape& shape) {
  const Algorithm& second = gather(shape);
  return *scatter().claimed({.p = shape.p}) + *second.claimed(second.complete({shape.p}));
}

extern const Algorithm scatter_allgather{
    .name = "scatter_allgather",
    .collective = toccata::bcast,
    .summary = "scatter, then allgather; for long messages",
    .citation = "thakur2005, on broadcast",
    .claim = claim,
    .parameters = {second_half},
    .parts = [](const Shape& shape) { return shape.p; },
    .impossible = [](const Shape& shape) { return gather(shape).why_impossible({shape.p}); },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
