#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "mpi/channel.h"
#include "mpi/plans.h"
#include "mpi/process.h"

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
  static Communicator* of(MPI_Comm user);

  Communicator(Process& process, MPI_Comm user);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Process& process() const { return *process_; }
  MPI_Comm user() const { return user_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_inter() const { return is_inter_; }

  // One of the services used so far, with the plan for the root that came last.
  struct Used {
    const Collective* collective;
    Service::Instead instead;
    const Service* service;
    int root;
    std::shared_ptr<const Plan> plan;

    bool is_native() const { return service->choice.native(); }
  };

  // Who serves an algorithm by name, with parameters. ChoiceError if there is none such, or it
  // cannot run here. Null asks for what the environment says, which falls back to native. Stays
  // until the next call of this function.
  Used& service(const Collective& collective, const char* algorithm) {
    for (Used& each : used_)
      if (each.collective == &collective && each.instead == Service::Instead::no &&
          (algorithm == nullptr ? each.service->asked.empty() : each.service->asked == algorithm))
        return each;
    return add(collective, algorithm);
  }
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
  Channel& channel() { return *channels_.back(); }
  int open_channel() { return channel().is_settled() ? MPI_SUCCESS : open_channel_now(); }
  int start_channel();
  int test_channel(Channel& channel);
  // One more, once the tags of the last one are used up.
  int open_next_channel();

  // What the environment asks for is served here: all ranks would do the same.
  bool obeys_environment() const { return obeys_; }

  // Says a thing once: on rank 0 of MPI_COMM_WORLD if that is one of us, else on our own rank 0.
  void say_once(const std::string& line);

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
  Used& add(const Collective& collective, const std::string& asked, Service::Instead instead,
            const Choice& choice, const std::string& label);
  // What all ranks know of the communicator, as far as the algorithm goes by it.
  Shape known(const Algorithm* algorithm, int root);
  std::uint64_t where(const Algorithm& algorithm);
  int open_channel_now();
  int raise_error(int code) const;

  std::shared_ptr<Communicator> self_;  // held by the attribute of the user's communicator
  Process* process_;                    // null once MPI is about to end
  MPI_Comm user_;
  int rank_ = 0;
  int size_ = 0;
  bool is_inter_ = false;
  bool obeys_ = true;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Used> used_;
  std::shared_ptr<const Placement> placement_;  // where the ranks had to be asked
  std::uint64_t where_ = 0;
};

}  // namespace toccata
