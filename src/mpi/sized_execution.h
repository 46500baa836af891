#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/execution.h"

namespace toccata {

// Runs the schedule of an algorithm for blocks alike where every block has its size (the vector
// forms), though no rank knows the sizes of the blocks that pass through it: every message says
// them. Nothing is padded, nothing has to be agreed on beforehand.
//
//   sizes of the blocks | their data, if that is little       with the schedule's tag
//                         their data, if that is much         with a tag of its own
//
// That is the two-phase Bruck of fan2022, for any schedule and any radix, but for the second
// message, which short ones do without: the receiver has room for as much as may come. How a
// schedule's messages are to travel is of no account here.
//
// Between messages a block is not moved: it is known by its place and size, which a copy of the
// schedule hands on, and stays where it arrived until the end. So a rank takes as much memory as it
// receives in all. Where it has no memory for what comes, the blocks are lost, and go on as such:
// nobody waits in vain, and those for whom they were end with MPI_ERR_NO_MEM, as does the rank.
//
// Has the interface of an Execution, and uses twice as many tags.
class SizedExecution {
 public:
  SizedExecution() = default;
  SizedExecution(const SizedExecution&) = delete;
  SizedExecution& operator=(const SizedExecution&) = delete;

  Binding binding;
  void complete(const Plan&) {}  // what is in place needs no copy

  int prepare(const Plan& plan, MPI_Comm comm, int rank, int first_tag);
  int run(Background& background);
  int start();
  int test(bool& done);

 private:
  // A message that comes: its sizes, behind them its data unless that is much.
  struct Incoming {
    const Message* message;
    std::int64_t blocks;
    char* first;
    char* data;  // null where it is lost
    MPI_Request request;
  };

  bool finished() const { return round_ >= schedule_->rounds(); }
  Run& slot(Buffer buffer, std::int32_t block) {
    return slots_[first_slot_[static_cast<int>(buffer)] + block];
  }
  template <typename Visit>
  void for_each_slot(std::span<const BlockRange> ranges, Visit&& visit);

  int open_round();
  int send_sizes(const Message& message);  // and the data, if it is little
  int send_data(const Message& message, std::int64_t bytes);
  int recv_sizes(const Message& message);
  int take_data(Incoming& incoming);  // the sizes are here
  int recv_data(const Message& message, char* data, std::int64_t bytes);
  int drain(const Message& message, char* sink, std::int64_t bytes);
  // Goes through what the round waits for, by waiting or as far as it has come.
  int all_arrived(bool by_waiting, bool& arrived);
  bool ended(MPI_Request& request, bool by_waiting);
  void close_round();
  int advance();  // opens rounds until one has to wait
  int finish();   // blocks go to the user's memory
  int data_tag(const Message& message) const {
    return first_tag_ + schedule_->channels() + message.channel;
  }
  void note(int code) { error_ = error_ == MPI_SUCCESS ? code : error_; }
  int give_up(int code);
  template <typename Body>
  int without_exception(Body&& body);

  const Schedule* schedule_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int first_tag_ = 0;
  int blocks_ = 0;  // of send and of recv
  int round_ = 0;
  int error_ = MPI_SUCCESS;  // the first

  std::vector<Run> slots_;  // where each block of a buffer is now
  std::int64_t first_slot_[3] = {};
  std::vector<Run> moved_;  // the message or copy at hand

  std::vector<Incoming> incoming_;
  std::size_t heard_ = 0;  // of incoming_, those whose sizes are known
  std::vector<MPI_Request> recvs_;
  std::vector<MPI_Request> sends_;
  std::size_t arrived_ = 0;  // of recvs_, then of sends_
  std::vector<OwnedDatatype> types_;
  Arena kept_;                    // what came, until the end
  Arena staging_;                 // what goes, until the end of the round
  std::vector<Arena> abandoned_;  // after an error, what MPI may still read
};

}  // namespace toccata
