#include "mpi/communicator.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "algorithms/count.h"
#include "algorithms/registry.h"
#include "mpi/discovery.h"
#include "topology/placements.h"

namespace toccata {

namespace {

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

Communicator* Communicator::of(MPI_Comm user) {
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

Communicator::Communicator(Process& process, MPI_Comm user) : process_(&process), user_(user) {
  int inter = 0;
  PMPI_Comm_test_inter(user, &inter);
  is_inter_ = inter != 0;
  PMPI_Comm_rank(user, &rank_);
  PMPI_Comm_size(user, &size_);
  known_.p = size_;

  int* upper_bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper_bound, &found);
  const int tags = found != 0 ? *upper_bound : 32767;
  static constexpr int blocking_tags = 1024;  // many more than a schedule has channels
  next_tag_ = {blocking_tags, tags / 2, blocking_tags};
  next_persistent_tag_ = {tags / 2, tags, tags / 2};
}

Communicator::~Communicator() { close(); }

void Communicator::leave_user() {
  {
    const std::lock_guard lock(private_mutex_);
    // Open MPI's duplicate needs what it is made from until it is made. MPICH keeps a freed
    // communicator for as long, and calls us from inside our own test of the duplicate.
    if (duplicating_ != MPI_REQUEST_NULL && !completing_) make_private_now();
  }
  user_ = MPI_COMM_NULL;
  const auto last = std::move(self_);  // ends us, unless a request holds on
}

void Communicator::close() {
  if (process_ == nullptr) return;
  const auto alive = weak_from_this().lock();  // to wait below may end the user's communicator
  process_->remove(*this);
  process_ = nullptr;
  const std::lock_guard lock(private_mutex_);
  completing_ = true;
  if (duplicating_ != MPI_REQUEST_NULL) PMPI_Wait(&duplicating_, MPI_STATUS_IGNORE);
  if (private_ != MPI_COMM_NULL) PMPI_Comm_free(&private_);
}

void Communicator::look_around(const Algorithm& algorithm) {
  if (algorithm.by_grid && known_.grid == nullptr) known_.grid = cartesian_grid(user_);
  if (algorithm.by_placement || (algorithm.by_grid && known_.grid == nullptr)) placement();
}

const Placement& Communicator::placement() {
  if (placed_) return *known_.placement;
  if (make_private() != MPI_SUCCESS)
    throw std::runtime_error("the communicator cannot be duplicated");
  std::string complaint;
  known_.placement = discover(private_, process_->surroundings(), *process_, complaint);
  if (known_.grid == nullptr) known_.grid = cartesian_grid(user_);
  if (known_.grid == nullptr) known_.grid = grid_of(*known_.placement);
  if (!complaint.empty()) process_->say_once(complaint);
  placed_ = true;
  return *known_.placement;
}

const Plan& Communicator::plan_named(const Collective& collective, const char* algorithm) {
  const Choice asked = parse_choice(collective, algorithm);
  const Choice choice = reproducible(collective, asked, false);
  const Plan& plan = add_plan(collective, choice, label_of(choice, asked));
  named_.push_back({&collective, algorithm, &plan});
  return plan;
}

const Plan& Communicator::plan_asked(const Collective& collective) {
  const Choice& asked = process_->asked(collective);
  const Plan* plan = nullptr;
  try {
    const Choice choice = reproducible(collective, asked, false);
    plan = &add_plan(collective, choice, label_of(choice, asked));
  } catch (const RequestError& error) {
    process_->say_once(std::string(collective.variable) + "=" + asked.text() + ": " + error.what() +
                       ". Using native there.");
    plan = &add_plan(collective, Choice{}, label_of({}, asked));
  }
  asked_.emplace_back(&collective, plan);
  return *plan;
}

std::shared_ptr<Plan> Communicator::make_plan(const Collective& collective, const Choice& choice,
                                              int root) {
  auto plan = std::make_shared<Plan>(collective, choice);
  plan->root = root;
  if (!choice.native() && !is_inter_) {
    look_around(*choice.algorithm);
    const Shape shape = choice.in(known(root));
    const auto units = [&](Buffer buffer) {
      return collective.blocks(shape, rank_, buffer) / shape.parts;
    };
    plan->schedule = choice.schedule(known(root), rank_);
    plan->units = {units(Buffer::send), units(Buffer::recv), shape.parts, collective.reduces};
    plan->straight = StraightProgram::compile(plan->schedule);
    plan->sized = collective.vector_of != nullptr && choice.algorithm->blocks_alike;
  }
  return plan;
}

const Plan& Communicator::add_plan(const Collective& collective, const Choice& choice,
                                   const std::string& label) {
  const auto plan = make_plan(collective, choice, 0);
  plan->row = &report_.row(size_, std::string(collective.name), label);
  return *plans_.emplace_back(plan);
}

const Plan& Communicator::for_root(const Plan& plan, int root) {
  static constexpr std::size_t most_kept = 16 << 20;  // bytes of schedules
  if (root < 0 || root >= size_) return plan;
  auto its = std::ranges::find(rooted_, &plan, &Rooted::plan);
  if (its == rooted_.end()) its = rooted_.insert(its, {&plan, {}, 0});
  if (its->memory > most_kept) *its = {&plan, {}, 0};
  its->by_root.resize(size_);
  std::shared_ptr<const Plan>& kept = its->by_root[root];
  if (kept == nullptr) {
    const std::shared_ptr<Plan> made = make_plan(plan.collective, plan.choice, root);
    made->row = plan.row;
    its->memory += made->schedule.memory();
    kept = made;
  }
  return *kept;
}

const Plan& Communicator::instead_of(const Plan& plan, bool ordered_would_do) {
  for (const Instead& each : instead_)
    if (each.plan == &plan && each.ordered == ordered_would_do) return *each.instead;
  const Choice choice = ordered_would_do ? reproducible(plan.collective, Choice{}, true) : Choice{};
  const Plan& instead = add_plan(plan.collective, choice, label_of(choice, plan.choice));
  instead_.push_back({&plan, ordered_would_do, &instead});
  return instead;
}

// All such algorithms give the same bits; the one of the fewest rounds, then messages.
Choice Communicator::reproducible(const Collective& collective, const Choice& choice,
                                  bool ordered) const {
  if (!process_->reproducible() || !collective.reduces || is_inter_ ||
      (!choice.native() && choice.algorithm->reproducible))
    return choice;
  Choice best;
  Cost least;
  for (const Algorithm* each : all_algorithms()) {
    if (!each->serves(collective) || !each->reproducible || (ordered && !each->ordered) ||
        !each->why_impossible(known()).empty())
      continue;
    const Cost cost = toccata::count(*each, each->complete(known()));
    if (!best.native() && std::pair(cost.rounds, cost.sent) >= std::pair(least.rounds, least.sent))
      continue;
    best = {each, Parameters(each->parameters)};
    least = cost;
  }
  if (best.native())
    process_->say_once("TOCCATA_REPRODUCIBLE: there is no such " + std::string(collective.name) +
                       " among " + std::to_string(size_) + "; using " + choice.text());
  return best.native() ? choice : best;
}

SizedExecution& Communicator::sized_workspace() {
  if (sized_workspace_ == nullptr) sized_workspace_ = std::make_unique<SizedExecution>();
  return *sized_workspace_;
}

// By the nonblocking function here too, as it must be the same on every rank, and others may wait
// for one of our requests before they come here.
int Communicator::make_private_now() {
  if (int code = start_private(); code != MPI_SUCCESS) return code;
  while (true) {
    bool ready;
    if (int code = test_private(ready); code != MPI_SUCCESS || ready) return code;
    if (process_ != nullptr) process_->progress();
    std::this_thread::yield();
  }
}

int Communicator::start_private() {
  const std::lock_guard lock(private_mutex_);
  if (private_ready_ || duplicating_ != MPI_REQUEST_NULL) return MPI_SUCCESS;
  return PMPI_Comm_idup(user_, &private_, &duplicating_);
}

int Communicator::end_duplicating() {
  std::unique_lock lock(private_mutex_);
  const bool under_way = duplicating_ != MPI_REQUEST_NULL;
  lock.unlock();
  return under_way ? make_private() : MPI_SUCCESS;
}

int Communicator::test_private(bool& ready) {
  ready = private_ready_;
  if (ready) return MPI_SUCCESS;
  const auto alive = shared_from_this();  // the test may end the user's communicator
  const std::lock_guard lock(private_mutex_);
  ready = private_ready_;
  if (ready) return MPI_SUCCESS;
  int done = 0;
  completing_ = true;
  const int code = PMPI_Test(&duplicating_, &done, MPI_STATUS_IGNORE);
  completing_ = false;
  ready = done != 0;
  return ready ? finish_private(code) : code;
}

// Errors of our messages are to come back to us: they are raised on the user's communicator.
int Communicator::finish_private(int code) {
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_errhandler(private_, MPI_ERRORS_RETURN);
  private_ready_ = code == MPI_SUCCESS;
  return code;
}

void Communicator::count(const Plan& plan, std::int64_t bytes, double started) {
  if (rank_ != 0) return;  // the first rank of each communicator speaks for it
  const std::lock_guard lock(report_mutex_);
  plan.row->calls += 1;
  plan.row->bytes += bytes;
  plan.row->seconds += PMPI_Wtime() - started;
}

int Communicator::raise_error(int code) const {
  if (user_ != MPI_COMM_NULL) PMPI_Comm_call_errhandler(user_, code);
  return code;
}

}  // namespace toccata
