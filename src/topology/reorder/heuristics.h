#pragma once

#include <optional>
#include <vector>

#include "topology/placement.h"

namespace toccata {

// Who plays which rank of an algorithm: rank mapping[i] of the placement is rank i there. The M of
// the paper, which speaks of a core by the rank that runs on it.
using Mapping = std::vector<int>;

Mapping identity(int p);
Mapping inverse(const Mapping& mapping);

struct MappingOptions {
  int root = 0;                       // plays the first rank of the pattern, whatever happens
  std::optional<unsigned> seed = {};  // of equally close cores any, instead of the lowest
};

// The heuristics of [mirsadeghi2016, section V]. O(levels · p · log p).
//
// Recursive doubling (algorithm 2), p a power of two: partners of the last rounds, whose messages
// are the longest, come close to each other.
Mapping rdmh(const Placement& placement, const MappingOptions& options = {});
// Ring (algorithm 3): every rank close to the one before.
Mapping rmh(const Placement& placement, const MappingOptions& options = {});
// Binomial broadcast (algorithm 4): depth first, small subtrees before large ones.
Mapping bbmh(const Placement& placement, const MappingOptions& options = {});
// Binomial gather (algorithm 5): heaviest edges of the tree first.
Mapping bgmh(const Placement& placement, const MappingOptions& options = {});

// Bruck's allgather, which the paper leaves as future work: rank i sends 2^k blocks to i - 2^k, so
// most goes to the ranks furthest away by number. Those that agree in the most binary digits from
// the right come close to each other.
//
//   p = 8, in the order in which they are laid on close cores    0 4 2 6 1 5 3 7
Mapping bkmh(const Placement& placement, const MappingOptions& options = {});

}  // namespace toccata
