#pragma once

#include <mpi.h>

#include <new>
#include <utility>
#include <vector>

#include "mpi/data/binding.h"
#include "mpi/execution/arena.h"
#include "mpi/execution/plan.h"
#include "mpi/execution/transport.h"
#include "mpi/libraries/background.h"

namespace toccata {

// Runs one rank's schedule, round by round, and can be resumed. start() posts the first round;
// test() advances as far as possible without waiting; run() waits, for blocking calls. Derived
// classes define how blocks move in a round.
//
// All functions return MPI error codes, including MPI_ERR_NO_MEM. After a message that is longer
// than its buffer, or a failed copy, the collective continues, because other ranks wait for later
// messages; the first error is returned at the end. If a message cannot even be posted, the
// collective ends, and its requests are cancelled or abandoned.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  // The memory of the call. First bind send and recv here, then call fit(), and prepare() before
  // each run.
  Binding binding;
  virtual void fit(const Plan& plan) = 0;

  // Prepares to run a plan (which must stay valid), with messages through `transport`.
  int prepare(const Plan& plan, const Transport& transport);
  virtual int run(Background& background);
  virtual int start();
  virtual int test(bool& done);
  // Abandons open messages: the other ranks do not continue.
  int give_up(int code);

  // Returns all memory of the last call to the process, except for a small amount.
  void release() {
    scratch_.reset();
    staging_.reset();
  }
  // The same, without exception.
  void release_all() {
    scratch_ = {};
    staging_ = {};
  }

 protected:
  virtual int make_ready() { return MPI_SUCCESS; }
  // Opens round_ and posts its messages.
  virtual int open_round() = 0;
  // Completes the round's messages: waits for all of them, or completes those that have arrived.
  virtual int all_arrived(bool by_waiting, bool& arrived) = 0;
  virtual bool is_waiting() const = 0;
  virtual void close_round() = 0;  // messages have arrived
  virtual void finish() = 0;       // the schedule has ended
  // Abandons posted messages. Returns whether MPI may still read the data to be sent.
  virtual bool cancel() = 0;

  const Schedule& schedule() const { return plan_->schedule; }
  const Plan& plan() const { return *plan_; }
  const Transport& transport() const { return transport_; }
  int round() const { return round_; }
  void note(int code) { error_ = error_ == MPI_SUCCESS ? code : error_; }
  int error() const { return error_; }

  template <typename Body>
  int without_exception(Body&& body) {
    try {
      return body();
    } catch (const std::bad_alloc&) {
      return give_up(MPI_ERR_NO_MEM);
    }
  }

  Arena scratch_;  // kept until the end
  Arena staging_;  // kept until the end of the round

 private:
  bool finished() const { return round_ >= schedule().rounds(); }
  int advance();  // opens rounds until one is incomplete
  const Plan* plan_ = nullptr;
  Transport transport_;
  int round_ = 0;
  int error_ = MPI_SUCCESS;       // the first
  std::vector<Arena> abandoned_;  // memory that MPI may still read after an error
};

}  // namespace toccata
