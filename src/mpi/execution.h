#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/binding.h"
#include "mpi/plan.h"
#include "schedule/schedule.h"

namespace toccata {

// What else has to go on while a blocking call waits: nonblocking collectives of this process.
class Background {
 public:
  virtual ~Background() = default;
  virtual bool busy() const = 0;
  virtual void progress() = 0;
};

// Memory for the pieces of a round: growing it moves nothing that is under way.
class Arena {
 public:
  char* take(std::int64_t bytes);
  // Forgets all that was taken. Keeps memory for the next round, but not without bound.
  void reset();

 private:
  struct Chunk {
    std::unique_ptr<char[]> memory;
    std::int64_t size, used;
  };
  std::vector<Chunk> chunks_;
};

// Runs one rank's schedule on MPI, a round at a time. Resumable: start posts the first round, test
// goes on as far as it can without waiting; run does the same with waiting and is what blocking
// calls are.
//
// How a message travels: from where it lies if that is one run of memory; else packed into one
// piece, where the data is plain and not large; else by a derived datatype, which lets MPI read
// the pieces itself.
//
// All functions return MPI error codes, MPI_ERR_NO_MEM among them. A message that goes wrong
// (longer than what is there for it) or a copy does not end the collective, for others wait for
// what comes after: the first error is returned at the end. Where a message cannot even be posted,
// the collective is over, and its requests are cancelled or given up.
class Execution {
 public:
  Execution() = default;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // The memory of the call; bind send and recv here, then complete, then prepare for each run.
  Binding binding;
  void complete(const Plan& plan) { binding.complete(plan.units); }

  // Makes ready to run a plan (which must stay) as `rank` of `comm`, with as many tags from
  // `first_tag` on as its schedule has channels.
  int prepare(const Plan& plan, MPI_Comm comm, int rank, int first_tag);

  int run(Background& background);
  int start();
  int test(bool& done);

 private:
  // One MPI message of the round.
  struct Transfer {
    void* address;
    int count;
    MPI_Datatype type;
    int peer;
    int tag;
  };
  // Runs to fill from staging memory when a packed message has come.
  struct Unpacking {
    std::size_t first_run, end_run;
    const char* staged;
    std::int64_t bytes;
  };

  bool finished() const { return round_ >= schedule_->rounds(); }
  // The round's messages there and back, by waiting for them.
  int exchange(Background& background);
  int open_round();    // the round's messages become transfers
  int post();          // ... and requests
  void close_round();  // messages have come: unpack, copy, reduce
  void settle();       // the first half of that
  int advance();       // opens and posts rounds until one has to wait
  int add_message(const Message& message, bool is_send);
  int add_piece(const Message& message, std::span<const BlockRange> ranges, bool is_send);
  int add_run(const Message& message, const Run& run, bool is_send);
  int add_packed(const Message& message, std::int64_t bytes, bool is_send);
  int add_typed(const Message& message, const std::vector<Run>& runs, bool is_send);
  void add(const Message& message, void* address, int count, MPI_Datatype type, bool is_send);
  void collect_runs(std::span<const BlockRange> ranges, std::vector<Run>& runs) const;
  void step(const Step& step);
  void fill(Binding::StandIn& stand_in, Layout& layout, bool from_callers);
  void finish();  // the schedule has ended
  void note(int code) { error_ = error_ == MPI_SUCCESS ? code : error_; }
  bool all_arrived();
  void release();
  int give_up(int code);
  template <typename Body>
  int without_exception(Body&& body);

  const Schedule* schedule_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int first_tag_ = 0;
  int round_ = 0;
  int error_ = MPI_SUCCESS;  // the first
  const StraightProgram* straight_ = nullptr;

  std::vector<Transfer> recvs_;
  std::vector<Transfer> sends_;
  std::vector<MPI_Request> requests_;
  std::size_t arrived_ = 0;  // of requests_, those known to have ended
  std::vector<OwnedDatatype> types_;
  std::vector<Run> runs_;       // of the message at hand
  std::vector<Run> into_runs_;  // the other side of a copy
  std::vector<Run> unpack_runs_;
  std::vector<Unpacking> unpackings_;
  Arena scratch_;
  Arena staging_;
  std::vector<Arena> abandoned_;  // after an error, what MPI may still read
};

}  // namespace toccata
