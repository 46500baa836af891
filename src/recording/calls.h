#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recording/phases.h"

namespace toccata::recording {

// Of messages, or of calls and the bytes that each names.
struct Counter {
  std::uint64_t messages = 0, bytes = 0;
};

// The collectives of which rank 0 knows the size on all ranks, at least in the mean.
enum class Routine : std::uint8_t {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  barrier,
  bcast,
  exscan,
  gather,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter
};
inline constexpr std::array<std::string_view, 13> routine_names{"allgather",
                                                                "allgatherv",
                                                                "allreduce",
                                                                "alltoall",
                                                                "barrier",
                                                                "bcast",
                                                                "exscan",
                                                                "gather",
                                                                "reduce",
                                                                "reduce_scatter",
                                                                "reduce_scatter_block",
                                                                "scan",
                                                                "scatter"};

// A call of a collective; its bytes are those of a block, or of the message (docs/tuning.md#sizes).
struct Call {
  Routine routine;
  bool is_blocking;
  std::int32_t root;                // 0 without a root
  std::string_view algorithm = {};  // of Toccata; "" for the MPI library's own
};

// The calls of collectives in the communicators in which this rank is rank 0. The memory is
// bounded.
class Calls {
 public:
  // The ranks first, first + step, ... of MPI_COMM_WORLD.
  struct Run {
    std::int32_t first, count, step;
    auto operator<=>(const Run&) const = default;
  };
  // The calls of all communicators with the same ranks in the same order.
  class Group {
    friend Calls;
    struct Key {
      std::uint8_t routine;
      bool is_blocking, is_class;  // of sizes: bytes is then a power of two
      std::uint8_t phase;
      std::uint16_t algorithm;
      std::int32_t root;
      std::uint64_t bytes;
      auto operator<=>(const Key&) const = default;
    };
    std::map<Key, Counter> counters_;
  };

  // Null if the communicator has ranks of other worlds, or if there are too many groups.
  Group* group_of(MPI_Comm comm);
  // Where calls of that size count, also if the group is null. The address remains valid.
  Counter& counter(Group* group, const Call& call, std::uint64_t bytes, int phase);

  // All counts as numbers: the calls that are left out; the number of algorithms, and for each its
  // length and characters; the number of groups, and for each the number of runs and the runs; the
  // number of entries, and for each the number of its group, the routine, whether it blocks, the
  // root, the mean bytes, the calls, the number of the phase, and that of the algorithm, of which
  // the first is "". At most `most` entries, those with the most bytes.
  std::vector<std::int64_t> saved(std::size_t most, const Phases& phases) const;

 private:
  std::uint16_t number_of(std::string_view algorithm);

  std::vector<std::string> algorithms_{""};
  std::map<std::vector<Run>, Group> groups_;
  std::size_t runs_ = 0, entries_ = 0;
  Counter left_out_;
};

}  // namespace toccata::recording
