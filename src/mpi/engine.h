#pragma once

#include <mpi.h>

#include <new>
#include <utility>
#include <vector>

#include "mpi/arena.h"
#include "mpi/background.h"
#include "mpi/binding.h"
#include "mpi/plan.h"
#include "mpi/transport.h"

namespace toccata {

// Runs one rank's schedule, a round at a time. Resumable: start posts the first round, test goes on
// as far as it can without waiting; run does the same with waiting and is what blocking calls are.
// How blocks are moved in a round is up to derived classes.
//
// All functions return MPI error codes, MPI_ERR_NO_MEM among them. A message that goes wrong
// (longer than what is there for it) or a copy does not end the collective, for others wait for
// what comes after: the first error is returned at the end. Where a message cannot even be posted,
// the collective is over, and its requests are cancelled or given up.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  // The memory of the call; bind send and recv here, then fit, then prepare for each run.
  Binding binding;
  virtual void fit(const Plan& plan) = 0;

  // Makes ready to run a plan (which must stay), its messages by `transport`.
  int prepare(const Plan& plan, const Transport& transport);
  virtual int run(Background& background);
  int start();
  int test(bool& done);
  // Gives up what is under way: the other ranks do not come any more.
  int give_up(int code);

  // Returns to the process' memory all but a little of what the last call took.
  void release() {
    scratch_.reset();
    staging_.reset();
  }

 protected:
  virtual int make_ready() { return MPI_SUCCESS; }
  // Opens round_ and posts its messages.
  virtual int open_round() = 0;
  // Goes through what the round waits for, by waiting or as far as it has come.
  virtual int all_arrived(bool by_waiting, bool& arrived) = 0;
  virtual bool is_waiting() const = 0;
  virtual void close_round() = 0;  // messages have come
  virtual void finish() = 0;       // the schedule has ended
  // Gives up what is posted; returns whether MPI may go on reading what was to be sent.
  virtual bool cancel() = 0;

  const Schedule& schedule() const { return plan_->schedule; }
  const Plan& plan() const { return *plan_; }
  const Transport& transport() const { return transport_; }
  int round() const { return round_; }
  void note(int code) { error_ = error_ == MPI_SUCCESS ? code : error_; }
  int error() const { return error_; }

  Arena scratch_;  // until the end
  Arena staging_;  // until the end of the round

 private:
  bool finished() const { return round_ >= schedule().rounds(); }
  int advance();  // opens rounds until one has to wait
  template <typename Body>
  int without_exception(Body&& body) {
    try {
      return body();
    } catch (const std::bad_alloc&) {
      return give_up(MPI_ERR_NO_MEM);
    }
  }

  const Plan* plan_ = nullptr;
  Transport transport_;
  int round_ = 0;
  int error_ = MPI_SUCCESS;       // the first
  std::vector<Arena> abandoned_;  // after an error, what MPI may still read
};

}  // namespace toccata
