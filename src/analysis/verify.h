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
// With `in_place`, for a call with MPI_IN_PLACE. Also holds rounds, messages, blocks sent and
// copied to the declared closed forms. Returns what is wrong first, in one line that names rank,
// round and block; empty if nothing is.
std::string verify(const Algorithm& algorithm, const Shape& shape, bool in_place = false);

// The same for schedules from anywhere, without the closed forms; one for every rank.
std::string verify(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, bool in_place = false,
                   bool blocks_alike = false);

// About how many blocks a proof moves or looks at; a message counts as ten. By the declared cost,
// so that it is known without writing a schedule. 40 million take about a second.
std::int64_t proof_effort(const Algorithm& algorithm, const Shape& shape);

// Whether a call in place is another thing to prove: not where send is a copy then.
bool differs_in_place(const Collective& collective);

}  // namespace toccata
