#pragma once

#include "choices/choice.h"

namespace toccata {

// Applies TOCCATA_SUMS=reproducible to the choice for a reduction on a known communicator. Returns
// the choice itself if its results do not depend on placement, root or length. Otherwise selects
// among the algorithms with that property, which all give the same bits: the one with the fewest
// rounds, then the fewest sent blocks. Native if none can run. With `ordered`, only algorithms that
// keep the order of the ranks.
Choice reproducible(const Collective& collective, const Choice& choice, const Shape& known,
                    bool ordered);

}  // namespace toccata
