#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/background.h"
#include "topology/whereabouts.h"

namespace toccata {

// What one process knows of where it runs before it asks the others: its node, what it is bound to
// there, and what TOCCATA_TOPOLOGY and TOCCATA_PLACEMENT say. Reading that takes hwloc milliseconds
// and so happens once, when an algorithm first goes by it.
class Surroundings {
 public:
  Surroundings();

  // What could not be read, and what is done instead, in one line each.
  const std::vector<std::string>& complaints() const { return complaints_; }

  const Whereabouts& own() const { return own_; }

  // Where the ranks are that told us this; the same on all of them. What it cannot do with what
  // TOCCATA_TOPOLOGY says goes to `complaint`, and the nodes alone are taken.
  Placement placement(std::span<const Whereabouts> ranks, std::string& complaint) const;

  // Whether the two variables alone say where each rank of MPI_COMM_WORLD runs, and where those
  // ranks of it do. TopologyError if they cannot.
  bool tell_places() const { return machine_ != nullptr && !places_.empty(); }
  std::shared_ptr<const Placement> placement_of_world(const std::vector<int>& ranks) const;

 private:
  struct Bound {
    Machine node;
    std::optional<Place> place;  // as NodeTopology::binding()
  };

  void read_node();
  void read_variables();

  std::shared_ptr<const Bound> node_;  // held for the simulator's other ranks; null: not readable
  Whereabouts own_;
  std::string text_;                        // TOCCATA_TOPOLOGY
  std::shared_ptr<const Machine> machine_;  // what it describes; null if nothing
  std::string places_;  // where ranks are there; empty: on the hosts of their names
  std::vector<std::string> complaints_;
};

// Asks all ranks of `comm` where they run. All of them must come here; what else the process has
// under way goes on meanwhile. MPI errors are thrown as std::runtime_error.
std::shared_ptr<const Placement> discover(MPI_Comm comm, const Surroundings& surroundings,
                                          Background& background, std::string& complaint);

// The mesh of a communicator with a Cartesian topology, which all ranks know; null without.
std::shared_ptr<const Grid> cartesian_grid(MPI_Comm comm);

}  // namespace toccata
