#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "topology/machine.h"
#include "topology/placement.h"

namespace toccata {

// hwloc's description of one node: those of the levels "socket", "numa", "l3" and "core" that
// divide other objects. "core" always exists.
class NodeTopology {
 public:
  // This machine, including the parts that the process may not use.
  static NodeTopology here();
  // From hwloc's own synthetic description, such as "pack:2 numa:1 core:8 pu:2". TopologyError if
  // hwloc cannot read it.
  static NodeTopology from_synthetic(const std::string& description);

  const Machine& machine() const { return machine_; }

  // The object to which the calling process is bound: the innermost one that it cannot leave;
  // nothing if it may run anywhere on the node. Only for here().
  std::optional<Place> binding() const;
  // The same for the hardware threads in a list such as "0-3,8", in the operating system's numbers.
  std::optional<Place> place_of(const std::string& processors) const;

 private:
  struct Loaded;  // hwloc's own topology; the wheel's hwloc has other names
  struct Destroy {
    void operator()(Loaded* loaded) const;
  };
  using Owned = std::unique_ptr<Loaded, Destroy>;

  explicit NodeTopology(Owned loaded);
  template <typename Read>
  static NodeTopology load(Read&& read);

  Owned loaded_;
  Machine machine_;
};

// The same levels, for a node that hwloc described as XML (`lstopo topology.xml`). Errors name
// `file`. hwloc's own reader is not used, because it ends the process on some broken files.
// TopologyError.
Machine read_hwloc_xml(std::string_view contents, const std::string& file);

}  // namespace toccata
