#pragma once

#include <string_view>
#include <vector>

namespace toccata {

// The node of each of these ranks, as Hydra describes it in PMI_process_mapping: blocks of the
// first node, the number of nodes, and the ranks on each of them. The list repeats until all ranks
// have a node:
//
//   (vector,(0,2,3),(2,1,1))        0 0 0 1 1 1 2
//   (vector,(0,3,1))                0 1 2 0 1 2 0
//   (vector,[(0,3,1)]x3)            the same (MPICH 5)
//
// Empty if the text has another form.
std::vector<int> nodes_of_mapping(std::string_view text, int ranks);

}  // namespace toccata
