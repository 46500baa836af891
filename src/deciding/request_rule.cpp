#include "deciding/request_rule.h"

#include <algorithm>
#include <limits>
#include <span>

#include "algorithms/registry.h"

namespace toccata {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max(), KiB = 1 << 10;

// The least bytes of a block for 2, for 3 and 4, and for more ranks.
struct Least {
  std::int64_t two, few, more;
};
struct Row {
  const Collective* collective;
  Least persistent, nonblocking;
};

// With a core for each rank, under Open MPI. Measured with 4.1 and 5.0, with 2 to 16 ranks on 16
// cores (docs/performance/requests.md). Its linear gathers and scatters are fast.
constexpr Row over_open_mpi[] = {
    {&allreduce, {KiB, 64, 64}, {KiB, 256, 256}},
    {&reduce, {4 * KiB, 64, 64}, {never, 64, 64}},
    {&reduce_scatter, {KiB, 256, 64}, {KiB, 256, 64}},
    {&scan, {4 * KiB, KiB, 0}, {4 * KiB, KiB, 0}},
    {&exscan, {4 * KiB, KiB, 0}, {4 * KiB, KiB, 0}},
    {&bcast, {never, KiB, 0}, {never, 4 * KiB, KiB}},
    {&allgather, {4 * KiB, 64, 0}, {4 * KiB, KiB, 0}},
    {&alltoall, {4 * KiB, KiB, 0}, {never, KiB, 0}},
    {&gather, {never, never, KiB}, {never, never, 4 * KiB}},
    {&scatter, {never, never, never}, {never, never, never}},
    {&barrier, {never, never, 0}, {never, never, never}},
};
// The same under MPICH (5.0).
constexpr Least always{0, 0, 0}, from_three{never, 0, 0};
constexpr Row over_mpich[] = {
    {&allreduce, {64, 0, 0}, {64, 0, 0}},
    {&reduce, always, always},
    {&reduce_scatter, always, always},
    {&scan, always, always},
    {&exscan, always, always},
    {&bcast, always, from_three},
    {&allgather, always, {16 * KiB, 0, 0}},
    {&alltoall, always, always},
    {&gather, always, from_three},
    {&scatter, always, from_three},
    {&barrier, always, from_three},
};
// With fewer cores than ranks, under Open MPI (4.1), with 4 and 8 ranks on 2 cores.
constexpr Row crowded[] = {
    {&allreduce, {4 * KiB, 4 * KiB, 4 * KiB}, {4 * KiB, 4 * KiB, never}},
    {&reduce_scatter, {256, 256, 16 * KiB}, {4 * KiB, 4 * KiB, never}},
    {&allgather, {KiB, KiB, KiB}, {4 * KiB, 4 * KiB, 4 * KiB}},
};

std::span<const Row> rows_for(const NodeKind& node) {
  if (node.native == NativeMpi::open_mpi)
    return node.crowded ? std::span<const Row>(crowded) : over_open_mpi;
  return node.native == NativeMpi::mpich && !node.crowded ? std::span<const Row>(over_mpich)
                                                          : std::span<const Row>();
}

}  // namespace

std::optional<Choice> request_rule(Form form, const Collective& collective, int p,
                                   const NodeKind& node, std::int64_t bytes) {
  const auto rows = rows_for(node);
  const auto row = std::ranges::find(rows, &collective, &Row::collective);
  if (row == rows.end()) return {};
  const Least& least = form == Form::persistent ? row->persistent : row->nonblocking;
  if (bytes < (p == 2 ? least.two : p <= 4 ? least.few : least.more)) return {};
  return node_rule(collective, p, node, bytes);
}

}  // namespace toccata
