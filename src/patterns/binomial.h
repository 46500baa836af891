#pragma once

#include "patterns/knomial.h"

namespace toccata {

// The k-nomial tree of radix 2: rank r hangs on the rank without r's lowest bit, 2^k below it, and
// holds the subtree of the ranks from r to r + 2^k - 1.
using Binomial = Knomial;

}  // namespace toccata
