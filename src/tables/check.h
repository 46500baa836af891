#pragma once

#include <span>
#include <string>

#include "writing/algorithm.h"

namespace toccata {

// The reason why these schedules, one per rank, must not run in that complete shape; empty if they
// may. They come from a file that any user may have changed. Therefore no rank may write outside
// its buffers or wait forever:
//
// - every block exists, peers are other ranks, no input is written that a program may only be able
//   to read (send, and a broadcast's message on the root), and no local step writes a block that it
//   reads;
// - every message has its counterpart, in an order in which all ranks finish;
// - the i-th block of a message or step and its destination have the same size, unless all blocks
//   have equal sizes. A rank with an empty block sends nothing; if the receiver expects another
//   size, the message never arrives.
//
// verify() checks whether the result is what the collective promises, which takes longer.
std::string unsafe(const Algorithm& algorithm, const Shape& shape,
                   std::span<const Schedule> schedules);

// Whether a range is within `limit` blocks, and has at most that many.
bool lies_within(const BlockRange& range, std::int64_t limit);
// The same, for a range that may name blocks repeatedly.
bool names_within(const BlockRange& range, std::int64_t limit);

}  // namespace toccata
