// Barrier by levels: signals up a tree inside each region to its leader, a barrier among the
// leaders, and signals down again, on all levels.
// [karonis2000; hoefler2006]   r nodes of s ranks, radix k   rounds 2·⌈log4 s⌉ + ⌈logk r⌉
//
//   4 ranks on nodes 0 1 | 2 3    inside 1>0 3>2    among leaders 0>2 2>0    inside 0>1 2>3

#include "schedule/backwards.h"
#include "writing/levels.h"

namespace toccata::algorithms::barrier {

static const Parameter between =
    choice("between", "algorithm among leaders: barrier/...", {"dissemination", "knomial"});
// Messages without blocks leave immediately after each other, so three cost hardly more than one.
static const Parameter radix = number(
    "radix", "k: factor by which the number of known leaders grows per round", 2, 1024, 4, {2, 4});
static const Parameter inside =
    choice("inside", "algorithm inside each region: bcast/...", {"knomial", "linear"});

static Flat among_leaders(const Shape& shape) {
  return {toccata::barrier, between.words[shape.parameters[between]], shape.parameters[radix]};
}
static Flat within(const Shape& shape) {
  return {toccata::bcast, inside.words[shape.parameters[inside]]};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Levels levels(shape);
  const Flat among = among_leaders(shape), tree = within(shape);
  ScheduleBuilder release;
  levels.broadcast(release, 1, rank, tree, 1);
  const Schedule down = signals(std::move(release).build());
  const int rounds = levels.rounds_from(1, tree);
  const BlockMap none = BlockMap::affine(Buffer::recv, 0);
  schedule.then(backwards(down, rounds), rounds + 1);
  levels.in_teams(schedule, 0, rank, among, none, none);
  schedule.then(down);
}

// Leaders send most.
static std::optional<Cost> claim(const Shape& shape) {
  const Levels levels(shape);
  if (!levels.even()) return {};
  const Cost down = levels.claim(1, within(shape));
  const Cost among = among_leaders(shape).claim(levels.largest(0));
  return Cost{2 * down.rounds + among.rounds, down.messages + among.messages};
}

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::barrier,
    .summary = "signals to leaders inside each region, barrier among leaders, signals back",
    .citation = "karonis2000",
    .claim = claim,
    .parameters = {Levels::which(), between, radix, inside},
    .by_placement = true,
    .write = write,
};

}  // namespace toccata::algorithms::barrier
