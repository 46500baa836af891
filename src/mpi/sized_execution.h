#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/engine.h"

namespace toccata {

// Runs the schedule of an algorithm for blocks alike where every block has its size (the vector
// forms), though no rank knows the sizes of the blocks that pass through it: every message says
// them. Nothing is padded, nothing has to be agreed on beforehand.
//
//   sizes of the blocks | their data, if that is little       with the schedule's tag
//                         their data, if that is much         with a tag of its own
//
// That is the two-phase Bruck of fan2022, for any schedule and any radix, except for the second
// message, which short ones do without: the receiver has room for as much as may come. How a
// schedule's messages are to travel is of no account here.
//
// A block is not moved between messages: it is known by its place and size, which a copy of the
// schedule hands on, and stays where it arrived until the end. So a rank takes as much memory as it
// receives in all. Where it has no memory for what comes, the blocks are lost, and go on as such:
// no rank waits in vain, and their receivers end with MPI_ERR_NO_MEM, as does the rank.
//
// Uses twice as many tags as the schedule has channels.
class SizedExecution final : public Engine {
 public:
  void fit(const Plan&) override {}  // what is in place needs no copy

 private:
  // A message that comes: its sizes, behind them its data unless that is much.
  struct Incoming {
    const Message* message;
    std::int64_t blocks;
    char* first;
    char* data;  // null where it is lost
    MPI_Request request;
  };

  Run& slot(Buffer buffer, std::int32_t block) {
    return slots_[first_slot_[static_cast<int>(buffer)] + block];
  }
  template <typename Visit>
  void for_each_slot(std::span<const BlockRange> ranges, Visit&& visit);

  int make_ready() override;
  int open_round() override;
  int all_arrived(bool by_waiting, bool& arrived) override;
  bool is_waiting() const override { return !incoming_.empty() || !sends_.empty(); }
  void close_round() override;
  void finish() override;  // blocks go to the user's memory
  bool cancel() override;

  int send_sizes(const Message& message);  // and the data, if it is little
  int send_data(const Message& message, std::int64_t bytes);
  int recv_sizes(const Message& message);
  int take_data(Incoming& incoming);  // the sizes are here
  int recv_data(const Message& message, char* data, std::int64_t bytes);
  int drain(const Message& message, char* sink, std::int64_t bytes);
  bool ended(MPI_Request& request, bool by_waiting);
  // The channel of data that does not come with its sizes.
  int data_channel(const Message& message) const { return schedule().channels() + message.channel; }

  int blocks_ = 0;  // of recv

  std::vector<Run> slots_;  // where each block of a buffer is now
  std::int64_t first_slot_[3] = {};
  std::vector<Run> moved_;  // the message or copy at hand

  std::vector<Incoming> incoming_;
  std::size_t heard_ = 0;  // of incoming_, those whose sizes are known
  std::vector<MPI_Request> recvs_;
  std::vector<MPI_Request> sends_;
  std::size_t arrived_ = 0;  // of recvs_, then of sends_
  std::vector<OwnedDatatype> types_;
};

}  // namespace toccata
