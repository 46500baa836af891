#pragma once

#include <mpi.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "mpi/datatype.h"
#include "mpi/execution.h"
#include "mpi/report.h"
#include "selection/request.h"

namespace toccata {

class Communicator;
class Process;
class Request;
class Surroundings;

// The two keyvals by which attributes are found. MPI gives a library no other way to find what it
// keeps. They are invalid while MPI is not there.
struct Keyvals {
  static int process();
  static int communicator();
  // Makes the keyvals where they are missing, and this process' Process; null where MPI is not
  // there or refuses.
  static Process* attach();

 private:
  static int forget_process(MPI_Comm, int, void* process, void*);
  static int forget_communicator(MPI_Comm, int, void* communicator, void*);
};

// All that one MPI process keeps. It hangs on MPI_COMM_SELF as an attribute, and so goes when MPI
// does: several ranks can live in one address space, and the library has no global state but the
// two keyvals by which attributes are found.
class Process : public Background {
 public:
  // Null before MPI_Init, after MPI_Finalize, and where MPI refuses. Made at the first call.
  static Process* current();
  ~Process() override;

  const DatatypeTable& datatypes() const { return datatypes_; }

  // What the environment asks for; native where it asks for nothing or for what cannot be.
  const Choice& asked(const Collective& collective) const;

  // Where this process runs; found out when first asked for.
  const Surroundings& surroundings();

  // TOCCATA_REPRODUCIBLE: whether reductions must give the same bits wherever ranks run and however
  // long the message.
  bool reproducible() const { return reproducible_; }

  // TOCCATA_REPORT: whether to count and time calls.
  bool reporting() const { return reporting_; }
  // Collective over MPI_COMM_WORLD: gathers what every rank counted, and rank 0 prints it.
  void report();

  // Says a thing once, on rank 0 of MPI_COMM_WORLD, on standard error.
  void say_once(const std::string& line);

  // An error code of that class which MPI_Error_string explains by `text`. Where this MPI cannot do
  // that, the class itself, and the text is said.
  int explain(int error_class, const std::string& text);

  // Nonblocking collectives under way: whoever waits for something drives them all, or two ranks
  // that wait in different orders would wait for ever.
  bool busy() const override { return active_count_.load(std::memory_order_relaxed) > 0; }
  void progress() override;
  void add(Request& request);
  void remove(Request& request);

  void add(Communicator& communicator);
  void remove(Communicator& communicator);

 private:
  Process();
  friend struct Keyvals;
  DatatypeTable datatypes_;
  std::vector<std::pair<const Collective*, Choice>> asked_;
  bool reporting_ = false;
  bool reproducible_ = false;
  int world_rank_ = 0;

  std::mutex mutex_;  // guards what follows
  std::set<std::string> said_;
  std::map<std::pair<int, std::string>, int> explained_;
  std::vector<Communicator*> communicators_;
  Report past_;  // of communicators that are gone

  std::once_flag looked_round_;
  std::unique_ptr<const Surroundings> surroundings_;

  std::mutex active_mutex_;
  std::vector<Request*> active_;
  std::atomic<int> active_count_{0};
};

// With TOCCATA_REPORT, prints the report; to be called on every rank just before MPI ends.
void report_at_finalize() noexcept;

}  // namespace toccata
