// Neighbour all-to-all with one message per edge, all at the same time.
// [hoefler2009]   rounds 1   messages of a rank: one per outgoing edge

#include "writing/neighbors.h"

namespace toccata::algorithms::neighbor_alltoall {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  talk_directly(shape, rank, Outgoing::one_each, schedule);
}

extern const Algorithm direct{
    .name = "direct",
    .collective = toccata::neighbor_alltoall,
    .summary = "one round, one message per edge",
    .citation = "hoefler2009",
    .claim = claim_of_direct_talk,
    .write = write,
};

}  // namespace toccata::algorithms::neighbor_alltoall
