#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/data/binding.h"
#include "mpi/data/data.h"
#include "mpi/data/kernels.h"
#include "mpi/execution/transport.h"
#include "schedule/schedule.h"

namespace toccata {

// A step of a straight program with all its arguments. It is a message to a peer, a message from a
// peer, or both. Otherwise it is a reduction if there is an operation, and a copy if not.
struct StraightStep {
  void* source;
  void* target;
  MPI_Datatype send_type, recv_type;
  int send_count, recv_count;  // elements
  int send_peer, recv_peer;    // or MPI_PROC_NULL
  int send_tag, recv_tag;
  MPI_Op operation;
  std::int64_t copied_bytes;

  // Waits. Returns an MPI error code.
  int run(MPI_Comm comm) const {
    if (send_peer != MPI_PROC_NULL && recv_peer != MPI_PROC_NULL)
      return Transport::exchange(source, send_count, send_type, send_peer, send_tag, target,
                                 recv_count, recv_type, recv_peer, recv_tag, comm);
    if (send_peer != MPI_PROC_NULL)
      return Transport::send(source, send_count, send_type, send_peer, send_tag, comm);
    if (recv_peer != MPI_PROC_NULL)
      return Transport::recv(target, recv_count, recv_type, recv_peer, recv_tag, comm);
    if (!data_moves) return MPI_SUCCESS;
    if (operation != MPI_OP_NULL)
      return reduce_local(source, target, send_count, recv_type, operation);
    if (source != target) std::memcpy(target, source, static_cast<std::size_t>(copied_bytes));
    return MPI_SUCCESS;
  }
};

// A straight program bound to one call's memory, for repeated calls.
class BoundProgram {
 public:
  BoundProgram(std::vector<StraightStep> steps, MPI_Comm comm)
      : steps_(std::move(steps)), comm_(comm) {}

  int run() const {
    int error = MPI_SUCCESS;
    for (const StraightStep& step : steps_)
      if (int code = step.run(comm_); error == MPI_SUCCESS) error = code;
    return error;
  }

 private:
  std::vector<StraightStep> steps_;
  MPI_Comm comm_;
};

// A schedule whose rounds have at most one message in each direction, with one contiguous range of
// blocks per message and step (rings, doublings, trees). It is flattened, so that it runs like a
// hand-written loop: for short messages, reading lists of steps takes as long as the message.
class StraightProgram {
 public:
  // Returns nothing if the schedule is not of that kind.
  static std::optional<StraightProgram> compile(const Schedule& schedule);

  // Whether the call's memory is suitable, too: blocks are equal and contain plain data, and counts
  // fit an int.
  bool serves(const Binding& binding) const {
    const auto simple = [](const Layout& layout) {
      return layout.is_uniform() && layout.traits().plain;
    };
    return binding.devices == nullptr && simple(binding.send) && simple(binding.recv) &&
           (!uses_scratch_ || simple(binding.scratch)) &&
           binding.send.bytes(0) == binding.recv.bytes(0) && binding.recv.bytes(0) > 0 &&
           most_blocks_ * binding.recv.bytes(0) <= INT_MAX;
  }

  bool uses_scratch() const { return uses_scratch_; }
  std::size_t memory() const { return steps_.capacity() * sizeof(Step); }

  // Runs it, and waits for its messages. The memory must be suitable. Returns an MPI error code.
  // After an error it continues, because other ranks wait for the later messages.
  int run(const Binding& binding, const Transport& transport) const;
  // The same for repeated calls.
  BoundProgram bind(const Binding& binding, const Transport& transport) const;

 private:
  struct Stretch {
    std::int32_t first = 0;
    std::int32_t count = 0;
    Buffer buffer = Buffer::recv;
  };
  // A message to `send_peer` and one from `recv_peer`; or a local step if both are MPI_PROC_NULL.
  struct Step {
    int send_peer = MPI_PROC_NULL;
    int recv_peer = MPI_PROC_NULL;
    int send_channel = 0;
    int recv_channel = 0;
    bool reduces = false;
    Stretch send, recv;

    bool is_local() const { return send_peer == MPI_PROC_NULL && recv_peer == MPI_PROC_NULL; }
  };
  class Memory;

  static bool flatten(std::span<const BlockRange> ranges, Stretch& stretch);
  static bool flatten(const Schedule& schedule, std::span<const Message> messages, Stretch& stretch,
                      int& peer, int& channel);

  std::vector<Step> steps_;
  std::int64_t most_blocks_ = 0;
  bool uses_scratch_ = false;
};

}  // namespace toccata
