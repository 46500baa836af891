#pragma once

#include "algorithms/algorithm.h"

namespace toccata {

// The words in which algorithms in the shared memory of a node are said. They run on any ranks:
// what is published travels as messages between nodes.

// Whether one rank combines the whole message, or each rank a slice of it.
const Parameter& shared_reducers();
// The parts of that: slices, one per rank, or one.
int shared_parts(const Shape& shape);

// In the open round: what all ranks contribute to a block, of which `own` is ours, combined by the
// standard expression into `target`, which is not a rank's contribution. Others publish theirs for
// us.
void combine_published(ScheduleBuilder& schedule, int p, int rank, const BlockRange& own,
                       const BlockRange& target);

// Publishes for each of the other ranks its slice of p: send block q for rank q.
void publish_slices(ScheduleBuilder& schedule, int p, int rank);

// Publishes a block for all other ranks.
void publish_to_all(ScheduleBuilder& schedule, int p, int rank, const BlockRange& block);

}  // namespace toccata
