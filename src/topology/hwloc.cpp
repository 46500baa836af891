#include "topology/hwloc.h"

#include <array>
#include <hwloc.h>
#include <map>

#include "topology/error.h"
#include "topology/words.h"

namespace toccata {

namespace {

struct Kind {
  const char* name;
  hwloc_obj_type_t type;
};

// Outermost first. NUMA domains may be within an L3 cache or around several; which, hwloc says by
// the processors in them.
constexpr std::array kinds{Kind{"socket", HWLOC_OBJ_PACKAGE}, Kind{"numa", HWLOC_OBJ_NUMANODE},
                           Kind{"l3", HWLOC_OBJ_L3CACHE}, Kind{"core", HWLOC_OBJ_CORE}};

struct Set {
  Set() : bits(hwloc_bitmap_alloc()) {}
  ~Set() { hwloc_bitmap_free(bits); }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  hwloc_bitmap_t bits;
};

// The objects of a kind that have processors, in hwloc's order. Machines without a kind that the
// last level cannot be without (a core) have hardware threads.
std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> result;
  for (hwloc_obj_t each = nullptr;
       (each = hwloc_get_next_obj_by_type(topology, type, each)) != nullptr;)
    if (each->cpuset != nullptr && hwloc_bitmap_iszero(each->cpuset) == 0) result.push_back(each);
  if (result.empty() && type == HWLOC_OBJ_CORE) return objects_of(topology, HWLOC_OBJ_PU);
  return result;
}

struct Tree {
  std::vector<Machine::Level> levels;
  std::vector<std::vector<hwloc_obj_t>> objects;  // by level
};

// The kinds that divide what is outside of them, each in the order of the tree.
Tree tree_of(hwloc_topology_t topology) {
  Tree tree;
  for (const Kind& kind : kinds) {
    std::vector<hwloc_obj_t> found = objects_of(topology, kind.type);
    const bool innermost = kind.type == HWLOC_OBJ_CORE;
    const std::size_t outer_objects = tree.levels.empty() ? 1 : tree.objects.back().size();
    if (found.size() <= outer_objects && !innermost) continue;
    Machine::Level level{kind.name, {}};
    std::vector<hwloc_obj_t> ordered;
    for (std::size_t outer = 0; outer < outer_objects; ++outer)
      for (const hwloc_obj_t each : found) {
        const hwloc_obj_t around = tree.levels.empty() ? nullptr : tree.objects.back()[outer];
        if (around != nullptr && hwloc_bitmap_isincluded(each->cpuset, around->cpuset) == 0)
          continue;
        level.outer.push_back(static_cast<int>(outer));
        ordered.push_back(each);
      }
    if (ordered.size() < found.size() && !innermost) continue;  // across what is outside of it
    tree.levels.push_back(std::move(level));
    tree.objects.push_back(std::move(ordered));
  }
  return tree;
}

}  // namespace

void NodeTopology::Destroy::operator()(hwloc_topology* topology) const {
  hwloc_topology_destroy(topology);
}

NodeTopology::NodeTopology(hwloc_topology* topology)
    : topology_(topology), machine_(tree_of(topology).levels) {}

template <typename Read>
NodeTopology NodeTopology::load(Read&& read) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw TopologyError("hwloc cannot start");
  std::unique_ptr<hwloc_topology, Destroy> owned(topology);
  // What only some ranks of a node may use has to have the same number for all.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (!read(topology) || hwloc_topology_load(topology) != 0) throw TopologyError("");
  return NodeTopology(owned.release());
}

NodeTopology NodeTopology::here() {
  try {
    return load([](hwloc_topology_t) { return true; });
  } catch (const TopologyError&) {
    throw TopologyError("hwloc cannot read this machine; see the messages of lstopo");
  }
}

NodeTopology NodeTopology::from_xml(const std::string& file) {
  try {
    return load([&](hwloc_topology_t topology) {
      return hwloc_topology_set_xml(topology, file.c_str()) == 0;
    });
  } catch (const TopologyError&) {
    throw TopologyError(file + ": hwloc cannot read it; write it with lstopo " + file);
  }
}

NodeTopology NodeTopology::from_synthetic(const std::string& description) {
  try {
    return load([&](hwloc_topology_t topology) {
      return hwloc_topology_set_synthetic(topology, description.c_str()) == 0;
    });
  } catch (const TopologyError&) {
    throw TopologyError("hwloc cannot read " + quoted(description) +
                        "; expected descriptions like pack:2 core:8 pu:2");
  }
}

namespace {

// The innermost object that has all of the processors, unless it has all of the node's.
std::optional<Place> place_in(hwloc_topology_t topology, hwloc_const_bitmap_t processors) {
  const hwloc_const_bitmap_t whole = hwloc_topology_get_complete_cpuset(topology);
  if (hwloc_bitmap_iszero(processors) != 0 || hwloc_bitmap_isincluded(whole, processors) != 0)
    return {};
  std::optional<Place> place;
  const Tree tree = tree_of(topology);
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level)
    for (int object = 0; object < static_cast<int>(tree.objects[level].size()); ++object)
      if (hwloc_bitmap_isincluded(processors, tree.objects[level][object]->cpuset) != 0)
        place = Place{level, object};
  return place;
}

}  // namespace

std::optional<Place> NodeTopology::binding() const {
  const Set set;
  // A thread's own, where the system cannot say it of the process.
  if (hwloc_get_cpubind(topology_.get(), set.bits, HWLOC_CPUBIND_PROCESS) != 0 &&
      hwloc_get_cpubind(topology_.get(), set.bits, HWLOC_CPUBIND_THREAD) != 0)
    return {};
  return place_in(topology_.get(), set.bits);
}

std::optional<Place> NodeTopology::place_of(const std::string& processors) const {
  const Set set;
  if (hwloc_bitmap_list_sscanf(set.bits, processors.c_str()) != 0) return {};
  return place_in(topology_.get(), set.bits);
}

}  // namespace toccata
