#include "proofs/sizing.h"

namespace toccata {

Sizing::Sizing(const Collective& collective, const Shape& shape, int rank, const Schedule& schedule)
    : collective_(&collective), shape_(&shape), rank_(rank) {
  for (const BlockRange& range : schedule.scratch())
    for_each_block(range, [&](int block) {
      scratch_.push_back(collective.sized(shape, rank, range.buffer, block));
    });
}

}  // namespace toccata
