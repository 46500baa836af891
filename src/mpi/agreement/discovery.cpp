#include "mpi/agreement/discovery.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "mpi/agreement/shared_by_key.h"
#include "mpi/data/roomy_stack.h"
#include "mpi/settings/settings.h"
#include "mpi/world/ranks.h"
#include "mpi/world/world.h"
#include "text/digest.h"
#include "topology/error.h"
#include "topology/hwloc.h"
#include "topology/placements.h"
#include "topology/readers.h"

namespace toccata {

namespace {

// The object of a level with this host's name, with or without its domain; -1 if there is none.
int host_on(const Machine& machine, int level, std::string_view name) {
  const std::vector<std::string>& labels = machine.level(level).labels;
  const auto short_form = [](std::string_view host) { return host.substr(0, host.find('.')); };
  for (const bool whole : {true, false})
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (whole ? labels[i] == name : short_form(labels[i]) == short_form(name))
        return static_cast<int>(i);
  return -1;
}

}  // namespace

Surroundings::Surroundings(const TopologySetting& setting)
    : text_(setting.machine), places_(setting.placement) {
  read_node();
  read_setting();
}

void Surroundings::read_node() {
  own_.node = node_of(processor_name());
  PMPI_Comm_rank(World::comm(), &own_.world);
  try {
    node_ = shared_by_key<Bound>(0, [] {
      const NodeTopology node = NodeTopology::here();
      return Bound{node.machine(), node.binding()};
    });
    own_.settle(node_->node, node_->place);
  } catch (const TopologyError& error) {
    complaints_.push_back(std::string(error.what()) + ". Considering nodes only.");
  }
}

void Surroundings::read_setting() {
  if (text_.empty()) {
    if (!places_.empty())
      complaints_.push_back("TOCCATA_TOPOLOGY: placement:" + places_ +
                            " has no effect without a machine. Using the discovered topology.");
    return;
  }
  try {
    machine_ = shared_by_key<Machine>(text_, [&] { return read_machine(text_); });
  } catch (const TopologyError& error) {
    complaints_.push_back("TOCCATA_TOPOLOGY=" + text_ + ": " + error.what() +
                          ". Using the discovered topology.");
    return;
  }
  if (!machine_->remark().empty())
    complaints_.push_back("TOCCATA_TOPOLOGY=" + text_ + ": " + machine_->remark());
  for (const std::string& each : unknown_levels(*machine_))
    complaints_.push_back("TOCCATA_TOPOLOGY=" + text_ + ": unknown level '" + each +
                          "'; most algorithms use only node, socket, numa, l3 and core.");
  const int level = node_level(*machine_);
  if (places_.empty() && level >= 0 && !machine_->level(level).labels.empty()) {
    own_.host = host_on(*machine_, level, processor_name());
    machine_ = std::make_shared<const Machine>(down_to(*machine_, level));
  } else if (places_.empty()) {
    places_ = "sequential";
  }
  own_.machine = digest(saved(*machine_) + places_);
}

Placement Surroundings::placement(std::span<const Whereabouts> ranks,
                                  std::string& complaint) const {
  const bool alike = std::ranges::all_of(
      ranks, [&](const Whereabouts& each) { return each.machine == ranks.front().machine; });
  const std::string prefix = "TOCCATA_TOPOLOGY=" + text_ + ": ";
  const std::string suffix = ". Using the discovered topology.";
  if (!alike) {
    complaint = prefix + "differs between ranks, or some ranks cannot read it" + suffix;
    return placement_of(ranks);
  }
  if (!machine_) return placement_of(ranks);
  if (places_.empty()) {
    const auto lost = std::ranges::find(ranks, -1, &Whereabouts::host);
    if (lost == ranks.end()) return placement_of(ranks, &*machine_);
    complaint = prefix + "the host of rank " + std::to_string(lost->world) +
                " is not among the nodes; add its name, as `hostname` prints it there" + suffix;
    return placement_of(ranks);
  }
  std::vector<int> world;
  for (const Whereabouts& each : ranks) world.push_back(each.world);
  try {
    return *placement_of_world(world);
  } catch (const TopologyError& error) {
    const bool asked = places_ != "sequential";  // "sequential" is the default
    complaint = prefix + (asked ? "placement:" + places_ + ": " : "") + error.what() + suffix;
    return placement_of(ranks);
  }
}

// The placement of MPI_COMM_WORLD, if its ranks ran there.
std::shared_ptr<const Placement> Surroundings::placement_of_world(
    const std::vector<int>& ranks) const {
  return shared_by_key<Placement>(std::pair{own_.machine, ranks}, [&] {
    return place(machine_, std::ranges::max(ranks) + 1, places_).among(ranks);
  });
}

namespace {

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  throw std::runtime_error("cannot discover where ranks run: " + std::string(text));
}

// The lowest rank that shares memory with us. MPI reports this only in a call that waits; nothing
// else advances meanwhile. Use it only if no rank has an operation in progress.
int ask_for_lowest_on_node(MPI_Comm comm, int rank) {
  MPI_Comm node;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  int lowest = rank;
  const int code = PMPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
  PMPI_Comm_free(&node);
  check(code);
  return lowest;
}

}  // namespace

std::shared_ptr<const Placement> discover(Exchange exchange, const Surroundings& surroundings,
                                          int lowest_on_node, std::string& complaint) {
  const MPI_Comm comm = exchange.comm();
  int rank = 0, p = 0;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &p));
  Whereabouts own = surroundings.own();

  const std::vector<int> world = ranks_in_world(comm);
  const bool within = std::ranges::count(world, MPI_UNDEFINED) == 0;
  enum { busy, untold, node_unknown, machine, machine_complement, words };
  const std::array<std::uint64_t, words> mine{
      exchange.background().busy(), !(within && surroundings.tell_places()),
      !(within && lowest_on_node >= 0), own.machine, ~own.machine};
  std::array<std::uint64_t, words> largest{};
  check(exchange.agree<std::uint64_t>(mine, largest));
  // If all ranks have the same settings, no exchange is needed.
  if (largest[untold] == 0 && largest[machine] == ~largest[machine_complement]) try {
      return surroundings.placement_of_world(world);
    } catch (const TopologyError&) {  // `placement` reports it
    }
  if (largest[node_unknown] == 0)
    own.node = static_cast<std::uint64_t>(lowest_on_node);
  else if (largest[busy] == 0 && exchange.may_make_communicators())
    on_roomy_stack(
        [&] { own.node = static_cast<std::uint64_t>(ask_for_lowest_on_node(comm, rank)); });

  std::vector<Whereabouts> ranks(p);
  const auto bytes = static_cast<int>(sizeof own);
  if (largest[busy] == 0) {
    check(PMPI_Allgather(&own, bytes, MPI_BYTE, ranks.data(), bytes, MPI_BYTE, comm));
  } else {  // in Open MPI, this sends p - 1 messages per rank
    check(exchange.allgather(&own, bytes, MPI_BYTE, ranks.data()));
  }
  return std::make_shared<const Placement>(surroundings.placement(ranks, complaint));
}

std::shared_ptr<const Grid> cartesian_grid(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, dimensions = 0;
  if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART ||
      PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS || dimensions < 1)
    return nullptr;
  std::vector<int> dims(dimensions), periods(dimensions), coordinates(dimensions);
  if (PMPI_Cart_get(comm, dimensions, dims.data(), periods.data(), coordinates.data()) !=
      MPI_SUCCESS)
    return nullptr;
  // MPI numbers the cells of its mesh as we do, with the last dimension fastest. For a communicator
  // of MPI_Comm_create_group, Open MPI gives some ranks the mesh of all.
  Grid grid{{dims, {periods.begin(), periods.end()}}};
  int p = 0;
  PMPI_Comm_size(comm, &p);
  return grid.mesh.cells() == p ? std::make_shared<const Grid>(std::move(grid)) : nullptr;
}

}  // namespace toccata
