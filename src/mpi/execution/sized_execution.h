#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/execution/engine.h"

namespace toccata {

// Runs the schedule of an algorithm for equal blocks although every block has its own size (the
// vector forms). Ranks do not know the sizes of the blocks that they forward, so every message
// contains the sizes of its blocks. No block is padded, and no agreement is needed beforehand.
//
//   sizes of the blocks | their data, if it is short        with the schedule's tag
//                         their data, if it is long         with a tag of its own
//
// This is the two-phase Bruck of fan2022, generalised to any schedule and any radix. Short data
// needs no second message, because the receiver provides room for the maximum. The schedule's
// travel has no effect here.
//
// A block stays at the place of its arrival until the end. A local copy in the schedule only
// changes the recorded place and size. So a rank needs as much memory as it receives in total. If a
// rank has no memory for a message, it forwards the blocks as lost. So no rank waits forever, and
// the rank and the receivers of these blocks return MPI_ERR_NO_MEM.
//
// Uses twice as many tags as the schedule has channels.
class SizedExecution final : public Engine {
 public:
  void fit(const Plan&) override {}  // data in place needs no copy

 private:
  // A message to receive: its sizes, followed by its data unless that is long.
  struct Incoming {
    const Message* message;
    std::int64_t blocks;
    char* first;
    char* data;  // null if it is lost
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

  int send_sizes(const Message& message);  // and the data, if it is short
  int send_data(const Message& message, std::int64_t bytes);
  int recv_sizes(const Message& message);
  int take_data(Incoming& incoming);  // the sizes have arrived
  int recv_data(const Message& message, char* data, std::int64_t bytes);
  int drain(const Message& message, char* sink, std::int64_t bytes);
  bool ended(MPI_Request& request, bool by_waiting);
  // The channel of data that is not in the message with its sizes.
  int data_channel(const Message& message) const { return schedule().channels() + message.channel; }

  int blocks_ = 0;  // of recv

  std::vector<Run> slots_;  // the present location of each block of a buffer
  std::int64_t first_slot_[3] = {};
  std::vector<Run> moved_;  // the current message or copy

  std::vector<Incoming> incoming_;
  std::size_t heard_ = 0;  // number of incoming_ with known sizes
  std::vector<MPI_Request> recvs_;
  std::vector<MPI_Request> sends_;
  std::size_t arrived_ = 0;  // of recvs_, then of sends_
  std::vector<OwnedDatatype> types_;
};

}  // namespace toccata
