// Neighbour allgather with one message per neighbour, all at the same time.
// [hoefler2009]   rounds 1   messages of a rank: one per destination

#include "writing/neighbors.h"

namespace toccata::algorithms::neighbor_allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  talk_directly(shape, rank, Outgoing::one_for_all, schedule);
}

extern const Algorithm direct{
    .name = "direct",
    .collective = toccata::neighbor_allgather,
    .summary = "one round, one message per neighbour",
    .citation = "hoefler2009",
    .claim = [](const Shape& shape) { return claim_of_direct_talk(shape, Outgoing::one_for_all); },
    .write = write,
};

}  // namespace toccata::algorithms::neighbor_allgather
