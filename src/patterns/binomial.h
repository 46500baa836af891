#pragma once

#include "patterns/knomial.h"

namespace toccata {

// The k-nomial tree of radix 2. The parent of rank r is r without its lowest bit, 2^k below it; the
// subtree of r contains the ranks from r to r + 2^k - 1.
using Binomial = Knomial;

}  // namespace toccata
