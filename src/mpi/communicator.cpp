#include "mpi/communicator.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "analysis/cost_bound.h"
#include "mpi/discovery.h"
#include "mpi/neighbors.h"
#include "mpi/operation.h"
#include "mpi/patience.h"
#include "selection/reproducible.h"
#include "topology/placements.h"

namespace toccata {

namespace {

// Plans of so many bytes stay with their communicator; longer ones, which take as much longer to
// run, are looked up at each call.
constexpr std::size_t small_plan = 4 << 10;

// For the report: what runs, and what was asked for if that is another thing.
std::string label_of(const Choice& choice, const Choice& asked) {
  return choice.text() == asked.text() ? choice.text() : choice.text() + ", for " + asked.text();
}

}  // namespace

int peers_in(MPI_Comm comm) {
  int inter = 0, count = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  inter != 0 ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count);
  return count;
}

int make_bare(MPI_Comm comm, MPI_Comm& made) {
  MPI_Group group;
  if (int code = PMPI_Comm_group(comm, &group); code != MPI_SUCCESS) return code;
  const int code = PMPI_Comm_create(comm, group, &made);
  PMPI_Group_free(&group);
  return code;
}

// A communicator from MPI_Comm_create has no handler of its own in MPICH, which goes to the world's
// then, but says that it is fatal.
void call_errhandler(MPI_Comm comm, int code) {
#ifdef MPICH_VERSION
  MPI_Errhandler handler;
  PMPI_Comm_get_errhandler(comm, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) comm = MPI_COMM_WORLD;
  PMPI_Errhandler_free(&handler);
#endif
  PMPI_Comm_call_errhandler(comm, code);
}

std::atomic<std::uint64_t> Communicator::era_{0};

Communicator* Communicator::find(MPI_Comm user) {
  if (user == MPI_COMM_NULL) return nullptr;
  if (Keyvals::communicator() == MPI_KEYVAL_INVALID && Process::current() == nullptr)
    return nullptr;
  void* known = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(user, Keyvals::communicator(), &known, &found) != MPI_SUCCESS)
    return nullptr;
  if (found != 0) return static_cast<Communicator*>(known);

  Process* process = Process::current();
  if (process == nullptr) return nullptr;
  const auto made = std::make_shared<Communicator>(*process, user);
  if (PMPI_Comm_set_attr(user, Keyvals::communicator(), made.get()) != MPI_SUCCESS) return nullptr;
  made->self_ = made;
  process->add(*made);
  return made.get();
}

Communicator::Communicator(Process& process, MPI_Comm user)
    : process_(&process), user_(user), choosing_(*this) {
  int inter = 0;
  PMPI_Comm_test_inter(user, &inter);
  is_inter_ = inter != 0;
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &size_);
}

Communicator::~Communicator() {
  if (process_ != nullptr) process_->remove(*this);
}

// Open MPI needs the communicator until its collectives have ended. MPICH keeps a freed one for as
// long, and calls us from inside our own test of such a collective.
void Communicator::leave_user() {
  ++era_;
  if (!is_closed()) choosing_.tell();
  const auto last = std::move(self_);  // ends us, unless a request holds on
  if (!is_inter_ && !is_closed())
    for (const auto& each : channels_)
      while (!each->is_new() && !each->is_settled() && !each->is_tested() &&
             each->test() == MPI_SUCCESS)
        std::this_thread::yield();
  user_ = MPI_COMM_NULL;
}

void Communicator::close() {
  if (is_closed()) return;
  ++era_;
  const auto alive = shared_from_this();
  process_->remove(*this);
  for (const auto& each : channels_) each->close();
  process_ = nullptr;
  if (user_ != MPI_COMM_NULL) PMPI_Comm_delete_attr(user_, Keyvals::communicator());
}

Communicator::Used& Communicator::add(const Collective& collective, const char* algorithm) {
  const Settings& settings = Settings::get();
  const bool by_environment = algorithm == nullptr;
  const std::string variable = std::string(collective.variable) + "=";
  const Choice asked = !by_environment ? parse_choice(collective, algorithm)
                       : obeys_environment()
                           ? settings.asked(collective).at(SizedChoice::most_bytes)
                           : Choice{};
  Choice choice = asked;
  try {
    if (by_environment && !obeys_environment() && !process_->is_off() &&
        settings.asks_for(collective))
      say_once(
          "TOCCATA_* do not hold on communicators that reach beyond MPI_COMM_WORLD, as nobody can "
          "tell what the other ranks ask for. Using native there.");
    if (!is_inter_ && obeys_environment() && settings.reproducible() && collective.reduces) {
      choice = reproducible(collective, asked, known(nullptr, 0), false);
      if (choice.native())
        say_once("TOCCATA_REPRODUCIBLE: there is no such " + std::string(collective.name) +
                 " among " + std::to_string(size_) + "; using " + asked.text());
      if (choice.native()) choice = asked;
    }
    // Whether it can run here, which may be seen only where the ranks are known. Where these are to
    // be reordered that is found out now, on all of them: later each looks into its own plans
    // first.
    if (!choice.native() && !is_inter_) {
      if (with_wish(choice, collective, wish_for(collective)).reorder != Reorder::off)
        static_cast<void>(placement());
      static_cast<void>(choice.in(known(choice.algorithm, 0)));
    }
  } catch (const ChoiceError& error) {
    if (!by_environment) throw;
    say_once(variable + asked.text() + ": " + error.what() + ". Using native there.");
    choice = {};
  }
  const bool forced = !by_environment || !asked.native();
  const Choice reordered = with_wish(choice, collective, wish_for(collective));
  return add(collective, by_environment ? "" : algorithm, Service::Instead::no, reordered,
             key(collective, label_of(reordered, choice == asked ? reordered : asked),
                 forced ? "forced" : "native", -1));
}

Communicator::Used& Communicator::add(const Collective& collective, const std::string& asked,
                                      Service::Instead instead, const Choice& choice,
                                      const Report::Key& key) {
  const Service& service = process_->service(collective, asked, instead, choice, key);
  return used_.emplace_back(Used{&collective, &service, nullptr, 0, instead, false});
}

// What the environment says holds where all ranks obey it; results that are to be reproducible keep
// their order.
ReorderWish Communicator::wish_for(const Collective& collective) {
  if (is_inter_ || (Settings::get().reproducible() && collective.reduces)) return {};
  return reorder_wish_ ? *reorder_wish_ : wish_of_environment();
}

ReorderWish Communicator::wish_of_environment() {
  const Reorder how = Settings::get().reorder();
  return {.how = how != Reorder::off && obeys_environment() ? how : Reorder::off};
}

bool Communicator::reorders_by_size(const Collective& collective, const Choice& choice) {
  if (is_inter_ || (Settings::get().reproducible() && collective.reduces)) return false;
  return with_wish(choice, collective, wish_for(collective)).reorder == Reorder::automatic;
}

Choice Communicator::settled(const Collective& collective, const Choice& choice,
                             std::int64_t bytes) {
  const Choice wished = with_wish(choice, collective, wish_for(collective));
  if (wished.native()) return wished;
  if (wished.reorder != Reorder::automatic || bytes < 0) {
    static_cast<void>(wished.in(known(wished.algorithm, 0, wished.reorder != Reorder::off)));
    return wished;
  }
  const Ranking orders(wished, known(wished.algorithm, 0, true), Settings::get().model());
  return orders.at(bytes).front().choice;
}

Communicator::Used& Communicator::add_way(const Collective& collective, const Choice& choice,
                                          const std::string& reason, std::int64_t bytes) {
  Used& used = add(collective, "", Service::Instead::no, choice,
                   key(collective, choice.text(), reason, bytes));
  used.of_bucket = true;
  return used;
}

std::vector<Ranking::Entry> Communicator::candidates(const Collective& collective, int root,
                                                     std::int64_t bytes) {
  try {
    return Ranking(collective, known(root), Settings::get().model(), wish_for(collective))
        .at(bytes);
  } catch (const ChoiceError&) {
    return {};
  }
}

double Communicator::bound(const Collective& collective, int root, std::int64_t bytes) {
  static constexpr int many_ranks = 1024;  // a bound looks at all blocks of all ranks
  if (size_ > many_ranks) return 0;
  try {
    return LowerBound(collective, known(root), Settings::get().model())(bytes);
  } catch (const ChoiceError&) {
    return 0;
  }
}

int Communicator::nodes() {
  if (nodes_ == 0) try {
      static_cast<void>(placement());
    } catch (const ChoiceError&) {
    }
  return nodes_;
}

Communicator::Used& Communicator::instead_of(const Used& used, bool ordered_would_do) {
  using enum Service::Instead;
  const Service& service = *used.service;
  const auto instead = ordered_would_do ? ordered : native;
  for (Used& each : used_)
    if (each.collective == used.collective && each.instead == instead &&
        each.service->asked == service.asked && each.service->key.reason == service.key.reason &&
        each.service->key.bytes == service.key.bytes)
      return each;
  Choice choice;
  if (ordered_would_do && Settings::get().reproducible())
    choice = reproducible(service.collective, Choice{}, known(nullptr, 0), true);
  const std::string asked = service.asked;
  return add(service.collective, asked, instead, choice,
             key(service.collective, label_of(choice, service.choice), service.key.reason,
                 service.key.bytes));
}

const Service& Communicator::native_instead_of(const Service& service) {
  return process_->service(
      service.collective, service.asked, Service::Instead::native, {},
      key(service.collective, label_of({}, service.choice), service.key.reason, service.key.bytes));
}

// Of a collective whose blocks belong to no rank, all roots have one plan, turned.
std::shared_ptr<const Plan> Communicator::plan(Used& used, int root, int& turn) {
  const Collective& collective = *used.collective;
  const Algorithm& algorithm = *used.service->choice.algorithm;
  const bool turns = collective.rooted && !collective.reduces && &collective == &bcast &&
                     !algorithm.by_placement && !algorithm.by_grid &&
                     used.service->choice.reorder == Reorder::off;
  turn = turns ? root : 0;
  if (used.plan != nullptr && used.root == root) return used.plan;
  const int rank = rank_ >= turn ? rank_ - turn : rank_ - turn + size_;
  const int plans_root = turns ? 0 : root;
  auto plan = process_->plans().get(
      {&collective, used.service->choice, size_, rank, plans_root, where(used.service->choice)},
      [&] { return known(&algorithm, plans_root, used.service->choice.reorder != Reorder::off); });
  used.root = root;
  used.plan = plan->memory() <= small_plan ? plan : nullptr;
  return plan;
}

Shape Communicator::known(const Algorithm* algorithm, int root, bool reorders) {
  Shape shape;
  shape.p = size_;
  shape.root = root;
  if (algorithm == nullptr) return shape;
  if (algorithm->by_placement || algorithm->by_grid || reorders) {
    shape.grid = cartesian_grid(user_);
    if (reorders || algorithm->by_placement || shape.grid == nullptr) shape = known(root);
  }
  if (algorithm->collective.among_neighbors)
    shape.neighborhood = neighbors_for(*algorithm).neighborhood;
  return shape;
}

Shape Communicator::known(int root) {
  Shape shape;
  shape.p = size_;
  shape.root = root;
  shape.placement = placement();
  shape.grid = cartesian_grid(user_);
  if (shape.grid == nullptr) shape.grid = grid_of(*shape.placement);
  return shape;
}

std::uint64_t Communicator::where(const Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  const std::uint64_t neighbors =
      algorithm.collective.among_neighbors ? neighbors_for(algorithm).digest : 0;
  if (!algorithm.by_placement && !algorithm.by_grid && choice.reorder == Reorder::off)
    return neighbors;
  return place() ^ neighbors;
}

// Communicators of the same ranks on the same mesh are in the same place.
std::uint64_t Communicator::place() {
  if (where_ != 0) return where_;
  std::string text;
  for (const int each : process_->world().ranks_of(user_)) text += std::to_string(each) + " ";
  if (const auto grid = cartesian_grid(user_))
    for (std::size_t i = 0; i < grid->mesh.dims.size(); ++i)
      text += (grid->mesh.periodic[i] ? "t" : "m") + std::to_string(grid->mesh.dims[i]);
  if (!channel().is_within_world()) text += "alone " + std::to_string(process_->next_number());
  return where_ = digest(text) | 1;
}

const std::shared_ptr<const Neighborhood>& Communicator::neighbors() {
  if (!own_neighbors_)
    own_neighbors_ = std::make_unique<const KnownNeighbors>(
        known_neighbors(own_neighbors(user_), rank_, rank_ + 1));
  return own_neighbors_->neighborhood;
}

const Communicator::KnownNeighbors& Communicator::neighbors_for(const Algorithm& algorithm) {
  if (neighbors() == nullptr)
    throw ChoiceError(algorithm.path() + " needs a communicator with a topology");
  if (!algorithm.by_placement) return *own_neighbors_;
  if (!all_neighbors_)
    all_neighbors_ = std::make_unique<const KnownNeighbors>(
        known_neighbors(all_neighbors(user_, *process_), 0, size_));
  return *all_neighbors_;
}

// Of ranks from `first` to `end` - 1.
Communicator::KnownNeighbors Communicator::known_neighbors(
    std::shared_ptr<const Neighborhood> neighborhood, int first, int end) {
  std::string text;
  for (int rank = first; neighborhood != nullptr && rank < end; ++rank) {
    const Neighbors& each = neighborhood->of(rank);
    text += std::to_string(each.blocks_in) + ":" + std::to_string(each.blocks_out);
    for (const auto* edges : {&each.in, &each.out}) {
      text += ";";
      for (const Neighbors::Edge& edge : *edges)
        text += std::to_string(edge.peer) + "@" + std::to_string(edge.block) + " ";
    }
  }
  return {std::move(neighborhood), digest(text) | 1};
}

std::shared_ptr<const Placement> Communicator::placement() {
  const auto found = placement_ == nullptr ? find_placement() : placement_;
  if (const int level = node_level(found->machine()); nodes_ == 0 && level >= 0)
    nodes_ = found->regions(level).number();
  return found;
}

std::shared_ptr<const Placement> Communicator::find_placement() {
  if (open_channel() != MPI_SUCCESS || !channel().is_ready())
    throw ChoiceError("needs to know where ranks run, which cannot be found out");
  if (channel().all_know_places()) {
    const std::vector<int> ranks = process_->world().ranks_of(user_);
    return std::make_shared<const Placement>(process_->world_placement()->among(ranks));
  }
  std::string complaint;
  placement_ = discover(user_, process_->surroundings(), *process_, complaint);
  if (!complaint.empty()) say_once(complaint);
  return placement_;
}

int Communicator::start_channel() {
  Channel& channel = this->channel();
  if (!channel.is_new()) return MPI_SUCCESS;
  // Where a communicator of its own is needed, or what is in the memory of GPUs has to be known,
  // all ranks have to wait for each other.
  if (!process_->world().is_open() || !channel.is_within_world() || process_->has_devices())
    return open_channel_now();
  return channel.start(true);
}

int Communicator::test_channel(Channel& channel) {
  if (channel.is_settled()) return MPI_SUCCESS;
  const auto alive = shared_from_this();  // the test may end the user's communicator
  const int code = channel.test();
  if (process_ != nullptr && process_->world().is_open())
    process_->datatypes().judge_by(process_->world().comm());
  if (channel.is_settled() && !channel.is_ready() && !channel.why_refused().empty())
    say_once(channel.why_refused() + ". Using native there.");
  return code;
}

int Communicator::open_channel_now() {
  Channel& channel = this->channel();
  if (channel.is_new())
    if (int code = channel.start(false); code != MPI_SUCCESS) return code;
  Patience patience("the first collective of all " + std::to_string(size_) +
                    " ranks of a communicator");
  while (!channel.is_settled()) {
    if (int code = test_channel(channel); code != MPI_SUCCESS) return code;
    if (channel.is_settled()) break;
    process_->progress();
    patience.tick();
    std::this_thread::yield();
  }
  return MPI_SUCCESS;
}

Channel& Communicator::add_channel() {
  return *channels_.emplace_back(
      std::make_unique<Channel>(process_->world(), user_, process_->stance()));
}

int Communicator::open_next_channel() {
  add_channel();
  return open_channel_now();
}

void Communicator::say_once(const std::string& line) {
  const std::vector<int> ranks = process_->world().ranks_of(user_);
  const bool is_first_here = std::ranges::find(ranks, 0) != ranks.end();
  if (is_first_here ? process_->world_rank() == 0 : rank_ == 0) process_->say_here(line);
}

int Communicator::raise_error(int code) const {
  if (user_ != MPI_COMM_NULL) call_errhandler(user_, code);
  return code;
}

}  // namespace toccata
