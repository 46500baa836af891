#pragma once

#include "schedule/schedule.h"

namespace toccata {

// Schedules played backwards: the last of `rounds` rounds first, and what was sent is received.
// All ranks must give the same `rounds`, at least as many as any rank has. The messages of one
// round keep their order: a tree names its nearest children first, whose answers are the first to
// come.

// Send and recv change places: a scatter becomes a gather, and the other way round.
Schedule backwards(const Schedule& schedule, int rounds);

// Where data were spread contributions are collected: a broadcast becomes a reduction, an allgather
// a reduce-scatter. `spreading` may move blocks of recv only, each block comes to a rank once, and
// of the blocks in recv this rank has `owned` at first, from `first_owned` on.
//
//   spreading    root sends b to 1, then to 2             1 sends b to 3
//   collecting   root receives b of 2, then of 1          1 receives b of 3 before it sends to root
//
// Send block b is this rank's contribution to what was block b; the results of the owned ones come
// into recv, from block 0 on. No rank's order is kept. What a rank receives has scratch of its own,
// so that contributions are read where they are, and combined as often as there are messages.
Schedule collecting(const Schedule& spreading, int rounds, int first_owned, int owned);

}  // namespace toccata
