#pragma once

#include "algorithms/algorithm.h"

namespace toccata {

// Building blocks of algorithms in the shared memory of a node. They run on any ranks: between
// nodes, published data travel as messages.

// Whether one rank combines the whole message, or each rank a slice of it.
const Parameter& shared_reducers();
// The number of parts for that: one slice per rank, or one.
int shared_parts(const Shape& shape);

// In the open round: combines the contributions of all ranks to a block by the standard expression
// into `target`, which is not a rank's contribution. `own` is our contribution; the other ranks
// publish theirs for us.
void combine_published(ScheduleBuilder& schedule, int p, int rank, const BlockRange& own,
                       const BlockRange& target);

// Publishes one of p slices for each of the other ranks: send block q for rank q.
void publish_slices(ScheduleBuilder& schedule, int p, int rank);

// Publishes a block for all other ranks.
void publish_to_all(ScheduleBuilder& schedule, int p, int rank, const BlockRange& block);

}  // namespace toccata
