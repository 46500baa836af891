#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/engine.h"

namespace toccata {

// Runs a schedule whose blocks every rank knows the sizes of.
//
// How a message travels: from where it lies if that is one run of memory; else packed into one
// piece, where the data is plain and not large; else by a derived datatype, which lets MPI read
// the pieces itself.
class Execution final : public Engine {
 public:
  void fit(const Plan& plan) override { binding.fit(plan.units); }
  int run(Background& background) override;

 private:
  // One MPI message of the round.
  struct Transfer {
    void* address;
    int count;
    MPI_Datatype type;
    int peer;
    int channel;
  };
  // Runs to fill from staging memory when a packed message has come.
  struct Unpacking {
    std::size_t first_run, end_run;
    const char* staged;
    std::int64_t bytes;
  };

  int make_ready() override;
  int open_round() override;
  int all_arrived(bool by_waiting, bool& arrived) override;
  bool is_waiting() const override { return !requests_.empty(); }
  void close_round() override;
  void finish() override;
  bool cancel() override;

  int post();     // transfers become requests
  void settle();  // messages have come: unpack
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
  std::size_t arrived_ = 0;  // of requests_, those known to have ended
  std::vector<OwnedDatatype> types_;
  std::vector<Run> runs_;       // of the message at hand
  std::vector<Run> into_runs_;  // the other side of a copy
  std::vector<Run> unpack_runs_;
  std::vector<Unpacking> unpackings_;
};

}  // namespace toccata
