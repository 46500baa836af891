#include "mpi/communicator/members.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "choices/mpi_libraries.h"
#include "mpi/agreement/discovery.h"
#include "mpi/agreement/neighbors.h"
#include "mpi/agreement/overdue.h"
#include "mpi/devices/device_memory.h"
#include "mpi/libraries/library.h"
#include "mpi/settings/family.h"
#include "mpi/settings/info.h"
#include "mpi/settings/network.h"
#include "mpi/settings/own_rules.h"
#include "mpi/settings/settings.h"
#include "mpi/world/ranks.h"
#include "text/digest.h"
#include "topology/placements.h"
#include "topology/reorder/heuristics.h"

namespace toccata {

Members::Members(Process& process, MPI_Comm user) : process_(&process), user_(user) {
  int inter = 0;
  PMPI_Comm_test_inter(user, &inter);
  is_inter_ = inter != 0;
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &size_);
}

// The environment's rules apply if all ranks have them. Reproducible results need the order of the
// ranks.
ReorderWish Members::wish_for(const Collective& collective) {
  if (is_inter_ || (Settings::get().reproducible() && collective.reduces)) return {};
  return reorder_wish_ ? *reorder_wish_ : wish_of_environment();
}

ReorderWish Members::wish_of_environment() {
  const Reorder how = Settings::get().reorder();
  return {.how = how != Reorder::off && obey_rules() ? how : Reorder::off};
}

// Some MPIs keep unknown keys of a communicator's info; Open MPI does for MPI_Comm_dup_with_info.
// The keys must be the same on all ranks.
std::optional<SizedChoice> Members::asked_by_info(const Collective& collective) {
  MPI_Info info = MPI_INFO_NULL;
  if (our_mpi.drops_unknown_hints) return {};  // MPICH takes some microseconds to write all others
  if (PMPI_Comm_get_info(user_, &info) != MPI_SUCCESS || info == MPI_INFO_NULL) return {};
  std::optional<SizedChoice> result;
  try {
    result = asked_in(info, collective);
  } catch (const ChoiceError& error) {
    say_once(std::string(error.what()) + ". Using the MPI library.");
    result = SizedChoice();
  }
  PMPI_Info_free(&info);
  return result;
}

// Uses the program's communicator, on which all ranks call in the same order.
bool Members::agree(std::span<const double> mine, std::span<double> least) {
  return exchange().agree(mine, least) == MPI_SUCCESS;
}

bool Members::agree(bool mine) {
  const double good = mine ? 1 : 0;
  double least = 0;
  return agree({&good, 1}, {&least, 1}) && least == 1;
}

int Members::test_channel(Channel& channel) {
  if (channel.is_settled()) return MPI_SUCCESS;
  const auto alive = shared_from_this();  // the test may end the user's communicator
  const int code = channel.test();
  if (process_ != nullptr && process_->world().is_open())
    process_->datatypes().judge_by(process_->world().comm());
  if (channel.is_settled() && !channel.is_ready() && !channel.why_refused().empty())
    say_once(channel.why_refused() + ". Using the MPI library.");
  return code;
}

int Members::open(Channel& channel, bool never_waits) {
  if (channel.is_new())
    if (int code = channel.start(false, never_waits, makes_duplicates_); code != MPI_SUCCESS)
      return code;
  Overdue overdue("the first collective of all " + std::to_string(size_) +
                  " ranks of a communicator");
  while (!channel.is_settled()) {
    if (int code = test_channel(channel); code != MPI_SUCCESS) return code;
    if (channel.is_settled()) break;
    process_->progress();
    overdue.tick();
    std::this_thread::yield();
  }
  return MPI_SUCCESS;
}

// Without tags, nonblocking calls have used the mailbox until now. Ranks wait here anyway, so they
// can create a communicator for the later calls.
int Members::open_channel_now() {
  const int code = open(channel(), false);
  return code == MPI_SUCCESS && channel().mailbox() != nullptr ? open_next_channel() : code;
}

Channel& Members::add_channel() {
  return *channels_.emplace_back(
      std::make_unique<Channel>(process_->world(), user_, process_->stance()));
}

int Members::open_next_channel() {
  add_channel();
  return open_channel_now();
}

// A communicator of its own would have to be freed by all ranks together, but a request is freed by
// each rank at its own time.
std::shared_ptr<Channel> Members::open_separate_channel() {
  const auto made = std::make_shared<Channel>(process_->world(), user_, process_->stance(), true);
  const bool opened = open(*made, true) == MPI_SUCCESS && made->is_ready();
  return opened && made->all_share_memory() ? made : nullptr;
}

int Members::nodes() {
  if (nodes_ == 0) try {
      static_cast<void>(placement());
    } catch (const ChoiceError&) {
    }
  return nodes_;
}

int Members::library_version() const {
  static const int version = version_of(library_text());
  return version;
}

NetworkFacts Members::network_facts(bool for_sums) {
  KnownNetwork& facts = network_[for_sums ? 0 : 1];
  if (!facts.agreed) {
    const bool one_per_node = nodes() == size_;
    // Nothing is known about sums of buffers on devices, whose locations other ranks do not know.
    const bool on_hosts = !has_device_runtime();
    const std::array mine{on_hosts && follows_known_rules(one_per_node) ? 1.0 : 0,
                          on_hosts && sends_only_messages() ? 1.0 : 0,
                          has_only_ethernet() ? 1.0 : 0};
    std::array<double, 3> all{};
    if (!agree(mine, all)) all = {};
    facts = {true, all[0] > 0, all[1] > 0, all[2] > 0};
  }
  return {facts.own ? rules().own_rules() : nullptr, facts.sends_only_messages,
          facts.ethernet ? NetworkKind::ethernet : NetworkKind::any};
}

// Kept as two bits, because programs have many communicators. The node's memory opens with the
// private world, which MPI_Init may have left for later.
Facts Members::facts() {
  const NodeMemory& node = process_->world().node();
  if (!knows_facts_) {
    const std::vector<int> ranks = ranks_in_world(user_);
    const auto is_here = [&](int world_rank) { return node.place(world_rank) >= 0; };
    const bool within_world = std::ranges::find(ranks, MPI_UNDEFINED) == ranks.end();
    obeys_rules_ = !process_->is_off() && within_world;
    on_one_node_ = node.is_open() && std::ranges::all_of(ranks, is_here);
    knows_facts_ = process_->world().is_open();
  }
  return {.ranks = size_,
          .obey_rules = obeys_rules_,
          .on_one_node = on_one_node_,
          .node = {!node.has_spare_cores(), node.reads_directly(), rules().table()},
          .edges = edges_};
}

bool Members::share_memory() {
  if (open_channel() != MPI_SUCCESS || !channel().is_ready()) return false;
  const node::Board* const board = channel().route().board;
  return board != nullptr && board->ranks() == size_;
}

bool Members::share_memory_inside_nodes() {
  return open_channel() == MPI_SUCCESS && channel().is_ready() && channel().all_share_memory();
}

Shape Members::shape(const Collective& collective, int root) {
  Shape shape = shape_on(placement(), root);
  if (collective.among_neighbors) shape.neighborhood = all_neighbors().neighborhood;
  return shape;
}

Shape Members::shape_on(std::shared_ptr<const Placement> placement, int root) const {
  Shape shape;
  shape.p = size_;
  shape.root = root;
  shape.placement = std::move(placement);
  shape.grid = cartesian_grid(user_);
  if (shape.grid == nullptr) shape.grid = grid_of(*shape.placement);
  return shape;
}

std::uint64_t Members::known_shape() {
  if (known_shape_ != 0) return known_shape_;
  auto placement = placement_;
  if (placement == nullptr && channel().is_within_world())
    if (const auto world = process_->world_placement())
      placement = std::make_shared<const Placement>(world->among(ranks_in_world(user_)));
  return known_shape_ = placement == nullptr ? 0 : digest_of(shape_on(std::move(placement), 0));
}

Shape Members::shape(const Algorithm& algorithm, int root, bool reorders) {
  Shape shape;
  shape.p = size_;
  shape.root = root;
  if (algorithm.by_placement || algorithm.by_grid || reorders) {
    shape.grid = cartesian_grid(user_);
    if (reorders || algorithm.by_placement || shape.grid == nullptr)
      shape = shape_on(placement(), root);
  }
  if (algorithm.collective.among_neighbors)
    shape.neighborhood = neighbors_for(algorithm).neighborhood;
  return shape;
}

std::uint64_t Members::where(const Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  const std::uint64_t neighbors =
      algorithm.collective.among_neighbors ? neighbors_for(algorithm).digest : 0;
  if (!algorithm.by_placement && !algorithm.by_grid && choice.reorder == Reorder::off)
    return neighbors;
  return place() ^ neighbors;
}

// Communicators of the same ranks on the same mesh get the same number.
std::uint64_t Members::place() {
  if (where_ != 0) return where_;
  std::string text;
  for (const int each : ranks_in_world(user_)) text += std::to_string(each) + " ";
  if (const auto grid = cartesian_grid(user_))
    for (std::size_t i = 0; i < grid->mesh.dims.size(); ++i)
      text += (grid->mesh.periodic[i] ? "t" : "m") + std::to_string(grid->mesh.dims[i]);
  if (!channel().is_within_world()) text += "alone " + std::to_string(process_->next_number());
  return where_ = digest(text) | 1;
}

const std::shared_ptr<const Neighborhood>& Members::neighbors() {
  if (!own_neighbors_) own_neighbors_ = known_neighbors(toccata::own_neighbors(user_));
  return own_neighbors_->neighborhood;
}

const Members::KnownNeighbors& Members::all_neighbors() {
  if (!all_neighbors_) all_neighbors_ = known_neighbors(toccata::all_neighbors(exchange()));
  return *all_neighbors_;
}

const Members::KnownNeighbors& Members::neighbors_for(const Algorithm& algorithm) {
  if (neighbors() == nullptr)
    throw ChoiceError(algorithm.path() + " needs a communicator with a topology");
  return algorithm.by_placement ? all_neighbors() : *own_neighbors_;
}

std::unique_ptr<const Members::KnownNeighbors> Members::known_neighbors(
    std::shared_ptr<const Neighborhood> neighborhood) {
  const std::uint64_t digest = neighborhood == nullptr ? 0 : digest_of(*neighborhood);
  return std::make_unique<const KnownNeighbors>(KnownNeighbors{std::move(neighborhood), digest});
}

Edges Members::known_edges() {
  if (edges_ == Edges::unknown && neighbors() != nullptr)
    if (const auto repeated = known_to_repeat_edges(user_))
      edges_ = *repeated ? Edges::repeated : Edges::distinct;
  return edges_;
}

Edges Members::edges() {
  static constexpr int few_ranks = 512;  // every rank can keep the neighbours of all
  if (known_edges() != Edges::unknown || neighbors() == nullptr) return edges_;
  if (!facts().on_one_node && size_ <= few_ranks) {  // a choice needs all neighbours anyway
    const Neighborhood& all = *all_neighbors().neighborhood;
    edges_ = Edges::distinct;
    for (int rank = 0; rank < size_; ++rank)
      if (all.of(rank).repeat()) edges_ = Edges::repeated;
    return edges_;
  }
  return edges_ = agree(!neighbors()->of(rank_).repeat()) ? Edges::distinct : Edges::repeated;
}

std::shared_ptr<const Placement> Members::placement() {
  const auto found = placement_ == nullptr ? find_placement() : placement_;
  if (const int level = node_level(found->machine()); nodes_ == 0 && level >= 0)
    nodes_ = found->regions(level).number();
  return found;
}

bool Members::knows_places(const Algorithm& algorithm) {
  if (algorithm.collective.among_neighbors && algorithm.by_placement && all_neighbors_ == nullptr)
    return false;
  return has_met_ && channel().is_ready() && (placement_ != nullptr || channel().all_know_places());
}

std::shared_ptr<const Placement> Members::find_placement() {
  if (open_channel() != MPI_SUCCESS || !channel().is_ready())
    throw ChoiceError("Toccata cannot discover where the ranks run");
  const std::vector<int> ranks = ranks_in_world(user_);
  if (channel().all_know_places())
    return std::make_shared<const Placement>(process_->world_placement()->among(ranks));
  std::string complaint;
  placement_ = discover(exchange(), process_->surroundings(),
                        process_->world().node().lowest_rank(), complaint);
  if (!complaint.empty()) say_once(complaint);
  const bool is_world =
      size_ == process_->world().size() && channel().is_within_world() && ranks == identity(size_);
  if (is_world) process_->set_world_placement(placement_);
  return placement_;
}

void Members::say_once(const std::string& line) {
  const std::vector<int> ranks = ranks_in_world(user_);
  const bool is_first_here = std::ranges::find(ranks, 0) != ranks.end();
  if (is_first_here ? process_->world_rank() == 0 : rank_ == 0) process_->say_here(line);
}

}  // namespace toccata
