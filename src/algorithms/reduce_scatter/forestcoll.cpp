// Reduce-scatter over spanning trees of the nodes, packed for the machine's network:
// allgather/forestcoll in reverse.
// [zhao2024, section 5]   D the depth of the trees   rounds D + s - 1

#include "writing/allgather_backwards.h"
#include "writing/forests.h"

namespace toccata::algorithms::reduce_scatter {

// The round of copies with which the allgather begins, and those along the trees.
static int rounds(const Shape& shape) {
  const PackedAllgather trees(shape);
  return trees.forest().depth + trees.segments();
}

static AllgatherBackwards backwards() { return AllgatherBackwards("forestcoll", rounds); }

extern const Algorithm forestcoll{
    .name = "forestcoll",
    .collective = toccata::reduce_scatter,
    .summary = "along trees computed for the machine's links, around dead ones; for long messages",
    .citation = "zhao2024, section 5",
    .claim = [](const Shape& shape) { return backwards().claim(shape); },
    .parameters = {PackedAllgather::number_of_segments()},
    .by_placement = true,
    .by_trees = true,
    .parts = [](const Shape& shape) { return PackedAllgather(shape).parts(); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { backwards().write(shape, rank, schedule); },
};

}  // namespace toccata::algorithms::reduce_scatter
