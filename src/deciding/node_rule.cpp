#include "deciding/node_rule.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "algorithms/registry.h"
#include "collectives/shape.h"
#include "selection/proved.h"
#include "selection/sized_choice.h"

namespace toccata {

namespace {

constexpr std::int64_t any = SizedChoice::most_bytes, KiB = 1 << 10, MiB = 1 << 20;

// With a core for each rank: numbers of ranks and sizes for which an algorithm is faster than the
// MPI library's collective. The first row that contains a call counts. Sizes are those of a rank's
// longer buffer, in bytes: in an allgather, of all blocks. Measured with 2, 4, 8 and 16 ranks on 16
// cores under Open MPI 4.1 and 5.0, MPICH 4.0 and 5.0, and Intel MPI 2021.18
// (docs/performance/one-node.md). Intel MPI uses shared memory itself for most collectives.
//
// - In `shared`, every rank of a scan reads the contributions of all lower ranks. So longer scans
//   of many ranks are pipelined.
// - With 32 KiB to 128 KiB among 8 and 16 ranks, most blocks are too short to be read directly, and
//   too long for a rank's share of a usual slot. In a reduce_scatter by recursive multiplying,
//   ranks read fewer and longer pieces. Only one communicator has large slots, so the rows hold
//   with usual ones, too.
// - Between two ranks, Open MPI is faster with reductions of 4 KiB to 64 KiB to one rank.
constexpr unsigned open_mpi = 1, mpich = 2, intel_mpi = 4;
constexpr unsigned both = open_mpi | mpich, all = both | intel_mpi;
struct Range {
  const Collective* collective;
  unsigned natives;
  int least_ranks, most_ranks;
  std::int64_t least, most;
  std::string_view choice = "shared";
};
constexpr std::string_view pipelined = "pipeline:travel=published", native = "";
constexpr std::string_view multiplied = "recursive_multiplying:travel=published";
constexpr Range ranges[] = {
    {&allreduce, both, 2, 16, 0, any},
    {&allreduce, intel_mpi, 2, 2, 0, 256 * KiB},
    {&allreduce, intel_mpi, 5, 16, 0, 4 * KiB},
    {&reduce, open_mpi, 2, 2, 4 * KiB + 1, 64 * KiB, native},
    {&reduce, both, 2, 16, 0, any},
    {&reduce, intel_mpi, 2, 2, 0, 4 * KiB},
    {&reduce, intel_mpi, 2, 2, 16 * KiB, any},
    {&reduce_scatter, both, 2, 4, 0, any},
    {&reduce_scatter, both, 5, 8, 0, 128 * KiB},
    {&reduce_scatter, both, 9, 16, 0, 32 * KiB},
    {&reduce_scatter, both, 5, 16, 32 * KiB + 1, 512 * KiB, multiplied},
    {&reduce_scatter, open_mpi, 5, 16, 512 * KiB + 1, any, multiplied},
    {&reduce_scatter, mpich, 5, 16, 512 * KiB + 1, any},
    {&reduce_scatter, intel_mpi, 2, 16, 0, 4 * KiB},
    {&reduce_scatter, intel_mpi, 2, 2, 64 * KiB, any},
    {&scan, both, 2, 2, 0, any},
    {&scan, open_mpi, 3, 4, 0, 32 * KiB},
    {&scan, mpich, 3, 4, 0, any},
    {&scan, both, 5, 8, 0, 8 * KiB},
    {&scan, both, 9, 16, 0, 2 * KiB},
    {&scan, both, 5, 16, 2 * KiB + 1, any, pipelined},
    {&scan, intel_mpi, 2, 2, 0, any},
    {&scan, intel_mpi, 3, 16, 0, 256},
    {&exscan, both, 2, 2, 0, any},
    {&exscan, open_mpi, 3, 4, 0, 16 * KiB},
    {&exscan, mpich, 3, 4, 0, any},
    {&exscan, both, 5, 16, 0, 2 * KiB},
    {&exscan, both, 5, 16, 2 * KiB + 1, any, pipelined},
    {&exscan, intel_mpi, 2, 2, 0, any},
    {&exscan, intel_mpi, 3, 16, 0, 256},
    {&bcast, both, 2, 16, 0, any},
    {&bcast, intel_mpi, 2, 2, 0, 32},
    {&bcast, intel_mpi, 2, 2, KiB, any},
    {&allgather, both, 2, 16, 0, any},
    {&allgather, intel_mpi, 2, 2, 0, 8 * KiB},
    {&allgather, intel_mpi, 2, 2, 32 * KiB, any},
    {&allgather, intel_mpi, 3, 3, 0, 128},
    {&allgather, intel_mpi, 4, 16, 0, 16 * KiB},
    {&alltoall, both, 2, 4, 0, any},
    {&alltoall, both, 5, 16, 0, 16 * KiB},
    {&alltoall, both, 5, 16, 16 * KiB + 1, 128 * KiB, "pairwise:travel=published"},
    {&alltoall, both, 5, 16, 128 * KiB + 1, any},
    {&alltoall, intel_mpi, 2, 2, 0, any},
    {&alltoall, intel_mpi, 3, 3, 0, KiB},
    {&alltoall, intel_mpi, 4, 8, 0, 8 * KiB},
    {&alltoall, intel_mpi, 9, 16, 0, 16 * KiB},
    {&gather, both, 2, 16, 0, any},
    {&gather, intel_mpi, 2, 2, 0, any},
    {&gather, intel_mpi, 3, 4, 0, 16 * KiB},
    {&gather, intel_mpi, 5, 16, 0, 64 * KiB},
    {&scatter, both, 2, 4, 0, any},
    {&scatter, both, 5, 16, 0, 16 * KiB},
    {&scatter, both, 5, 16, 128 * KiB + 1, any},
    {&scatter, intel_mpi, 2, 2, 0, 64},
    {&scatter, intel_mpi, 2, 2, KiB, 8 * KiB},
    {&scatter, intel_mpi, 2, 2, 64 * KiB, any},
    {&barrier, all, 2, 16, 0, any},
};
// From this size on, the first calls of a communicator are served, too: bytes of a block. Ranks
// that share cores take longer to make a board.
constexpr std::int64_t at_once_from = 4 * KiB, at_once_from_crowded = 64 * KiB;

// For ranks that share cores: one table for up to 4 ranks, and one for up to 8. More ranks were not
// measured. Sizes as above. Some rows count only if ranks read each other's memory directly.
struct CrowdedRange {
  const Collective* collective;
  std::int64_t least, most;
  bool directly = false;
};
constexpr bool only_directly = true;
constexpr int few_ranks = 4, most_crowded_ranks = 8;
constexpr CrowdedRange ranges_of_few[] = {
    {&allreduce, 1, any},
    {&reduce, 512, 8 * KiB},
    {&reduce, 512 * KiB + 1, any, only_directly},
    {&reduce_scatter, 1, any},
    {&scan, 512, 8 * KiB},
    {&exscan, 512, 8 * KiB},
    {&bcast, 512, 32 * KiB},
    {&bcast, 512 * KiB + 1, any},
    {&allgather, 1, MiB},
    {&allgather, MiB + 1, any, only_directly},
    {&alltoall, 1, 32 * KiB},
    {&gather, KiB, 128 * KiB},
    {&gather, 512 * KiB + 1, any, only_directly},
    {&scatter, KiB, 64 * KiB},
    {&barrier, 0, 0},
};
constexpr CrowdedRange ranges_of_more[] = {
    {&allreduce, 1, any},
    {&reduce, 512, 4 * KiB},
    {&reduce, MiB + 1, any, only_directly},
    {&reduce_scatter, 1, any},
    {&scan, 512, 4 * KiB},
    {&exscan, 512, 4 * KiB},
    {&bcast, 512, 32 * KiB},
    {&bcast, 512 * KiB + 1, any},
    {&allgather, 1, any},
    {&alltoall, 1, 64 * KiB},
    {&gather, KiB, 256 * KiB},
    {&gather, 256 * KiB + 1, any, only_directly},
    {&scatter, KiB, 128 * KiB},
    {&barrier, 0, 0},
};

// The bytes of a rank's longer buffer, if a block, or the message, has `bytes`.
std::int64_t longer_buffer(const Collective& collective, int p, std::int64_t bytes) {
  Shape shape;
  shape.p = p;
  return bytes * std::max({collective.blocks(shape, shape.root, Buffer::send),
                           collective.blocks(shape, shape.root, Buffer::recv), 1});
}

// Whether one rank reduces the whole message (in an allreduce, every rank), which saves a round.
// The more ranks there are, the more such a rank has to read. Between two ranks, the other one
// helps the root with long messages (node/board.h).
bool reduces_whole(const Collective& collective, int p, bool crowded, std::int64_t bytes) {
  if (crowded && p > 2) return bytes <= 32 * KiB / p;  // one piece of a large slot
  if (crowded || p > 2) return bytes <= 8 * KiB / (p - 1);
  return &collective == &reduce || bytes <= 512 * KiB;
}

// The choice with a core for each rank; empty for native.
std::string_view with_cores(const Collective& collective, int p, NativeMpi mpi,
                            std::int64_t bytes) {
  const unsigned own = 1U << static_cast<unsigned>(mpi);
  const auto* const range = std::ranges::find_if(ranges, [&](const Range& each) {
    return each.collective == &collective && (each.natives & own) != 0 && p >= each.least_ranks &&
           p <= each.most_ranks && bytes >= each.least && bytes <= each.most;
  });
  return range == std::end(ranges) ? native : range->choice;
}

bool is_faster_crowded(const Collective& collective, int p, bool directly, std::int64_t bytes) {
  if (p > most_crowded_ranks) return false;
  const auto of_p = p <= few_ranks ? std::span<const CrowdedRange>(ranges_of_few) : ranges_of_more;
  return std::ranges::any_of(of_p, [&](const CrowdedRange& each) {
    return each.collective == &collective && bytes >= each.least && bytes <= each.most &&
           (directly || !each.directly);
  });
}

}  // namespace

std::optional<Choice> node_rule(const Collective& collective, int p, const NodeKind& node,
                                std::int64_t bytes) {
  if (bytes < 0 || collective.among_neighbors) return {};
  bytes = longer_buffer(collective, p, bytes);
  std::string_view text;
  if (!node.crowded)
    text = with_cores(collective, p, node.native, bytes);
  else if (is_faster_crowded(collective, p, node.reads_directly, bytes))
    text = "shared";
  if (text.empty()) return {};
  const bool whole = (&collective == &allreduce || &collective == &reduce) &&
                     reduces_whole(collective, p, node.crowded, bytes);
  const Choice choice = parse_choice(collective, whole ? "shared:reducers=whole" : text);
  if (!is_proved(*choice.algorithm)) return {};
  return choice;
}

bool node_rule_holds_at_once(const NodeKind& node, std::int64_t bytes) {
  return bytes >= (node.crowded ? at_once_from_crowded : at_once_from);
}

}  // namespace toccata
