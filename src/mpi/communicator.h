#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "deciding/decisions.h"
#include "deciding/open_decisions.h"
#include "mpi/members.h"
#include "mpi/operation.h"
#include "mpi/plans.h"
#include "mpi/settings.h"

namespace toccata {

// What runs the calls of a communicator that one choice serves, and the plan for the root that came
// last.
struct Server {
  const Service* service;
  std::shared_ptr<const Plan> plan;
  int root;
  Service::Instead instead;
  bool is_candidate;           // of a decision
  Form form = Form::blocking;  // of a decision's calls

  bool is_native() const { return service->choice.native(); }
};

// What we keep for a communicator of the program's: its ranks, the decisions on its calls, and what
// serves these. An attribute of that communicator, freed with it, or when the last request on it
// has ended.
class Communicator final : public Members, public Attachment {
 public:
  // Made at the communicator's first collective. Null where the library cannot serve it: outside
  // MPI_Init and MPI_Finalize, and for MPI_COMM_NULL.
  static Communicator* of(MPI_Comm user) {
#ifdef TOCCATA_SIMULATED
    return find(user);  // ranks share their handles, and the thread
#else
    // MPI takes longer to find an attribute than some collectives take.
    struct Remembered {
      MPI_Comm user = MPI_COMM_NULL;
      std::uint64_t era = 0;
      Communicator* found = nullptr;
    };
    thread_local Remembered last;
    const std::uint64_t era = Communicator::era();
    if (last.found == nullptr || last.user != user || last.era != era)
      last = {user, era, find(user)};
    return last.found;
#endif
  }

  // Changes whenever what is remembered of a communicator by its handle holds no longer: the handle
  // may be another's, or another may serve its calls.
  static std::uint64_t era() { return era_.load(std::memory_order_acquire); }
  static void end_era() { ++era_; }

  Communicator(Process& process, MPI_Comm user) : Members(process, user) {}
  ~Communicator();

  Seat seat(const Operation& call) const { return call.seat(rank(), size()); }
  // An MPI error class where a call's arguments make no sense; MPI_SUCCESS where they do. That
  // there is no topology is for the algorithm to say, where one is named.
  int fault(const Operation& call, const char* algorithm) const {
    const int found = call.fault(seat(call), process_->datatypes());
    return found == MPI_ERR_TOPOLOGY && algorithm != nullptr ? MPI_SUCCESS : found;
  }
  std::shared_ptr<Communicator> shared() {
    return std::static_pointer_cast<Communicator>(shared_from_this());
  }

  // What serves an algorithm by name, with parameters. ChoiceError if there is none such, or it
  // cannot run here. Null asks for what the environment says for all sizes, which falls back
  // to native.
  Server& server(const Collective& collective, const char* algorithm) {
    for (const auto& each : servers_)
      if (&each->service->collective == &collective && each->instead == Service::Instead::no &&
          !each->is_candidate &&
          (algorithm == nullptr ? each->service->asked.empty() : each->service->asked == algorithm))
        return *each;
    return add(collective, algorithm);
  }

  // What serves a call that must not wait for other ranks; null where these have to be asked first
  // where they run, and the MPI library serves. The same on all ranks.
  Server* server_at_once(const Operation& call);
  // Counts nonblocking or persistent calls apart from the blocking ones of `service`; and those
  // that the MPI library serves.
  const Service& service_of_requests(const Service& service, bool persistent);
  const Service& native_requests(const Question& call, bool persistent);

  // What decides on calls for which no algorithm is named, and a call as it asks there.
  Decisions& decisions() { return decisions_; }
  Question question(const Operation& call) const {
    return {.collective = call.collective,
            .bytes = call.unit(rank(), size()),
            .root = call.root,
            .keeps_order = Settings::get().guarding() != Rules::Guarding::all && call.is_inexact()};
  }
  // The same for a nonblocking call. If that is the last one of a trial, the next blocking call
  // must not go on at once as the one before did: the ranks have to agree there.
  std::optional<OpenDecisions::Verdict> open_verdict(const Question& question) {
    const bool were_due = open_decisions_.are_due();
    const auto verdict = open_decisions_.verdict(question);
    if (!were_due && open_decisions_.are_due()) end_era();
    return verdict;
  }
  // All ranks come here with the same blocking call of the program's: they agree on the times of
  // nonblocking calls, if that is due.
  void settle_open_decisions() {
    if (open_decisions_.are_due()) settle_open_decisions_now();
  }
  // Later calls are served so. All ranks have to come here.
  void ask(const Collective& collective, SizedChoice choice) {
    end_era();
    decisions_.ask(collective, std::move(choice));
  }

  // What serves a reduction that the server's algorithm cannot: the MPI library's own; or, where
  // results are to be reproducible and one in the order of the ranks would do, such a one.
  Server& instead_of(const Server& server, bool ordered_would_do);
  // The one that counts calls which the MPI library has to serve, for a reason of the call.
  const Service& native_instead_of(const Service& service);
  // The one that counts calls about as long as this one which the MPI library serves because no
  // algorithm is decided on, for one reason (why_native).
  const Service& native_because(const Question& call);

  // The plan of a server that is not native, for that root; `turn` is by how much the plan's ranks
  // are turned to be ours. Large ones stay in the cache of the process alone.
  std::shared_ptr<const Plan> plan(Server& server, int root, int& turn);

  Server& prepare(const Collective& collective, const Choice& choice, const std::string& reason,
                  std::int64_t bytes, Form form) override;
  void report(const Server& server, const Evidence& times) override;
  void learn(const Tuning::Point& point) override { process_->learn(point); }

  // The user's communicator is gone, or MPI is about to end; requests may still hold on to us.
  void leave_user() noexcept override;
  void close() override;
  void tell() override {
    decisions_.tell();
    open_decisions_.tell();
  }
  bool is_closed() const { return process_ == nullptr; }

 private:
  static Communicator* find(MPI_Comm user);
  void settle_open_decisions_now();
  Server* server_of_environment(const Collective& collective) {
    for (const auto& each : servers_)
      if (&each->service->collective == &collective && each->instead == Service::Instead::no &&
          !each->is_candidate && each->service->asked.empty())
        return each.get();
    return nullptr;
  }
  Server& add(const Collective& collective, const char* algorithm);
  Server& add(const Collective& collective, const std::string& asked, Service::Instead instead,
              const Choice& choice, const Report::Key& key);
  Report::Key key(const Collective& collective, const std::string& choice,
                  const std::string& reason, std::int64_t bytes) const {
    return {std::string(collective.name), size(), choice, reason, bytes, ""};
  }

  std::shared_ptr<Communicator> self_;  // held by the attribute of the user's communicator
  std::vector<std::unique_ptr<Server>> servers_;
  Decisions decisions_{*this};
  OpenDecisions open_decisions_{*this};

  static std::atomic<std::uint64_t> era_;
};

}  // namespace toccata
