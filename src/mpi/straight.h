#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/binding.h"
#include "schedule/schedule.h"

namespace toccata {

// A schedule whose rounds are at most one message each way, each message and copy one stretch of
// blocks (rings, doublings, trees), flattened so that it runs as a loop written by hand would:
// for short messages, looking at lists costs as much as the message.
class StraightProgram {
 public:
  // Nothing where the schedule is not of that kind.
  static std::optional<StraightProgram> compile(const Schedule& schedule);

  // Whether the call's memory is of that kind as well: blocks alike, some data in them, which
  // is plain, counts an int.
  bool serves(const Binding& binding) const {
    const auto simple = [](const Layout& layout) {
      return layout.is_uniform() && layout.traits().plain;
    };
    return simple(binding.send) && simple(binding.recv) &&
           (!uses_scratch_ || simple(binding.scratch)) &&
           binding.send.bytes(0) == binding.recv.bytes(0) && binding.recv.bytes(0) > 0 &&
           most_blocks_ * binding.recv.bytes(0) <= INT_MAX;
  }

  // Runs it by waiting. The memory must be served. Returns an MPI error code.
  int run(const Binding& binding, MPI_Comm comm, int first_tag) const;

 private:
  struct Stretch {
    std::int32_t first = 0;
    std::int32_t count = 0;
    Buffer buffer = Buffer::recv;
  };
  // A message to `send_peer` and one from `recv_peer`, or a copy where both are MPI_PROC_NULL.
  struct Step {
    int send_peer = MPI_PROC_NULL;
    int recv_peer = MPI_PROC_NULL;
    int send_channel = 0;
    int recv_channel = 0;
    Stretch send, recv;

    bool is_copy() const { return send_peer == MPI_PROC_NULL && recv_peer == MPI_PROC_NULL; }
  };
  static bool flatten(std::span<const BlockRange> ranges, Stretch& stretch);
  static bool flatten(const Schedule& schedule, std::span<const Message> messages, Stretch& stretch,
                      int& peer, int& channel);

  std::vector<Step> steps_;
  std::int64_t most_blocks_ = 0;
  bool uses_scratch_ = false;
};

}  // namespace toccata
