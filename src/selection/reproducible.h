#pragma once

#include "selection/choice.h"

namespace toccata {

// What TOCCATA_REPRODUCIBLE makes of a choice for a collective that reduces, in what is known of a
// communicator: the choice itself where its results do not depend on placement, root or length;
// else, of the algorithms of which that is true (all of them give the same bits), the one of the
// fewest rounds, then blocks sent; native where none can run. With `ordered`, only such as keep the
// order of the ranks.
Choice reproducible(const Collective& collective, const Choice& choice, const Shape& known,
                    bool ordered);

}  // namespace toccata
