#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/placement.h"

namespace toccata {

// The location of a rank in 48 bytes, which it sends to all other ranks. Every rank computes the
// same placement from these.
struct Whereabouts {
  // The possible levels inside a node, outermost first.
  static constexpr std::array<std::string_view, 4> levels{"socket", "numa", "l3", "core"};

  std::uint64_t node = 0;     // equal for the ranks of one node, and only for these
  std::uint64_t machine = 0;  // digest of the machine and placement of TOCCATA_TOPOLOGY
  std::int32_t host = -1;     // the node's number on that machine; -1 if it is not part of it
  std::int32_t world = -1;    // rank in MPI_COMM_WORLD
  // For each level, the object to which the rank is bound, in the node's numbers; -1 if it is
  // unbound. A level that the node does not have counts as one object.
  std::array<std::int32_t, 4> objects{-1, -1, -1, -1};
  std::uint32_t has = 0;  // the levels that the node has, as bits
  std::uint32_t unused = 0;

  // Sets objects and has: bound to a place, or unbound, on a node with levels of those names.
  void settle(const Machine& node_machine, const std::optional<Place>& place);
};

// The ranks on the machine that follows from their whereabouts: nodes, and the objects inside them
// that have ranks. If there is a `network`, its levels enclose these; its innermost level is the
// nodes, and every rank knows its host there.
Placement placement_of(std::span<const Whereabouts> ranks, const Machine* network = nullptr);

// Identifies a running system; empty if it is unknown.
std::string boot_id();

// The name of a node in `Whereabouts`, for the processes of this host: also of the running system,
// because all hosts may be called localhost.
std::uint64_t node_of(const std::string& host);

// The machine of a placement with the hosts of its ranks as names of its nodes. Nodes keep names
// that they have. If several nodes have the same host, they get no names.
Machine with_hosts(const Placement& placement, const std::vector<std::string>& hosts);

// The levels of a machine from the outermost down to `level`.
Machine down_to(const Machine& machine, int level);

}  // namespace toccata
