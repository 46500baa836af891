#pragma once

#include "patterns/knomial.h"

namespace toccata {

// The k-nomial tree of radix 2. Let 2^k be the lowest bit that is set in r. Then the parent of rank
// r is r - 2^k, and the subtree of r contains the ranks from r to r + 2^k - 1.
using Binomial = Knomial;

}  // namespace toccata
