#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choices/topology_setting.h"
#include "mpi/agreement/exchange.h"
#include "topology/whereabouts.h"

namespace toccata {

// The location of a process as it can be found without other ranks: its node, its binding, and the
// value of TOCCATA_TOPOLOGY. hwloc needs milliseconds for this, so it is
// done once, when an algorithm first needs it.
class Surroundings {
 public:
  explicit Surroundings(const TopologySetting& setting);

  // Unusable input and the replacement for it, one line each.
  const std::vector<std::string>& complaints() const { return complaints_; }

  const Whereabouts& own() const { return own_; }

  // The locations of the ranks that sent `ranks`; the same on all of them. If TOCCATA_TOPOLOGY
  // cannot be used, `complaint` gets the reason, and the result contains only the nodes.
  Placement placement(std::span<const Whereabouts> ranks, std::string& complaint) const;

  // Whether the setting alone determines the location of each rank of MPI_COMM_WORLD. The second
  // function returns the locations of some of its ranks. TopologyError if the setting is invalid.
  bool tell_places() const { return machine_ != nullptr && !places_.empty(); }
  std::shared_ptr<const Placement> placement_of_world(const std::vector<int>& ranks) const;

 private:
  struct Bound {
    Machine node;
    std::optional<Place> place;  // as NodeTopology::binding()
  };

  void read_node();
  void read_setting();

  std::shared_ptr<const Bound> node_;  // shared by the simulator's ranks; null: unreadable
  Whereabouts own_;
  std::string text_;                        // the machine of TOCCATA_TOPOLOGY
  std::shared_ptr<const Machine> machine_;  // the described machine; null if there is none
  std::string places_;  // the ranks' places there; empty: on the hosts of their names
  std::vector<std::string> complaints_;
};

// Finds where all ranks of `comm` run. Collective; other operations of the process continue
// meanwhile. `lowest_on_node`: the lowest rank of MPI_COMM_WORLD on this node, or -1. If a rank
// does not know it, MPI finds the nodes; while a rank has an operation in progress, host names
// define them. MPI errors are thrown as std::runtime_error.
std::shared_ptr<const Placement> discover(Exchange exchange, const Surroundings& surroundings,
                                          int lowest_on_node, std::string& complaint);

// The mesh of a communicator with a Cartesian topology, which all ranks know; null without.
std::shared_ptr<const Grid> cartesian_grid(MPI_Comm comm);

}  // namespace toccata
