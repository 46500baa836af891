#pragma once

#include <span>
#include <string>
#include <vector>

#include "writing/algorithm.h"

namespace toccata {

// Proves that an algorithm is correct in one shape, by following every block from its origin:
// - every message has its counterpart, and nothing deadlocks;
// - no undefined data is moved, and no block is moved into one of another size (unless the
//   algorithm requires blocks of equal size);
// - no two messages of a round write the same block, and none writes a block that another sends;
// - at the end, every rank holds the blocks that the collective specifies;
// - in a reduction, the result contains every rank's contribution once. All ranks evaluate the same
//   expression, so they get the same bits. The operands are in the order of the ranks if the
//   algorithm declares that;
// - if the collective synchronizes, no rank ends before it has information from all ranks, directly
//   or through others.
// Covers calls with separate buffers and, if that is different, with MPI_IN_PLACE. Also checks that
// a message is sent and received in the same round. If the algorithm has a claim, rounds, messages
// and the numbers of sent, copied and reduced blocks must agree with it. Returns the first error,
// in one line that names rank, round and block; empty if there is none.
std::string verify(const Algorithm& algorithm, const Shape& shape);

// The same for these schedules, one per rank, without the claims.
std::string verify(const Algorithm& algorithm, const Shape& shape,
                   std::span<const Schedule> schedules);

// The same for any schedules; checks only the result of the collective, in place or not.
std::string verify(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, bool in_place = false);

// The approximate number of blocks that a proof moves or inspects, estimated from a sample of
// ranks; a message counts as ten. 40 million take about a second.
std::int64_t proof_effort(const Algorithm& algorithm, const Shape& shape);

}  // namespace toccata
