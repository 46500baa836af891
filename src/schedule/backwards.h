#pragma once

#include "schedule/schedule.h"

namespace toccata {

// Schedules in reverse: the last of `rounds` rounds comes first, and sends become receives. All
// ranks must pass the same `rounds`, at least the maximum number of rounds of any rank. The
// messages of one round keep their order, because a tree lists its nearest children first, and
// their contributions arrive first.

// The buffers send and recv swap roles: a scatter becomes a gather, and vice versa.
Schedule backwards(const Schedule& schedule, int rounds);

// Turns the distribution of data into a reduction of contributions: a broadcast becomes a reduce,
// an allgather a reduce-scatter. `spreading` must move only blocks of recv, and no block may arrive
// at a rank twice. Initially, this rank has `owned` blocks of recv, from `first_owned` on.
//
//   spreading    root sends b to 1, then to 2             1 sends b to 3
//   collecting   root receives b of 2, then of 1          1 receives b of 3 before it sends to root
//
// Send block b is this rank's contribution to block b of `spreading`. The results of the owned
// blocks are written to recv, from block 0 on. The order of the ranks is not preserved. Each
// received block has its own scratch block, so contributions are read in place, and there is one
// reduction per message.
Schedule collecting(const Schedule& spreading, int rounds, int first_owned, int owned);

}  // namespace toccata
