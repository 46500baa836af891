// Allreduce by Rabenseifner: the vectors halve in every round, so that every rank reduces one part.
// Then the ranks exchange the parts in the opposite order, and these double in every round. If p is
// not a power of two, ranks are folded in pairs first, and unfolded at the end.
// [rabenseifner2004]   rounds 2·log2 p   cost 2·log2 p·α + 2·(p-1)/p·n·β + (p-1)/p·n·γ
//
//   p = 4     0-1 2-3    0-2 1-3    0-2 1-3    0-1 2-3
//   rank 0    A B        A          A B        A B C D

#include "patterns/halving.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allreduce {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const FoldedCube cube{shape.p};
  const int leaves = cube.leaves();
  Halving halves(cube, rank, leaves, recv(0), ContiguousHalves{leaves});
  halves.write(schedule);

  schedule.round();
  if (!halves.idle()) schedule.copy(halves.own(halves.kept(leaves)), halves.kept(leaves));
  for (int distance = leaves / 2; distance > 0; distance /= 2) {
    schedule.round();
    if (halves.idle()) continue;
    schedule.send(halves.peer(distance), halves.kept(2 * distance))
        .recv(halves.peer(distance), halves.peer_keeps(distance));
  }
  const int twin = FoldedCube::twin(rank);
  if (cube.in_pair(rank))
    halves.idle() ? schedule.round().recv(twin, recv(0, leaves))
                  : schedule.round().send(twin, recv(0, leaves));
}

static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p};
  const int leaves = cube.leaves();
  const int folded = cube.pairs() > 0 ? 1 : 0;
  const int rounds = floor_log2(shape.p);
  return {.rounds = 2 * rounds + 2 * folded,
          .messages = 2 * rounds + folded,
          .sent = 2 * (leaves - 1) + folded * leaves,
          .copied = leaves / 2 + 1,
          .reduced = leaves - 1 + folded * leaves};
}

extern const Algorithm rabenseifner{
    .name = "rabenseifner",
    .collective = toccata::allreduce,
    .summary = "reduce-scatter by halving, then allgather by doubling; for long messages",
    .citation = "rabenseifner2004",
    .claim = claim,
    .ordered = true,
    .reproducible = true,
    .parts = [](const Shape& shape) { return FoldedCube{shape.p}.leaves(); },
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
