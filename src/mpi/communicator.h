#pragma once

#include <mpi.h>

#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/channel.h"
#include "mpi/choosing.h"
#include "mpi/operation.h"
#include "mpi/plans.h"
#include "mpi/process.h"
#include "mpi/reordering.h"
#include "selection/ranking.h"

namespace toccata {

// How many ranks a collective of this communicator names in its arrays.
int peers_in(MPI_Comm comm);

// A communicator without the attributes of `comm`, nor its topology, for calls that the MPI library
// serves. Collective; errors are MPI's.
int make_bare(MPI_Comm comm, MPI_Comm& made);

// Gives `code` to the communicator's error handler.
void call_errhandler(MPI_Comm comm, int code);

// What we keep for a communicator of the program's: its channel, and which plans serve it. An
// attribute of that communicator, freed with it, or when the last request on it has ended.
class Communicator : public std::enable_shared_from_this<Communicator> {
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

  Communicator(Process& process, MPI_Comm user);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Process& process() const { return *process_; }
  MPI_Comm user() const { return user_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_inter() const { return is_inter_; }
  Seat seat(const Operation& call) const { return call.seat(rank_, size_); }

  // One of the services used so far, with the plan for the root that came last.
  struct Used {
    const Collective* collective;
    const Service* service;
    std::shared_ptr<const Plan> plan;
    int root;
    Service::Instead instead;
    bool of_bucket;

    bool is_native() const { return service->choice.native(); }
  };

  // Who serves an algorithm by name, with parameters. ChoiceError if there is none such, or it
  // cannot run here. Null asks for what the environment says for all sizes, which falls back
  // to native.
  Used& service(const Collective& collective, const char* algorithm) {
    for (Used& each : used_)
      if (each.collective == &collective && each.instead == Service::Instead::no &&
          !each.of_bucket &&
          (algorithm == nullptr ? each.service->asked.empty() : each.service->asked == algorithm))
        return each;
    return add(collective, algorithm);
  }
  // Who serves calls such as this one, where nobody names an algorithm.
  Choosing::Calls& calls_such_as(const Operation& call) {
    return choosing_.of(call, call.unit(rank_, size_));
  }
  // For one that must not wait for other ranks; null where nothing was decided on before.
  Bucket* decided_for(const Operation& call) {
    return choosing_.decided(call, call.unit(rank_, size_));
  }
  // ... and from the next call on. All ranks have to come here.
  void ask(const Collective& collective, SizedChoice choice) {
    choosing_.ask(collective, std::move(choice));
  }
  // To the process, what was found out in choosing.
  void tell() { choosing_.tell(); }
  // Whether it is for a model to say, at every size, who plays whom.
  bool reorders_by_size(const Collective& collective, const Choice& choice);
  // A choice for calls of `bytes`, with its ranks reordered as wished; as the model says where that
  // is left to it. ChoiceError where it cannot run. All ranks have to come here.
  Choice settled(const Collective& collective, const Choice& choice, std::int64_t bytes);
  // One more way to serve calls of a bucket, settled.
  Used& add_way(const Collective& collective, const Choice& choice, const std::string& reason,
                std::int64_t bytes);
  // The quickest algorithms by the model, on the machine where the ranks run; none where that
  // cannot be found out. All ranks have to come here.
  std::vector<Ranking::Entry> candidates(const Collective& collective, int root,
                                         std::int64_t bytes);
  // Seconds below which none is by the model; 0 where that cannot be found out, or would take long.
  // All ranks have to come here.
  double bound(const Collective& collective, int root, std::int64_t bytes);
  // On how many nodes the ranks run; 0 if that cannot be found out. All ranks have to come here.
  int nodes();
  // The same, if anything asked where the ranks run; else 0.
  int known_nodes() const { return nodes_; }

  // What serves a reduction that the service's algorithm cannot: the MPI library's own; or, where
  // results are to be reproducible and one in the order of the ranks would do, such a one.
  Used& instead_of(const Used& used, bool ordered_would_do);
  // The one that counts calls which the MPI library has to serve, for a reason of the call.
  const Service& native_instead_of(const Service& service);

  // The plan of a service that is not native, for that root; `turn` is by how much the plan's ranks
  // are turned to be ours. Large ones stay in the cache of the process alone.
  std::shared_ptr<const Plan> plan(Used& used, int root, int& turn);

  // The way to the other ranks. Opened by waiting, while nonblocking collectives go on; or, for a
  // nonblocking one, without, where that can be. Returns an MPI error code. A channel that is
  // settled but not ready is refused: the MPI library has to serve.
  Channel& channel() { return channels_.empty() ? add_channel() : *channels_.back(); }
  int open_channel() { return channel().is_settled() ? MPI_SUCCESS : open_channel_now(); }
  int start_channel();
  int test_channel(Channel& channel);
  // One more, once the tags of the last one are used up.
  int open_next_channel();

  // What the environment asks for is served here: all ranks would do the same. Ranks of other
  // worlds may have come without us or with other settings, and nobody can tell.
  bool obeys_environment() { return !process_->is_off() && channel().is_within_world(); }

  // Says a thing once: on rank 0 of MPI_COMM_WORLD if that is one of us, else on our own rank 0.
  void say_once(const std::string& line);

  // How ranks are reordered where a choice says nothing of it.
  ReorderWish wish_for(const Collective& collective);
  // What that is in collectives whose first call comes later. The same on all ranks.
  ReorderWish& reorder_wish() {
    if (!reorder_wish_) reorder_wish_ = wish_of_environment();
    return *reorder_wish_;
  }

  // This rank's neighbours in the communicator's topology; null without one.
  const std::shared_ptr<const Neighborhood>& neighbors();

  // Where the ranks run. Derived from where those of MPI_COMM_WORLD do, without asking them, if
  // they were asked before; else all ranks have to come here.
  std::shared_ptr<const Placement> placement();

  // The user's error handler gets `code`, which is also returned.
  int raise(int code) const { return code == MPI_SUCCESS ? code : raise_error(code); }

  // The user's communicator is gone, or MPI is about to end; requests may still hold on to us.
  void leave_user();
  void close();
  bool is_closed() const { return process_ == nullptr; }

 private:
  Used& add(const Collective& collective, const char* algorithm);
  static Communicator* find(MPI_Comm user);
  Used& add(const Collective& collective, const std::string& asked, Service::Instead instead,
            const Choice& choice, const Report::Key& key);
  Report::Key key(const Collective& collective, const std::string& choice,
                  const std::string& reason, std::int64_t bytes) const {
    return {std::string(collective.name), size_, choice, reason, bytes};
  }
  // What all ranks know of the communicator; or that as far as an algorithm goes by it.
  Shape known(int root);
  Shape known(const Algorithm* algorithm, int root, bool reorders = false);
  std::uint64_t where(const Choice& choice);
  ReorderWish wish_of_environment();
  std::uint64_t place();
  // What an algorithm goes by: all ranks' neighbours, who then have to come here, or our own.
  struct KnownNeighbors {
    std::shared_ptr<const Neighborhood> neighborhood;
    std::uint64_t digest = 0;
  };
  static KnownNeighbors known_neighbors(std::shared_ptr<const Neighborhood> neighborhood, int first,
                                        int end);
  const KnownNeighbors& neighbors_for(const Algorithm& algorithm);
  std::shared_ptr<const Placement> find_placement();
  Channel& add_channel();
  int open_channel_now();
  int raise_error(int code) const;

  std::shared_ptr<Communicator> self_;  // held by the attribute of the user's communicator
  Process* process_;                    // null once MPI is about to end
  MPI_Comm user_;
  int rank_ = 0;
  int size_ = 0;
  bool is_inter_ = false;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::list<Used> used_;
  Choosing choosing_;

  static std::atomic<std::uint64_t> era_;
  std::shared_ptr<const Placement> placement_;  // where the ranks had to be asked
  int nodes_ = 0;                               // see known_nodes
  std::uint64_t where_ = 0;
  std::unique_ptr<const KnownNeighbors> own_neighbors_, all_neighbors_;
  std::optional<ReorderWish> reorder_wish_;  // what info says
};

}  // namespace toccata
