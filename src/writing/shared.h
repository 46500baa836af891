#pragma once

#include "writing/algorithm.h"

namespace toccata {

// Building blocks of algorithms in the shared memory of a node. They run on any ranks: between
// nodes, published data travel as messages.

// Whether each rank combines a slice of the message, or every rank with a result combines all of
// it.
const Parameter& shared_reducers();
// The number of parts: one slice per rank, or one.
int shared_parts(const Shape& shape);

// In the open round, combines the contributions of all ranks to a block into `target`, by the
// standard expression. `target` must not be a contribution. `own` is our contribution; the other
// ranks publish theirs for us.
void combine_published(ScheduleBuilder& schedule, int p, int rank, const BlockRange& own,
                       const BlockRange& target);

// The copies of this: the standard expression copies every second contribution before it reduces
// into it.
inline int combining_copies(int p) { return (p + 1) / 2; }

// Publishes one of p slices for each of the other ranks: send block q for rank q.
void publish_slices(ScheduleBuilder& schedule, int p, int rank);

// Publishes a block for all other ranks.
void publish_to_all(ScheduleBuilder& schedule, int p, int rank, const BlockRange& block);

}  // namespace toccata
