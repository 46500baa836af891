#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "topology/placement.h"

namespace toccata {

// What a rank tells all others of where it runs, in 48 bytes; every rank then comes to the same
// placement by itself.
struct Whereabouts {
  // The levels inside a node that there may be, outermost first.
  static constexpr std::array<std::string_view, 4> levels{"socket", "numa", "l3", "core"};

  std::uint64_t node = 0;     // alike for the ranks of one node, and for no others
  std::uint64_t machine = 0;  // digest of what TOCCATA_TOPOLOGY and TOCCATA_PLACEMENT describe
  std::int32_t host = -1;     // the node's number on that machine; -1 if it is not on it
  std::int32_t world = -1;    // rank in MPI_COMM_WORLD
  // The object of each level that it is bound to, as the node numbers them; -1 where it is not.
  // A level that the node has not is one object.
  std::array<std::int32_t, 4> objects{-1, -1, -1, -1};
  std::uint32_t has = 0;  // the levels that the node has, as bits
  std::uint32_t unused = 0;

  // Sets objects and has: bound to a place, or to nothing, of a node with levels of those names.
  void settle(const Machine& node_machine, const std::optional<Place>& place);
};

// The ranks on the machine that their whereabouts make up: nodes, and of what is in them the
// objects with ranks. With a `network`, whose innermost level is the nodes and of which every rank
// knows its host, its levels come outside.
Placement placement_of(std::span<const Whereabouts> ranks, const Machine* network = nullptr);

// The levels of a machine from the outermost down to `level`.
Machine down_to(const Machine& machine, int level);

}  // namespace toccata
