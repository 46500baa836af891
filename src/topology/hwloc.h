#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "topology/machine.h"
#include "topology/placement.h"

struct hwloc_topology;

namespace toccata {

// What hwloc knows of one node: of those of the levels "socket", "numa", "l3", "core" that divide
// anything; "core" is always there.
class NodeTopology {
 public:
  // This machine's, with what the process may not use.
  static NodeTopology here();
  // Of hwloc's own synthetic description, as "pack:2 numa:1 core:8 pu:2". TopologyError if hwloc
  // cannot read it.
  static NodeTopology from_synthetic(const std::string& description);

  const Machine& machine() const { return machine_; }

  // Where the calling process is bound: the innermost object that it cannot leave, or nothing where
  // it may run anywhere on the node. Only for here().
  std::optional<Place> binding() const;
  // The same of the hardware threads in a list like "0-3,8", by the operating system's numbers.
  std::optional<Place> place_of(const std::string& processors) const;

 private:
  explicit NodeTopology(hwloc_topology* topology);
  template <typename Read>
  static NodeTopology load(Read&& read);

  struct Destroy {
    void operator()(hwloc_topology* topology) const;
  };
  std::unique_ptr<hwloc_topology, Destroy> topology_;
  Machine machine_;
};

// The same levels of a node that hwloc has described as XML (`lstopo topology.xml`); `file` is what
// errors call it. hwloc's own reader ends the process on some broken files, so it does not read
// them. TopologyError.
Machine read_hwloc_xml(std::string_view contents, const std::string& file);

}  // namespace toccata
