#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "topology/mesh.h"
#include "topology/placement.h"
#include "writing/algorithm.h"

namespace toccata {

// The shapes in which an algorithm is proved and swept, for p ranks. They contain every setting of
// its parameters that its descriptor samples, except impossible ones. Roots, neighbours, placements
// and grids differ if the algorithm depends on them. For few ranks: all combinations and all roots,
// unless these are too many. For more ranks, roots and placements alternate from p to p. The shapes
// are complete, and the same in every run.
std::vector<Shape> sample_shapes(const Algorithm& algorithm, int p);

// The numbers of ranks for which an algorithm is proved: 1 to `most`, and some large and irregular
// ones. Larger proofs are skipped if they take more than most_proof_effort, about half a second
// (see proof_effort).
std::vector<int> ranks_to_prove(int most = 128);
inline constexpr std::int64_t most_proof_effort = 18'000'000;

// Ranks on machines of nodes, sockets and cores: even nodes, uneven ones, and ranks scattered over
// them in any order, some of them unbound. Null means an unknown machine.
std::vector<std::shared_ptr<const Placement>> sample_placements(int p);

// Machines with packed trees over their nodes: arbitrary trees, such as those of random networks.
// The ranks are on the nodes in any order, one or several per node. Null means a machine without
// trees; many ranks get only this.
std::vector<std::shared_ptr<const Placement>> sample_packings(int p);

// Stencils on meshes and tori, including rings of one and two ranks. Random graphs in which ranks
// are neighbours of themselves, or of each other several times. For few ranks, also no neighbours.
std::vector<std::shared_ptr<const Neighborhood>> sample_neighborhoods(int p);

// Meshes and tori of one to five dimensions, in the form that parse_machine reads.
std::span<const std::string_view> sample_meshes();

// The sample meshes with p cells, some with their ranks in random order. For up to 64 ranks, also a
// line and the most even rectangle. Null means a communicator without a mesh.
std::vector<std::shared_ptr<const Grid>> sample_grids(int p);

}  // namespace toccata
