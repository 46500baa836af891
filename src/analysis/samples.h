#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "topology/mesh.h"
#include "topology/placement.h"

namespace toccata {

// The shapes that proofs and sweeps of an algorithm go through, for p ranks: every setting of its
// parameters that its descriptor samples, with different roots, neighbours, placements and grids
// where it goes by them, without those that are impossible. For few ranks all combinations, all
// roots, unless these are very many; for more, roots and placements take turns from p to p.
// Complete, and the same in every run.
std::vector<Shape> sample_shapes(const Algorithm& algorithm, int p);

// The numbers of ranks for which an algorithm is proved: 1 to `most`, and some large and awkward
// ones, with proofs of no more effort than that (see proof_effort), about half a second.
std::vector<int> ranks_to_prove(int most = 128);
inline constexpr std::int64_t most_proof_effort = 18'000'000;

// Ranks on machines of nodes, sockets and cores: even nodes, uneven ones, ranks scattered over them
// in any order, some of them unbound. Null stands for a machine of which nothing is known.
std::vector<std::shared_ptr<const Placement>> sample_placements(int p);

// Machines for whose nodes trees were packed: any trees, as of random networks, and ranks in any
// order on their nodes, one on each or several. Null where ranks are too many for that.
std::vector<std::shared_ptr<const Placement>> sample_packings(int p);

// Stencils on meshes and tori, rings of one and two ranks among them, and random graphs in which
// ranks neighbour themselves, or each other several times; of few ranks, none at all.
std::vector<std::shared_ptr<const Neighborhood>> sample_neighborhoods(int p);

// Meshes and tori of one to five dimensions, as parse_machine reads them.
std::span<const std::string_view> sample_meshes();

// Those of them that have p cells, some with their ranks in disorder; for fewer ranks a line and
// the most even rectangle as well. Null stands for a communicator without a mesh.
std::vector<std::shared_ptr<const Grid>> sample_grids(int p);

}  // namespace toccata
