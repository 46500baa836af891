#pragma once

#include <optional>
#include <vector>

#include "topology/placement.h"

namespace toccata {

// Which rank plays which role of an algorithm: rank mapping[i] of the placement plays rank i. This
// is the M of the paper, which identifies a core by the rank that runs on it.
using Mapping = std::vector<int>;

Mapping identity(int p);
Mapping inverse(const Mapping& mapping);

struct MappingOptions {
  int root = 0;                       // always plays the first rank of the pattern
  std::optional<unsigned> seed = {};  // chooses a random one of equally close cores, not the lowest
};

// The heuristics of [mirsadeghi2016, section V]. O(levels · p · log p).
//
// Recursive doubling (algorithm 2), p a power of two: partners of the last rounds, which have the
// longest messages, are placed close to each other.
Mapping rdmh(const Placement& placement, const MappingOptions& options = {});
// Ring (algorithm 3): every rank is close to the previous one.
Mapping rmh(const Placement& placement, const MappingOptions& options = {});
// Binomial broadcast (algorithm 4): depth first, small subtrees before large ones.
Mapping bbmh(const Placement& placement, const MappingOptions& options = {});
// Binomial gather (algorithm 5): heaviest edges of the tree first.
Mapping bgmh(const Placement& placement, const MappingOptions& options = {});

// Bruck's allgather, which the paper leaves as future work. Rank i sends 2^k blocks to i - 2^k, so
// most data go to the ranks whose numbers differ most. Ranks whose numbers agree in the most
// low-order binary digits are placed close to each other.
//
//   p = 8, in the order in which they are placed on close cores    0 4 2 6 1 5 3 7
Mapping bkmh(const Placement& placement, const MappingOptions& options = {});

}  // namespace toccata
