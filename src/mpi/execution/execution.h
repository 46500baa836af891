#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/data/kernels.h"
#include "mpi/execution/engine.h"
#include "node/exchange.h"
#include "node/program.h"

namespace toccata {

// Runs a schedule if every rank knows the sizes of its blocks.
// If a message is one run, MPI reads or writes its memory directly. Otherwise, plain data that is
// not large is packed. For other data, MPI reads the pieces itself by a derived datatype. Ranks
// that share memory copy published blocks there, and read them from there.
class Execution final : public Engine {
 public:
  void fit(const Plan& plan) override { binding.fit(plan.units); }
  int run(Background& background) override;
  int start() override;
  int test(bool& done) override;
  // Releases what grows with the size of a message, for an engine that waits for the next request.
  void keep_little() {
    release_all();
    program_.shrink();
  }
  // The memory of the last call, if it ran in shared memory only, in the program's own buffers; as
  // if their blocks were packed, if they have gaps.
  std::optional<node::Memory> memory_on_board();
  const Reduction& reduction_on_board() const { return reduction_; }

 private:
  // One MPI message of the round.
  struct Transfer {
    void* address;
    int count;
    MPI_Datatype type;
    int peer;
    int channel;
  };
  // Runs that a packed message in staging memory fills after its arrival.
  struct Unpacking {
    std::size_t first_run, end_run;
    const char* staged;
  };

  int make_ready() override;
  int open_round() override;
  int all_arrived(bool by_waiting, bool& arrived) override;
  bool is_waiting() const override { return exchanging_ || !requests_.empty(); }
  void close_round() override;
  void finish() override;
  bool cancel() override;

  // The same for published messages, on the board.
  bool goes_on_board() const;
  bool is_on_board(const Message& message) const {
    return on_board_ && message.travel == Travel::published &&
           transport().board_rank_of(message.peer) >= 0;
  }
  bool lay_out(node::Memory& memory);
  bool start_program();
  int end_program();
  node::Stretch collect(const Message& message, bool is_send);
  void add_reading(const Message& message);
  void open_exchange();
  node::Operator reduction();

  int post();     // transfers become requests
  void settle();  // messages have arrived: unpack
  int add_message(const Message& message, bool is_send);
  int add_piece(const Message& message, std::span<const BlockRange> ranges, bool is_send);
  int add_run(const Message& message, const Run& run, bool is_send);
  int add_packed(const Message& message, std::int64_t bytes, bool is_send);
  int add_typed(const Message& message, const std::vector<Run>& runs, bool is_send);
  void add(const Message& message, void* address, int count, MPI_Datatype type, bool is_send);
  void collect_runs(std::span<const BlockRange> ranges, std::vector<Run>& runs) const;
  void step(const Step& step);
  void fill(Binding::StandIn& stand_in, Layout& layout, bool from_callers);

  std::vector<Transfer> recvs_;
  std::vector<Transfer> sends_;
  std::vector<MPI_Request> requests_;
  std::size_t arrived_ = 0;  // the number of requests_ known to have ended
  std::vector<OwnedDatatype> types_;
  std::vector<Run> runs_;       // of the current message
  std::vector<Run> into_runs_;  // the other side of a copy
  std::vector<Run> unpack_runs_;
  std::vector<Unpacking> unpackings_;

  // The publications and readings of the round.
  bool on_board_ = false;
  std::vector<const Message*> published_;
  std::vector<node::Publication> publications_;
  std::vector<node::Reading> readings_;
  std::vector<int> readers_;             // of the publications
  std::vector<node::Stretch> messages_;  // of the publications
  node::Exchange exchange_;
  bool exchanging_ = false;  // the round's exchange has not ended
  Reduction reduction_;
  // For schedules that only publish.
  bool runs_program_ = false;
  node::Program::Run program_;
  std::vector<std::int64_t> begins_[3];  // by buffer: where blocks begin
};

}  // namespace toccata
