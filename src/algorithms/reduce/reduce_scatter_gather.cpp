// Reduce by Rabenseifner: the vectors halve in every round, so that every rank reduces one part.
// Then the root gathers the parts. If p is not a power of two, ranks are folded in pairs first.
// [rabenseifner2004]   rounds 2·log2 p   cost 2·log2 p·α + 2·(p-1)/p·n·β + (p-1)/p·n·γ
//
//   p = 4, root 0   0-1 2-3    0-2 1-3       0 and 2 now have one half, 1 and 3 the other
//   gathering       2>0 3>1    1>0

#include "patterns/halving.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::reduce {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p, shape.root};
  const int leaves = cube.leaves();
  const bool is_root = rank == shape.root;
  const BlockRange room = is_root ? recv(0) : schedule.scratch({send(0, leaves)});
  Halving halves(cube, rank, leaves, room, ContiguousHalves{leaves});
  halves.write(schedule);

  if (halves.idle()) return;
  const BlockRanges reduced = halves.kept(leaves);
  if (is_root) schedule.round().copy(halves.own(reduced), reduced);
  if (!is_root) schedule.round();
  const auto here = [&](const BlockRanges& blocks) {
    return is_root ? blocks : halves.own(blocks);
  };
  const int way = cube.leaf(rank) ^ cube.leaf(shape.root);
  for (int distance = leaves / 2; distance > 0; distance /= 2) {
    schedule.round();
    if ((way & distance) != 0) {
      schedule.send(halves.peer(distance), here(halves.kept(2 * distance)));
      return;
    }
    schedule.recv(halves.peer(distance), here(halves.peer_keeps(distance)));
  }
}

// A rank copies own blocks that it must not overwrite: the half that it keeps in the first round,
// or all if it is the root and its twin comes before it. A root copies its part to its place, too.
static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, shape.root};
  const int leaves = cube.leaves(), halvings = floor_log2(leaves);
  if (leaves == 1) return {.copied = 1};
  const bool folds = cube.pairs() > 0, root_folds = cube.in_pair(shape.root);
  const bool root_copies = (root_folds ? shape.root : cube.leaf(shape.root)) % 2 == 1;
  Cost cost{.rounds = 2 * halvings + (folds ? 1 : 0),
            .messages = halvings + 1,
            .sent = leaves - 1 + leaves / 2,
            .copied = leaves / 2,
            .reduced = leaves - 1 + (folds ? leaves : 0)};
  if (root_copies) cost.copied = 1 + (root_folds ? leaves : leaves / 2);
  return cost;
}

extern const Algorithm reduce_scatter_gather{
    .name = "reduce_scatter_gather",
    .collective = toccata::reduce,
    .summary = "reduce-scatter by halving, then gather; for long messages",
    .citation = "rabenseifner2004",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .parts = [](const Shape& shape) { return FoldedCube{shape.p}.leaves(); },
    .write = write,
};

}  // namespace toccata::algorithms::reduce
