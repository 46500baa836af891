#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "deciding/decisions.h"
#include "mpi/communicator/members.h"
#include "mpi/communicator/nccl.h"
#include "mpi/data/operation.h"
#include "mpi/execution/plans.h"
#include "mpi/settings/settings.h"

namespace toccata {

// Runs the calls of a communicator for one choice; keeps the plan for the last root.
struct Server {
  const Service* service;
  std::shared_ptr<const Plan> plan;
  int root;
  Service::Instead instead;
  bool is_candidate;           // of a decision
  Form form = Form::blocking;  // of a decision's calls

  bool is_native() const { return service->choice.native(); }
  // Whether a decision for blocking calls uses the node's memory, or follows the rule for networks.
  // In memory, blocking calls take so little time that such a decision does not suit requests; the
  // rule knows another price for them.
  bool suits_blocking_calls_only() const {
    return is_candidate && form == Form::blocking &&
           (service->key.source == Source::network ||
            (service->choice.publishes() && service->key.source != Source::forced));
  }
};

// Our data for a communicator of the program: its ranks, the decisions on its calls, and the
// servers of these calls. This object is an attribute of that communicator. It is freed with the
// communicator, or when the last request on it has ended.
class Communicator final : public Members, public Attachment {
 public:
  // Created at the communicator's first collective. Null if the library cannot serve it: before
  // MPI_Init, after MPI_Finalize, and for MPI_COMM_NULL.
  static Communicator* of(MPI_Comm user) {
#ifdef TOCCATA_SIMULATED
    return find(user);  // in the simulator, ranks share handles and the thread
#else
    // Finding an attribute takes MPI longer than some collectives take.
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

  // Exists while MPI deletes or copies attributes of a communicator in this thread. The program's
  // callbacks for them may use it. If ours is not there, it must not come now: MPI might not delete
  // it again, and Open MPI would not copy the others. So native serves these calls. If MPI frees
  // the communicator, native serves all of them: the order in which MPI deletes attributes, ours
  // among them, may differ between ranks.
  class WalkingAttributes {
   public:
    explicit WalkingAttributes(MPI_Comm user, bool frees)
        : user_(user), frees_(frees), outer_(innermost_) {
      innermost_ = this;
      if (frees) end_era();
    }
    ~WalkingAttributes() { innermost_ = outer_; }
    WalkingAttributes(const WalkingAttributes&) = delete;
    bool frees() const { return frees_; }
    // Null if there is none.
    static const WalkingAttributes* of(MPI_Comm user) {
      const WalkingAttributes* each = innermost_;
      while (each != nullptr && each->user_ != user) each = each->outer_;
      return each;
    }

   private:
    MPI_Comm user_;
    bool frees_;
    const WalkingAttributes* outer_;
    static constinit inline thread_local const WalkingAttributes* innermost_ = nullptr;
  };

  // Changes whenever data stored by handle becomes invalid: the handle may belong to another
  // communicator, or another server may serve its calls.
  static std::uint64_t era() { return era_.load(std::memory_order_acquire); }
  static void end_era() { ++era_; }

  Communicator(Process& process, MPI_Comm user) : Members(process, user) {}
  ~Communicator();

  Seat seat(const Operation& call) const { return call.seat(rank(), size()); }
  // An MPI error class for invalid arguments; MPI_SUCCESS for valid ones. If an algorithm is named,
  // this also reports a missing topology. `seat` is that of the call.
  int fault(const Operation& call, const Seat& seat, const char* algorithm) const {
    const int found = call.fault(seat, process_->datatypes());
    return found == MPI_ERR_TOPOLOGY && algorithm != nullptr ? MPI_SUCCESS : found;
  }
  std::shared_ptr<Communicator> shared() {
    return std::static_pointer_cast<Communicator>(shared_from_this());
  }

  // The server of an algorithm by name, with parameters. If the name is null, the environment's
  // request for all sizes decides; without one, native serves. Throws ChoiceError if the algorithm
  // does not exist or cannot run here.
  Server& server(const Collective& collective, const char* algorithm) {
    Server* const known = known_server(collective, algorithm);
    return known != nullptr ? *known : add(collective, algorithm);
  }

  // The server of a call: `server`, or another one if the operation of a reduction requires it.
  Server& able_to_serve(const Operation& call, Server& server);
  // The server of a call that has no trials of its own. Does not wait for other ranks, unless the
  // requested algorithm depends on where they run. ChoiceError as above.
  Server& server_for(const Operation& call, const char* algorithm);
  // The server of a call that must not wait for other ranks. Null if the locations of the ranks
  // must be discovered first: the MPI library then serves the call. The same on all ranks.
  Server* server_at_once(const Operation& call);
  // For the report: counts a call of that form that `service` has served, of `bytes` in total, with
  // its seconds (`outside`: see Report::Row). Only rank 0 counts. The second function counts a
  // request that the MPI library serves; the third returns the service of a blocking call that it
  // has served instead of `server`.
  void count(const Service& service, Form form, std::int64_t bytes, double seconds,
             double outside = 0);
  void count_native(const Operation& call, Form form);
  const Service& native_service(const Server& server, const Decision* decision,
                                const Question& call);

  // For the report: the samples of that collective's calls; null if none are kept. While a sampled
  // call runs, rank 0 notes the row that counts it; -1 is none.
  Samples* samples(const Collective& collective);
  void forget_counted() { rare().counted = -1; }
  int counted() const { return rare_ == nullptr ? -1 : rare_->counted; }

  // The decisions for calls without a named algorithm; and a call in the form of their question.
  Decisions& decisions() { return decisions_; }
  // Serves the call by NCCL, if the user requests that; returns its MPI error code. Nothing if NCCL
  // cannot serve it.
  std::optional<int> serve_by_nccl(const Operation& call);
  Question question(const Operation& call) const {
    const bool keeps_order =
        Settings::get().guarding() != Rules::Guarding::all && call.is_inexact(size());
    return {.collective = call.collective,
            .bytes = call.unit(rank(), size()),
            .root = call.root,
            .keeps_order = keeps_order,
            .runs_users_code = keeps_order && call.runs_users_code(),
            .is_final = keeps_order && call.is_sensitive(),
            .own_block = [this, &call] { return call.own_unit(seat(call)); }};
  }
  // The verdict on a nonblocking call. After the last call of a trial, the next blocking call must
  // not take the short path, because the ranks have to agree there.
  Decisions::Verdict nonblocking_verdict(const Question& question) {
    const bool were_due = decisions_.are_due();
    auto verdict = decisions_.verdict(question, Form::nonblocking, false);
    if (!were_due && decisions_.are_due()) end_era();
    return verdict;
  }
  // Called on all ranks in the same blocking call of the program. If an agreement on the times of
  // nonblocking calls is due, the ranks reach it here.
  void settle_nonblocking() {
    if (decisions_.are_due()) settle_nonblocking_now();
  }
  // Sets the choice for later calls. Collective.
  void ask(const Collective& collective, SizedChoice choice) {
    end_era();
    decisions_.ask(collective, std::move(choice));
  }

  // Counts calls that the MPI library must serve, for a reason of the call.
  const Service& native_instead_of(const Service& service);

  // The info key toccata_cart_weights; "" without it.
  std::string cart_weights() const { return rare_ == nullptr ? "" : rare_->cart_weights; }
  void set_cart_weights(std::string text) { rare().cart_weights = std::move(text); }

  // The plan of a server that is not native, for that root. The plan's ranks are rotated by `turn`.
  // Large plans stay only in the cache of the process.
  std::shared_ptr<const Plan> plan(Server& server, int root, int& turn);

  Server& prepare(const Collective& collective, const Choice& choice, Source source,
                  std::int64_t bytes, Form form) override;
  double now() const override;
  bool set_clocks() override;
  void report(const Server& server, const Evidence& times) override;
  void learn(const Tuning::Point& point, double saved) override { process_->learn(point, saved); }

  // The user's communicator was freed, or MPI is about to end; requests may still use this object.
  void leave_user() noexcept override;
  void close() override;
  void tell() override { decisions_.tell(); }
  bool is_closed() const { return process_ == nullptr; }

 private:
  static Communicator* find(MPI_Comm user);
  void settle_nonblocking_now();
  Server* known_server(const Collective& collective, const char* algorithm) {
    for (const auto& each : servers_)
      if (&each->service->collective == &collective && each->instead == Service::Instead::no &&
          !each->is_candidate && each->service->asked == (algorithm != nullptr ? algorithm : ""))
        return each.get();
    return nullptr;
  }
  // What few communicators need. The others have less memory.
  struct Rare {
    std::unique_ptr<Nccl> nccl;
    // For the report, see Series.
    std::vector<std::pair<const Collective*, Samples*>> sampled;
    std::uint64_t group = 0;
    int order = -1;
    bool is_sampled = false;
    int counted = -1;
    std::int64_t clock_ahead = 0;  // of that of rank 0, in nanoseconds
    std::string cart_weights;
  };
  Rare& rare() {
    if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
    return *rare_;
  }
  Server& instead_of(const Server& server, bool ordered_would_do);
  const Service& service_of_requests(const Service& service, Form form);
  Server& add(const Collective& collective, const char* algorithm);
  Server& add(const Collective& collective, const std::string& asked, Service::Instead instead,
              const Choice& choice, const Report::Key& key);
  Report::Key key(const Collective& collective, const std::string& choice, Source source,
                  std::int64_t bytes) const {
    return {std::string(collective.name), size(), choice, source, bytes, ""};
  }

  std::shared_ptr<Communicator> self_;  // held by the attribute of the user's communicator
  std::vector<std::unique_ptr<Server>> servers_;
  Decisions decisions_{*this};
  std::unique_ptr<Rare> rare_;  // made when it is first used

  static std::atomic<std::uint64_t> era_;
};

}  // namespace toccata
