#pragma once

#include <span>
#include <string>

#include "algorithms/algorithm.h"

namespace toccata {

// Why these schedules, one for each rank, must not run in that complete shape; empty if they may.
// They come from a file that any user may have changed; the least requirement is that
// no rank writes outside its buffers, or waits for ever:
//
// - every block is there, peers are other ranks, send is not written, and no local step writes
//   what it reads;
// - every message has its counterpart, in an order in which all ranks come to their end;
// - the i-th block of a message or step and the block that it goes to have the same size, unless
//   all are alike. A rank with an empty block sends nothing, so that another size there is a
//   message that never comes.
//
// Whether the result is what the collective promises is for verify() to say, which takes longer.
std::string unsafe(const Algorithm& algorithm, const Shape& shape,
                   std::span<const Schedule> schedules);

// Whether a range lies within `limit` blocks, without naming more of them than there are.
bool lies_within(const BlockRange& range, std::int64_t limit);
// The same, however often it names one.
bool names_within(const BlockRange& range, std::int64_t limit);

}  // namespace toccata
