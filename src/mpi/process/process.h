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

#include "deciding/learned_results.h"
#include "mpi/agreement/agreement_operation.h"
#include "mpi/agreement/channel.h"
#include "mpi/agreement/private_world.h"
#include "mpi/data/datatype.h"
#include "mpi/execution/plans.h"
#include "mpi/execution/workspaces.h"
#include "mpi/libraries/background.h"
#include "mpi/process/arrival_log.h"
#include "mpi/process/progress_thread.h"
#include "mpi/process/report.h"
#include "mpi/settings/settings.h"
#include "mpi/world/world.h"

namespace toccata {

class Process;
class Surroundings;

// A process's data for a communicator of the program, as an attribute of it.
class Attachment {
 public:
  virtual void leave_user() = 0;  // the communicator was freed
  virtual void close() = 0;       // MPI is about to end
  virtual void tell() = 0;        // passes its results to the process, for the report

 protected:
  ~Attachment() = default;
};

// A nonblocking collective that advances while a call waits for something else.
class UnderWay {
 public:
  // Advances, unless its owner is doing so already. Returns whether it has ended and leaves the
  // process' list. The process calls left() after removing it.
  virtual bool try_progress() = 0;
  virtual void left() {}
  // Whether the program knows it by this handle.
  virtual bool has(MPI_Request) const { return false; }

 protected:
  ~UnderWay() = default;
};

// The keyvals of our attributes. In MPI, a library finds its data only through attributes. The
// keyvals are invalid before MPI_Init and after MPI_Finalize.
struct Keyvals {
  static int process();
  static int communicator();
  static int datatype();
  // Creates missing keyvals and this process' Process; null if MPI is not initialized or refuses.
  static Process* attach();

 private:
  static int forget_process(MPI_Comm, int, void* process, void*);
  static int forget_communicator(MPI_Comm, int, void* communicator, void*);
};

// The server of a collective on communicators of p ranks, and its row in the report.
struct Service {
  const Collective& collective;
  std::string asked;  // the algorithm by name; empty for the environment's request
  // In reductions: not a replacement, the replacement that keeps the order of ranks, or native.
  enum class Instead : std::uint8_t { no, ordered, native } instead;
  int p;
  Choice choice;
  Report::Key key;  // for the report
  Report::Row& row;
};

// All data of one MPI process. It is an attribute of World::self(), so it ends with MPI, and
// several ranks can share one address space. The only other global state of the library is the
// keyvals of its attributes and the settings.
class Process : public Background {
 public:
  // Null before MPI_Init, after MPI_Finalize, and if MPI refuses. Created at the first call.
  static Process* current();
  ~Process() override;

  // Called on all ranks of MPI_COMM_WORLD after MPI_Init, if we intercept it. The ranks compare
  // their settings, and the collectives that another tool hides from us, separated by blanks. They
  // create the private world if a setting names an algorithm, or if the program itself calls
  // toccata functions.
  static void begin(bool program_calls_us, std::string (*hidden_collectives)()) noexcept;

  // For MPI_Finalize, if we intercept it: ends all requests, unless that has been done.
  static void end_requests() noexcept;
  // For sessions: ends this process' Process, as MPI_Finalize does for MPI_COMM_WORLD.
  static void end() noexcept;

  // A line about a rank that has not loaded the library, if anything is expected of it.
  static void complain_of_absent(int rank) noexcept;

  DatatypeTable& datatypes() { return datatypes_; }
  PrivateWorld& world() { return world_; }
  Plans& plans() { return plans_; }
  Workspaces& workspaces() { return workspaces_; }
  int world_rank() const { return world_rank_; }

  // Whether MPI_Init opened the private world: all ranks then have it before their first call.
  bool began_with_world() const { return began_with_world_; }
  // Whether the environment requests no algorithm that all ranks would run.
  bool is_off() const { return off_; }
  // Whether we can serve nonblocking and persistent calls of the program: all ranks have the same
  // settings, and this MPI calls us while it waits (progress_hook.h).
  bool serves_requests() const { return serves_requests_; }
  // The information that this rank sends at a communicator's first collective.
  Stance stance() const;

  // The location of this process; discovered at the first request.
  const Surroundings& surroundings();
  // The locations of the ranks of MPI_COMM_WORLD. All of them discover these together, once; null
  // before that.
  std::shared_ptr<const Placement> world_placement() const;
  void place_world(MPI_Comm comm);
  void set_world_placement(std::shared_ptr<const Placement> found);

  // Measured results, by the shape of communicators.
  Results& results() { return results_; }

  // The service of that description; its address never changes.
  const Service& service(const Collective& collective, const std::string& asked,
                         Service::Instead instead, const Choice& choice, const Report::Key& key);

  ArrivalLog& arrival_log() { return arrival_log_; }
  // Collective over MPI_COMM_WORLD: gathers the counts of all ranks; rank 0 prints them.
  void report();
  // A number that no other call of this function returns.
  int next_number() { return ++numbers_; }

  // Counts one more served call, of `bytes` in total. For `outside`, see Report::Row.
  void count(const Service& service, std::int64_t bytes, double seconds, double outside = 0);
  // The measured and predicted times of a service's calls, after the last of them.
  void tell(const Service& service, const Evidence& times);
  void learn(const Tuning::Point& point, double saved);

  // Reports a line once, on rank 0 of MPI_COMM_WORLD or here, on standard error.
  void say_once(const std::string& line) {
    if (world_rank_ == 0) say_here(line);
  }
  void say_here(const std::string& line);

  // An error code of that class. MPI_Error_string returns `text` for it. If this MPI does not
  // support that, returns the class itself and prints the text.
  int explain(int error_class, const std::string& text);

  // Advances all open nonblocking collectives. Every waiting rank calls this: otherwise two ranks
  // that wait in different orders would wait forever.
  int progress() override;
  void add(UnderWay& request);
  void remove(UnderWay& request);
  bool has(MPI_Request handle);

  void add(Attachment& communicator);
  void remove(Attachment& communicator);

 private:
  Process();
  friend struct Keyvals;
  // After all ranks have exchanged their words, of which these are the largest.
  static void begin_together(std::span<const std::uint64_t> largest, int rank);
  void begin_alike(bool wanted, bool hooked);
  void start_progress_thread();
  // The communicator for messages among all ranks.
  MPI_Comm common() const { return world_.is_open() ? world_.comm() : World::comm(); }
  void drain();
  void take_added();
  void finish();
  void write_learned();

  DatatypeTable datatypes_;
  AgreementOperation agreement_operation_;
  PrivateWorld world_;
  Plans plans_;
  Workspaces workspaces_;
  bool off_ = false;
  bool agreed_ = false;  // all ranks have begun, with the same settings
  bool began_with_world_ = false;
  bool serves_requests_ = false;
  int world_rank_ = 0;

  std::atomic<int> numbers_{0};

  mutable std::mutex mutex_;  // guards the following members
  std::set<std::string> said_;
  std::map<std::pair<int, std::string>, int> explained_;
  std::vector<Attachment*> communicators_;
  std::deque<Service> services_;
  Report report_;
  ArrivalLog arrival_log_;
  LearnedResults learned_;
  double began_ = 0;  // MPI_Wtime
  bool spawned_ = false;

  std::once_flag looked_round_;
  std::unique_ptr<const Surroundings> surroundings_;
  std::shared_ptr<const Placement> world_placement_;  // guarded by mutex_
  Results results_;

  // Held while collectives advance. It is not held while one is added: the adding thread may hold a
  // lock of the program, and a reduction may call a function of the program that waits for it.
  std::mutex active_mutex_;
  std::vector<UnderWay*> active_;
  std::mutex added_mutex_;
  std::vector<UnderWay*> added_;          // moved to active_ as soon as no thread uses that
  std::atomic<bool> progressing_{false};  // also set inside MPI, from where it may call us
  std::unique_ptr<ProgressThread> progress_thread_;
};

}  // namespace toccata
