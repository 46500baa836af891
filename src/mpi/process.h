#pragma once

#include <mpi.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "mpi/background.h"
#include "mpi/channel.h"
#include "mpi/datatype.h"
#include "mpi/plans.h"
#include "mpi/private_world.h"
#include "mpi/progress_thread.h"
#include "mpi/report.h"
#include "mpi/settings.h"
#include "mpi/workspaces.h"

namespace toccata {

class Process;
class Surroundings;

// What a process keeps of a communicator of the program's, as an attribute of that.
class Attachment {
 public:
  virtual void leave_user() = 0;  // the communicator is gone
  virtual void close() = 0;       // MPI is about to end
  virtual void tell() = 0;        // to the process, what was found out

 protected:
  ~Attachment() = default;
};

// A nonblocking collective that goes on while a call waits for something else.
class UnderWay {
 public:
  // Goes on, unless its owner is at it. Returns whether it has ended and leaves the process' list;
  // then left() is called, once it is no longer there.
  virtual bool try_progress() = 0;
  virtual void left() {}

 protected:
  ~UnderWay() = default;
};

// The keyvals by which attributes are found. MPI gives a library no other way to find what it
// keeps. They are invalid while MPI is not there.
struct Keyvals {
  static int process();
  static int communicator();
  static int datatype();
  // Makes the keyvals where they are missing, and this process' Process; null where MPI is not
  // there or refuses.
  static Process* attach();

 private:
  static int forget_process(MPI_Comm, int, void* process, void*);
  static int forget_communicator(MPI_Comm, int, void* communicator, void*);
};

// Who serves a collective of communicators of p ranks, and where that is counted.
struct Service {
  const Collective& collective;
  std::string asked;  // the algorithm by name; empty for what the environment asks
  // Which of the reductions' stand-ins it is: none, one in the order of the ranks, or native.
  enum class Instead : std::uint8_t { no, ordered, native } instead;
  int p;
  Choice choice;
  Report::Key key;  // for the report
  Report::Row& row;
};

// All that one MPI process keeps. It hangs on MPI_COMM_SELF as an attribute, and so goes when MPI
// does: several ranks can live in one address space, and the library has no global state but the
// keyvals by which attributes are found, and what the environment says.
class Process : public Background {
 public:
  // Null before MPI_Init, after MPI_Finalize, and where MPI refuses. Made at the first call.
  static Process* current();
  ~Process() override;

  // To be called on all ranks of MPI_COMM_WORLD when MPI has begun, where that can be seen: they
  // agree on what the environment asks, and make the private world where it is wanted, because
  // something is requested or the program itself calls toccata functions.
  static void begin(bool program_calls_us) noexcept;

  DatatypeTable& datatypes() { return datatypes_; }
  PrivateWorld& world() { return world_; }
  Plans& plans() { return plans_; }
  Workspaces& workspaces() { return workspaces_; }
  int world_rank() const { return world_rank_; }

  // Whether MPI_Init opened the private world: all ranks then have it before their first call.
  bool began_with_world() const { return began_with_world_; }
  // Whether the environment asks for nothing that all ranks would do.
  bool is_off() const { return off_; }
  // Whether nonblocking and persistent calls of the program's can be served: all ranks have the
  // same settings, and this MPI lets us go on while it waits (progress_hook.h).
  bool serves_requests() const { return serves_requests_; }
  // What this rank tells others of itself at a communicator's first collective.
  Stance stance() const;

  // Where this process runs; found out when first asked for.
  const Surroundings& surroundings();
  // Where the ranks of MPI_COMM_WORLD run: found once, with all of them; null until then.
  std::shared_ptr<const Placement> world_placement() const;
  void place_world(MPI_Comm comm);
  void set_world_placement(std::shared_ptr<const Placement> found);

  // What was found out on communicators, by their shape.
  Results& results() { return results_; }

  // The one of that description, which stays.
  const Service& service(const Collective& collective, const std::string& asked,
                         Service::Instead instead, const Choice& choice, const Report::Key& key);

  // Collective over MPI_COMM_WORLD: gathers what every rank counted, and rank 0 prints it.
  void report();
  // A number that no other call of this gets.
  int next_number() { return ++numbers_; }

  // One more call served, of `bytes` in all; `outside` as in a row of the report.
  void count(const Service& service, std::int64_t bytes, double seconds, double outside = 0);
  // What is known of the times of a service's calls, which have come to an end.
  void tell(const Service& service, const Evidence& times);
  void learn(const Tuning::Point& point);

  // Says a thing once, on rank 0 of MPI_COMM_WORLD or here, on standard error.
  void say_once(const std::string& line) {
    if (world_rank_ == 0) say_here(line);
  }
  void say_here(const std::string& line);

  // An error code of that class which MPI_Error_string explains by `text`. Where this MPI cannot do
  // that, the class itself, and the text is said.
  int explain(int error_class, const std::string& text);

  // Nonblocking collectives under way: a rank that waits for anything drives them all, or two ranks
  // that wait in different orders would wait for ever.
  bool busy() const override { return active_count_.load(std::memory_order_relaxed) > 0; }
  void progress() override;
  void add(UnderWay& request);
  void remove(UnderWay& request);

  void add(Attachment& communicator);
  void remove(Attachment& communicator);

 private:
  Process();
  friend struct Keyvals;
  void begin_alike(bool wanted, bool hooked);
  void start_progress_thread();
  void drain();
  void take_added();
  void finish();
  void write_learned();

  DatatypeTable datatypes_;
  PrivateWorld world_;
  Plans plans_;
  Workspaces workspaces_;
  bool off_ = false;
  bool agreed_ = false;  // all ranks have begun, with the same settings
  bool began_with_world_ = false;
  bool serves_requests_ = false;
  int world_rank_ = 0;

  std::atomic<int> numbers_{0};

  mutable std::mutex mutex_;  // guards what follows
  std::set<std::string> said_;
  std::map<std::pair<int, std::string>, int> explained_;
  std::vector<Attachment*> communicators_;
  std::deque<Service> services_;
  Report report_;
  Tuning learned_;
  double began_ = 0;  // MPI_Wtime

  std::once_flag looked_round_;
  std::unique_ptr<const Surroundings> surroundings_;
  std::shared_ptr<const Placement> world_placement_;  // guarded by mutex_
  Results results_;

  // Held while all go on, but not while one is added: who adds one may hold a lock for which a
  // function of the program's, called to reduce, waits.
  std::mutex active_mutex_;
  std::vector<UnderWay*> active_;
  std::mutex added_mutex_;
  std::vector<UnderWay*> added_;          // to active_, as soon as that may change
  std::atomic<bool> progressing_{false};  // also from inside MPI, which calls us from there
  std::atomic<int> active_count_{0};
  std::unique_ptr<ProgressThread> progress_thread_;
};

}  // namespace toccata
