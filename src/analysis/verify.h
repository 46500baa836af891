#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace toccata {

// Proves one algorithm right in one shape, by following every block from its origin: every message
// has its counterpart, nothing deadlocks, nothing undefined is moved, no block is moved into one of
// another size (unless all are to be alike), no two messages of a round write the same block and
// none writes what another sends, and at the end every rank holds what the collective promises.
// Where it reduces: every rank's contribution is in there once, in the order of the ranks if the
// algorithm says so, and by the same expression on every rank, so that all get the same bits.
// Where it synchronizes: no rank ends before it has heard, if by way of others, of all ranks.
// Both for calls with buffers of their own and, where that is another thing, with MPI_IN_PLACE.
// Also holds it to its rounds being the same moments on all ranks, and rounds, messages, blocks
// sent, copied and reduced to what the literature claims, if it does. Returns what is wrong first,
// in one line that names rank, round and block; empty if nothing is.
std::string verify(const Algorithm& algorithm, const Shape& shape);

// The same for these schedules, one for every rank, without the claims.
std::string verify(const Algorithm& algorithm, const Shape& shape,
                   std::span<const Schedule> schedules);

// The same for schedules from anywhere, of which no more is asked than the collective promises, in
// place or not.
std::string verify(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, bool in_place = false);

// About how many blocks a proof moves or looks at, judging from the ranks that tell most; a
// message counts as ten. 40 million take about a second.
std::int64_t proof_effort(const Algorithm& algorithm, const Shape& shape);

}  // namespace toccata
