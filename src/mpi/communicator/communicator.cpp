#include "mpi/communicator/communicator.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <thread>
#include <utility>

#include "choices/ranking.h"
#include "choices/reproducible.h"
#include "deciding/size_range.h"
#include "mpi/communicator/common_clock.h"
#include "mpi/process/clocks.h"
#include "mpi/world/ranks.h"
#include "text/digest.h"

namespace toccata {

namespace {

// Plans of at most this many bytes stay with their communicator. Larger ones also take longer to
// run, so a lookup at each call costs little.
constexpr std::size_t small_plan = 4 << 10;

// The reason why the MPI library serves a call without a decision, as a word for the report;
// python/toccata/launching/reports.py contains the sentences.
const char* why_native(const Question& call, const Facts& facts, const Rules& rules) {
  if (facts.ranks == 1) return "alone";
  if (!facts.obey_rules) return "world";
  if (!rules.is_on()) return "off";
  if (rules.names(call.collective)) return "asked";
  if (rules.reproducible() && call.collective.reduces) return "reproducible";
  if (depends_on_order_of_edges(call.collective) && facts.edges == Edges::repeated) return "edges";
  if (call.bytes == 0 && !call.collective.synchronizes) return "empty";
  if (call.keeps_order && (call.runs_users_code || !rules.learns_sums())) return "rounds";
  return rules.guarding() == Rules::Guarding::off ? "none" : "first";
}

// For the report: the choice that runs, and the requested one if it differs.
std::string label_of(const Choice& choice, const Choice& asked) {
  return choice.text() == asked.text() ? choice.text() : choice.text() + ", for " + asked.text();
}

bool depends_on_places(const Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  return algorithm.by_placement || algorithm.by_grid || algorithm.by_trees ||
         choice.reorder != Reorder::off;
}

std::string name_of_requests(const Collective& collective, Form form) {
  const std::string name(collective.name);
  return form == Form::persistent ? name + "_init" : "i" + name;
}

}  // namespace

std::atomic<std::uint64_t> Communicator::era_{0};

Communicator* Communicator::find(MPI_Comm user) {
  if (user == MPI_COMM_NULL) return nullptr;
  if (Keyvals::communicator() == MPI_KEYVAL_INVALID && Process::current() == nullptr)
    return nullptr;
  const WalkingAttributes* const deleting = WalkingAttributes::of(user);
  if (deleting != nullptr && deleting->frees()) return nullptr;
  void* known = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(user, Keyvals::communicator(), &known, &found) != MPI_SUCCESS)
    return nullptr;
  if (found != 0) return static_cast<Communicator*>(static_cast<Attachment*>(known));

  Process* process = Process::current();
  if (process == nullptr || deleting != nullptr) return nullptr;
  const auto made = std::make_shared<Communicator>(*process, user);
  if (PMPI_Comm_set_attr(user, Keyvals::communicator(), static_cast<Attachment*>(made.get())) !=
      MPI_SUCCESS)
    return nullptr;
  made->self_ = made;
  process->add(*made);
  return made.get();
}

Communicator::~Communicator() {
  if (process_ != nullptr) process_->remove(*this);
}

// Open MPI needs the communicator until its collectives have ended. MPICH keeps a freed
// communicator until then, and calls us from inside our own test of such a collective.
void Communicator::leave_user() noexcept {
  ++era_;
  const auto last = std::move(self_);  // destroys us, unless a request still uses us
  try {
    if (!is_closed()) tell();
    if (!is_inter() && !is_closed())
      for (const auto& each : channels_)
        while (!each->is_new() && !each->is_settled() && !each->is_tested_here() &&
               each->test() == MPI_SUCCESS)
          std::this_thread::yield();
  } catch (const std::exception& error) {  // must not reach MPI, which called us
    std::fprintf(stderr, "toccata: error while freeing a communicator: %s\n", error.what());
  }
  user_ = MPI_COMM_NULL;
}

void Communicator::close() {
  if (is_closed()) return;
  ++era_;
  const auto alive = shared_from_this();
  process_->remove(*this);
  for (const auto& each : channels_) each->close();
  if (rare_ != nullptr && rare_->nccl != nullptr) rare_->nccl->close();
  process_ = nullptr;
  if (user_ != MPI_COMM_NULL) PMPI_Comm_delete_attr(user_, Keyvals::communicator());
}

Server& Communicator::able_to_serve(const Operation& call, Server& server) {
  const DatatypeTable& datatypes = process_->datatypes();
  if (server.is_native() || call.allows(server.service->choice.ordered(), datatypes)) return server;
  return instead_of(server, call.allows(true, datatypes));
}

Server& Communicator::server_for(const Operation& call, const char* algorithm) {
  Decision* const decision = algorithm == nullptr ? decisions_.made_for(question(call)) : nullptr;
  Server& server =
      decision != nullptr ? decision->current() : this->server(call.collective, algorithm);
  return able_to_serve(call, server);
}

// Among neighbours, an algorithm serves from the first call on or never, because its order of
// repeated edges may differ from the MPI library's. So no later blocking call counts.
Server* Communicator::server_at_once(const Operation& call) {
  const Collective& collective = call.collective;
  const Question question = this->question(call);
  const auto if_it_stays = [&](Server& found) {
    const Service& service = *found.service;
    const bool changes =
        collective.among_neighbors && !found.is_native() &&
        (service.key.source != Source::forced || depends_on_places(service.choice));
    return changes ? nullptr : &found;
  };
  const bool is_known = decisions_.know(question);
  if (is_known)
    if (Decision* const decision = decisions_.made_for(question))
      return if_it_stays(decision->current());
  if (Server* const known = known_server(collective, nullptr); is_known && known != nullptr)
    return if_it_stays(*known);
  const bool reproduces = rules().reproducible() && collective.reduces;
  if (is_known && !reproduces && !rules().asks_for(collective)) return nullptr;
  const Choice asked = with_wish(decisions_.asked_for(question), collective, wish_for(collective));
  if (!asked.native() && depends_on_places(asked) && !knows_places(*asked.algorithm))
    return nullptr;
  Decision* const decision = decisions_.made_for(question);
  if (decision == nullptr && asked.native() && !reproduces) return nullptr;
  return if_it_stays(decision != nullptr ? decision->current() : server(collective, nullptr));
}

// Nonblocking and persistent calls are counted in rows of their own.
const Service& Communicator::service_of_requests(const Service& service, Form form) {
  Report::Key known = service.key;
  known.collective = name_of_requests(service.collective, form);
  return process_->service(service.collective, service.asked, service.instead, service.choice,
                           known);
}

void Communicator::count(const Service& service, Form form, std::int64_t bytes, double seconds,
                         double outside) {
  if (!Settings::get().reporting() || rank() != 0 || is_closed()) return;
  if (form == Form::blocking && rare_ != nullptr) rare_->counted = service.row.number;
  process_->count(form == Form::blocking ? service : service_of_requests(service, form), bytes,
                  seconds, outside);
}

// Ranks outside MPI_COMM_WORLD have no place in the report. Among neighbours, a rank does not know
// which arrivals the others wait for.
Samples* Communicator::samples(const Collective& collective) {
  Rare& mine = rare();
  for (const auto& [known, samples] : mine.sampled)
    if (known == &collective) return samples;
  if (is_closed()) return nullptr;
  ArrivalLog& log = process_->arrival_log();
  if (mine.order < 0 && !is_inter()) {
    const std::vector<int> ranks = ranks_in_world(user());
    Digest group;
    for (const int each : ranks) group.add(static_cast<std::uint64_t>(each));
    mine.group = group.value();
    mine.order = log.next_order(mine.group);
    mine.is_sampled = size() > 1 && std::ranges::count(ranks, MPI_UNDEFINED) == 0;
  }
  Samples* const added = mine.is_sampled && !collective.among_neighbors
                             ? log.add(collective, mine.group, mine.order, size(), rank())
                             : nullptr;
  mine.sampled.emplace_back(&collective, added);
  return added;
}

void Communicator::count_native(const Operation& call, Form form) {
  if (!Settings::get().reporting() || rank() != 0) return;
  Report::Key known = key(call.collective, "native", Source::native, -1);
  known.collective = name_of_requests(call.collective, form);
  known.why = "request";
  const bool is_right = call.fault(seat(call), process_->datatypes()) == MPI_SUCCESS;
  process_->count(process_->service(call.collective, "", Service::Instead::no, {}, known),
                  is_right ? call.bytes(seat(call)) : 0, 0);
}

Server& Communicator::add(const Collective& collective, const char* algorithm) {
  const Settings& settings = Settings::get();
  const bool by_environment = algorithm == nullptr;
  const std::string variable = std::string(collective.variable) + "=";
  const Choice asked = !by_environment ? parse_choice(collective, algorithm)
                       : obey_rules()  ? settings.asked(collective).at(SizedChoice::most_bytes)
                                       : Choice{};
  Choice choice = asked;
  try {
    if (by_environment && !obey_rules() && !process_->is_off() && settings.asks_for(collective))
      say_once(
          "TOCCATA_* settings do not apply to communicators with ranks outside MPI_COMM_WORLD, "
          "because the settings of those ranks are unknown. Using the MPI library there.");
    if (!is_inter() && obey_rules()) choice = reproducible(*this, collective, asked);
    // Whether the choice can run here may depend on the locations of all ranks. If ranks are to be
    // reordered, all of them discover these locations now. Later, a rank that has the plan would
    // not take part.
    if (!choice.native() && !is_inter()) {
      if (with_wish(choice, collective, wish_for(collective)).reorder != Reorder::off)
        static_cast<void>(placement());
      static_cast<void>(shape_of(choice, shape(*choice.algorithm, 0, false)));
    }
  } catch (const ChoiceError& error) {
    if (!by_environment) throw;
    say_once(variable + asked.text() + ": " + error.what() + ". Using the MPI library.");
    choice = {};
  }
  const bool forced = !by_environment || !asked.native();
  const Choice reordered = with_wish(choice, collective, wish_for(collective));
  return add(collective, by_environment ? "" : algorithm, Service::Instead::no, reordered,
             key(collective, label_of(reordered, choice == asked ? reordered : asked),
                 forced ? Source::forced : Source::native, -1));
}

Server& Communicator::add(const Collective& collective, const std::string& asked,
                          Service::Instead instead, const Choice& choice, const Report::Key& key) {
  const Service& service = process_->service(collective, asked, instead, choice, key);
  return *servers_.emplace_back(
      std::make_unique<Server>(Server{&service, nullptr, 0, instead, false}));
}

Server& Communicator::prepare(const Collective& collective, const Choice& choice, Source source,
                              std::int64_t bytes, Form form) {
  // Each persistent call has its own decision, but the calls share their candidates' services.
  const Service& service = process_->service(collective, "", Service::Instead::no, choice,
                                             key(collective, choice.text(), source, bytes));
  if (form == Form::persistent)
    for (const auto& each : servers_)
      if (each->form == form && each->service == &service) return *each;
  return *servers_.emplace_back(
      std::make_unique<Server>(Server{&service, nullptr, 0, Service::Instead::no, true, form}));
}

void Communicator::report(const Server& server, const Evidence& times) {
  if (is_closed()) return;
  process_->tell(server.form == Form::blocking ? *server.service
                                               : service_of_requests(*server.service, server.form),
                 times);
}

// If no channel opens, our candidates cannot serve; native does.
void Communicator::settle_nonblocking_now() {
  if (open_channel() == MPI_SUCCESS && channel().is_ready())
    decisions_.agree();
  else
    decisions_.give_up();
}

// The server for a reduction that `server`'s algorithm cannot serve. This is native, with one
// exception: results must be reproducible, and an algorithm that keeps the order of the ranks can
// serve the call.
Server& Communicator::instead_of(const Server& server, bool ordered_would_do) {
  using enum Service::Instead;
  const Service& service = *server.service;
  const auto instead = ordered_would_do ? ordered : native;
  for (const auto& each : servers_)
    if (&each->service->collective == &service.collective && each->instead == instead &&
        each->service->asked == service.asked && each->service->key.source == service.key.source &&
        each->service->key.bytes == service.key.bytes)
      return *each;
  Choice choice;
  if (ordered_would_do && Settings::get().reproducible())
    choice = reproducible(service.collective, Choice{}, {.p = size()}, true);
  const std::string asked = service.asked;
  return add(service.collective, asked, instead, choice,
             key(service.collective, label_of(choice, service.choice), service.key.source,
                 service.key.bytes));
}

const Service& Communicator::native_instead_of(const Service& service) {
  return process_->service(
      service.collective, service.asked, Service::Instead::native, {},
      key(service.collective, label_of({}, service.choice), service.key.source, service.key.bytes));
}

// Calls of an algorithm that cannot serve them, or for which no algorithm was chosen, are counted
// in rows of their own.
const Service& Communicator::native_service(const Server& server, const Decision* decision,
                                            const Question& call) {
  const Service& service = *server.service;
  if (!service.choice.native()) return native_instead_of(service);
  if (decision != nullptr || service.key.source != Source::native) return service;
  Report::Key known =
      key(call.collective, "native", Source::native, size_range(call.bytes, call.keeps_order).most);
  known.why = why_native(call, facts(), Settings::get());
  return process_->service(call.collective, "", Service::Instead::no, {}, known);
}

double Communicator::now() const {
  if (!has_common_clock_) return PMPI_Wtime();
  const std::int64_t ahead = rare_ == nullptr ? 0 : rare_->clock_ahead;
  return static_cast<double>(time_of_node() - ahead) * 1e-9;
}

bool Communicator::set_clocks() {
#ifdef TOCCATA_SIMULATED
  return true;  // PMPI_Wtime() is the same on all ranks
#endif
  if (tried_clocks_) return has_common_clock_;
  tried_clocks_ = true;
  if (open_channel() != MPI_SUCCESS || !channel().is_ready()) return false;
  const Transport transport(channel().route(), Channel::blocking_tag);
  const auto ahead = ahead_of_rank_0(exchange(), transport, rank(), size());
  has_common_clock_ = ahead.has_value();
  if (ahead.value_or(0) != 0) rare().clock_ahead = *ahead;
  return has_common_clock_;
}

std::optional<int> Communicator::serve_by_nccl(const Operation& call) {
  std::unique_ptr<Nccl>& nccl = rare().nccl;
  if (nccl == nullptr) nccl = std::make_unique<Nccl>(*this);
  const double began = PMPI_Wtime();
  int code = MPI_SUCCESS;
  if (!nccl->serve(call, code)) return {};
  const Service& service = process_->service(call.collective, "nccl", Service::Instead::no, {},
                                             key(call.collective, "nccl", Source::forced, -1));
  if (code == MPI_SUCCESS)
    count(service, Form::blocking, call.bytes(seat(call)), PMPI_Wtime() - began);
  return code;
}

// If the blocks of a collective do not belong to ranks, all roots share one plan, rotated.
std::shared_ptr<const Plan> Communicator::plan(Server& server, int root, int& turn) {
  const Collective& collective = server.service->collective;
  const Algorithm& algorithm = *server.service->choice.algorithm;
  const bool turns = collective.one_buffer && !algorithm.by_placement && !algorithm.by_grid &&
                     server.service->choice.reorder == Reorder::off;
  turn = turns ? root : 0;
  if (server.plan != nullptr && server.root == root) return server.plan;
  const int played = rank() >= turn ? rank() - turn : rank() - turn + size();
  const int plans_root = turns ? 0 : root;
  auto plan = process_->plans().get(
      {&collective, server.service->choice, size(), played, plans_root,
       where(server.service->choice)},
      [&] { return shape(algorithm, plans_root, server.service->choice.reorder != Reorder::off); });
  server.root = root;
  server.plan = plan->memory() <= small_plan ? plan : nullptr;
  return plan;
}

}  // namespace toccata
