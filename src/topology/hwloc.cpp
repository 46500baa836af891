#include "topology/hwloc.h"

#include <algorithm>
#include <array>
#include <hwloc.h>
#include <map>
#include <ranges>
#include <stdexcept>

#include "text/printable.h"
#include "text/xml.h"
#include "topology/environment.h"
#include "topology/error.h"
#include "topology/words.h"

namespace toccata {

namespace {

struct Kind {
  const char* name;
  hwloc_obj_type_t type;
};

// Outermost first. NUMA domains may be inside an L3 cache or contain several. Their processors show
// which is the case.
constexpr std::array kinds{Kind{"socket", HWLOC_OBJ_PACKAGE}, Kind{"numa", HWLOC_OBJ_NUMANODE},
                           Kind{"l3", HWLOC_OBJ_L3CACHE}, Kind{"core", HWLOC_OBJ_CORE}};

struct Set {
  Set() : bits(hwloc_bitmap_alloc()) {}
  ~Set() { hwloc_bitmap_free(bits); }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  hwloc_bitmap_t bits;
};

// The objects of a kind that have processors, in hwloc's order. If a machine does not have the kind
// of the last level (a core), its hardware threads are used.
std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> result;
  for (hwloc_obj_t each = nullptr;
       (each = hwloc_get_next_obj_by_type(topology, type, each)) != nullptr;)
    if (each->cpuset != nullptr && hwloc_bitmap_iszero(each->cpuset) == 0) result.push_back(each);
  if (result.empty() && type == HWLOC_OBJ_CORE) return objects_of(topology, HWLOC_OBJ_PU);
  return result;
}

template <typename Object>  // a pointer to something with a cpuset
struct Tree {
  std::vector<Machine::Level> levels;
  std::vector<std::vector<Object>> objects;  // by level
};

// Whether every core is in one of the objects, and in only one.
template <typename Object>
bool divide_cores(const std::vector<Object>& objects, const std::vector<Object>& cores) {
  const Set all;
  for (const Object each : objects) {
    if (hwloc_bitmap_intersects(all.bits, each->cpuset) != 0) return false;
    hwloc_bitmap_or(all.bits, all.bits, each->cpuset);
  }
  return std::ranges::all_of(cores, [&](const Object core) {
    return std::ranges::count_if(objects, [&](const Object each) {
             return hwloc_bitmap_isincluded(core->cpuset, each->cpuset) != 0;
           }) == 1;
  });
}

// The smallest objects: those that contain no other one. Of objects with the same processors, the
// first one. With `largest`, those that no other one contains.
template <typename Object>
std::vector<Object> extreme(const std::vector<Object>& objects, bool largest) {
  std::vector<Object> result;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto is_worse_than = [&, i](std::size_t other) {
      const auto mine = objects[i]->cpuset, theirs = objects[other]->cpuset;
      if (hwloc_bitmap_isequal(mine, theirs) != 0) return other < i;
      return hwloc_bitmap_isincluded(largest ? mine : theirs, largest ? theirs : mine) != 0;
    };
    const auto all = std::views::iota(std::size_t{0}, objects.size());
    if (std::ranges::none_of(all, is_worse_than)) result.push_back(objects[i]);
  }
  return result;
}

// Objects of a kind that divide the cores; empty if there are none. Several memories may belong to
// the same cores: HBM next to DRAM, or CXL memory of a socket with several NUMA domains. Then the
// smallest domains count, or the largest ones if the smallest do not reach all cores.
template <typename Object>
std::vector<Object> dividing(const std::vector<Object>& found, const std::vector<Object>& cores) {
  if (divide_cores(found, cores)) return found;
  for (const bool largest : {false, true})
    if (auto kept = extreme(found, largest); divide_cores(kept, cores)) return kept;
  return {};
}

// The kinds that divide the cores and their enclosing objects, each in the order of the tree.
// objects_of returns the objects of a type.
template <typename Object, typename ObjectsOf>
Tree<Object> tree_by(const ObjectsOf& objects_of) {
  Tree<Object> tree;
  const std::vector<Object> cores = objects_of(HWLOC_OBJ_CORE);
  for (const Kind& kind : kinds) {
    const bool innermost = kind.type == HWLOC_OBJ_CORE;
    const std::vector<Object> found = innermost ? cores : dividing(objects_of(kind.type), cores);
    const std::size_t outer_objects = tree.levels.empty() ? 1 : tree.objects.back().size();
    if (found.size() <= outer_objects && !innermost) continue;
    Machine::Level level{kind.name, {}};
    std::vector<Object> ordered;
    for (std::size_t outer = 0; outer < outer_objects; ++outer)
      for (const Object each : found) {
        const Object around = tree.levels.empty() ? nullptr : tree.objects.back()[outer];
        if (around != nullptr && hwloc_bitmap_isincluded(each->cpuset, around->cpuset) == 0)
          continue;
        level.outer.push_back(static_cast<int>(outer));
        ordered.push_back(each);
      }
    if (ordered.size() < found.size()) continue;  // crosses enclosing ones
    tree.levels.push_back(std::move(level));
    tree.objects.push_back(std::move(ordered));
  }
  return tree;
}

Tree<hwloc_obj_t> tree_of(hwloc_topology_t topology) {
  return tree_by<hwloc_obj_t>([&](hwloc_obj_type_t type) { return objects_of(topology, type); });
}

}  // namespace

struct NodeTopology::Loaded {
  Loaded() {
    if (hwloc_topology_init(&topology) != 0) throw TopologyError("");
  }
  ~Loaded() { hwloc_topology_destroy(topology); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  hwloc_topology_t topology = nullptr;
};

void NodeTopology::Destroy::operator()(Loaded* loaded) const { delete loaded; }

NodeTopology::NodeTopology(Owned loaded)
    : loaded_(std::move(loaded)), machine_(tree_of(loaded_->topology).levels) {}

template <typename Read>
NodeTopology NodeTopology::load(Read&& read) {
  Owned loaded(new Loaded);
  const hwloc_topology_t topology = loaded->topology;
  // Objects that only some ranks of a node may use must have the same number for all ranks.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (!read(topology) || hwloc_topology_load(topology) != 0) throw TopologyError("");
  return NodeTopology(std::move(loaded));
}

// hwloc reads names of files and plugins from the environment.
NodeTopology NodeTopology::here() {
  if (has_borrowed_rights())
    throw TopologyError(
        "a setuid program does not use hwloc, because the environment controls hwloc");
  try {
    return load([](hwloc_topology_t) { return true; });
  } catch (const TopologyError&) {
    throw TopologyError("hwloc cannot read this machine; see the messages of lstopo");
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

// The innermost object that contains all of the processors, unless these are all processors of the
// node.
std::optional<Place> place_in(hwloc_topology_t topology, hwloc_const_bitmap_t processors) {
  const hwloc_const_bitmap_t whole = hwloc_topology_get_complete_cpuset(topology);
  if (hwloc_bitmap_iszero(processors) != 0 || hwloc_bitmap_isincluded(whole, processors) != 0)
    return {};
  std::optional<Place> place;
  const Tree<hwloc_obj_t> tree = tree_of(topology);
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level)
    for (int object = 0; object < static_cast<int>(tree.objects[level].size()); ++object)
      if (hwloc_bitmap_isincluded(processors, tree.objects[level][object]->cpuset) != 0)
        place = Place{level, object};
  return place;
}

}  // namespace

std::optional<Place> NodeTopology::binding() const {
  const Set set;
  // The thread's own binding if the system cannot tell the process's.
  if (hwloc_get_cpubind(loaded_->topology, set.bits, HWLOC_CPUBIND_PROCESS) != 0 &&
      hwloc_get_cpubind(loaded_->topology, set.bits, HWLOC_CPUBIND_THREAD) != 0)
    return {};
  return place_in(loaded_->topology, set.bits);
}

std::optional<Place> NodeTopology::place_of(const std::string& processors) const {
  const Set set;
  if (hwloc_bitmap_list_sscanf(set.bits, processors.c_str()) != 0) return {};
  return place_in(loaded_->topology, set.bits);
}

namespace {

// The file may have any version: names are those of hwloc 2, and of hwloc 1 if they differ.
std::optional<hwloc_obj_type_t> type_in(const XmlTags::Tag& tag) {
  const std::string_view* const type = tag.find("type");
  if (type == nullptr) return {};
  if (*type == "Package" || *type == "Socket") return HWLOC_OBJ_PACKAGE;
  if (*type == "NUMANode") return HWLOC_OBJ_NUMANODE;
  if (*type == "L3Cache") return HWLOC_OBJ_L3CACHE;
  if (const std::string_view* depth = tag.find("depth"); *type == "Cache" && depth != nullptr)
    return *depth == "3" ? std::optional(HWLOC_OBJ_L3CACHE) : std::nullopt;
  if (*type == "Core") return HWLOC_OBJ_CORE;
  if (*type == "PU") return HWLOC_OBJ_PU;
  return {};
}

// Words of 32 bits, as "0x0000000f,,0xff000000". hwloc aborts if the first one is empty.
bool is_cpuset(std::string_view text) {
  constexpr std::size_t longest = 4096;
  if (text.empty() || text.starts_with(',') || text.size() > longest) return false;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, end);
    const bool is_word =
        word.empty() || (word.starts_with("0x") && word.size() > 2 && word.size() <= 10 &&
                         word.substr(2).find_first_not_of("0123456789abcdef") == word.npos);
    if (!is_word) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

struct XmlObject {
  explicit XmlObject(const std::string& processors) {
    hwloc_bitmap_sscanf(set.bits, processors.c_str());
    cpuset = set.bits;
  }
  Set set;
  hwloc_bitmap_t cpuset;
};

}  // namespace

Machine read_hwloc_xml(std::string_view contents, const std::string& file) {
  constexpr std::size_t most_objects = 4096;  // of a kind
  const auto fail = [&](const std::string& why) {
    throw TopologyError(file + ": " + why + "; write it with lstopo " + file);
  };
  std::map<hwloc_obj_type_t, std::vector<std::unique_ptr<XmlObject>>> objects;
  try {
    XmlTags tags(contents, true);
    std::vector<std::string> open;
    bool is_topology = false;
    for (XmlTags::Tag tag; tags.next(tag);) {
      const std::string line = "line " + std::to_string(tags.line()) + ": ";
      if (!tag.opens) {
        if (open.empty() || open.back() != tag.name) fail(line + "unexpected closing tag");
        open.pop_back();
        continue;
      }
      if (open.empty() && (is_topology || tag.name != "topology"))
        fail(line + "expected one topology");
      is_topology = true;
      if (!tag.closes) open.emplace_back(tag.name);
      if (open.size() > 64) fail(line + "objects are nested too deeply");
      const auto type = tag.name == "object" ? type_in(tag) : std::nullopt;
      const std::string_view* const cpuset = tag.find("cpuset");
      if (!type || cpuset == nullptr) continue;
      if (!is_cpuset(*cpuset))
        fail(line + "'" + printable(*cpuset) + "' is not a set of processors");
      auto object = std::make_unique<XmlObject>(std::string(*cpuset));
      if (hwloc_bitmap_iszero(object->cpuset) != 0) continue;
      objects[*type].push_back(std::move(object));
      if (objects[*type].size() > most_objects)
        fail(line + "there are more than " + std::to_string(most_objects) + " objects of a kind");
    }
    if (!is_topology || !open.empty()) fail("the file ends too early");
  } catch (const TopologyError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    fail(error.what());
  }
  if (objects[HWLOC_OBJ_CORE].empty()) objects[HWLOC_OBJ_CORE].swap(objects[HWLOC_OBJ_PU]);
  if (objects[HWLOC_OBJ_CORE].empty()) fail("has no cores");
  return Machine(tree_by<const XmlObject*>([&](hwloc_obj_type_t type) {
                   std::vector<const XmlObject*> result;
                   for (const auto& each : objects[type]) result.push_back(each.get());
                   return result;
                 }).levels);
}

}  // namespace toccata
