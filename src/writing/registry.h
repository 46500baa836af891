#pragma once

#include <span>
#include <string_view>

#include "writing/algorithm.h"

namespace toccata {

// Every algorithm, ordered by path. The list is made from the files of algorithms/*/ when the
// build is configured: algorithms/allgather/ring.cpp defines algorithms::allgather::ring.
std::span<const Algorithm* const> all_algorithms();

// The algorithm `name` of the collective, or, for a vector form, of its regular collective; null if
// there is none.
const Algorithm* find_algorithm(const Collective& collective, std::string_view name);

}  // namespace toccata
