#include "selection/native_algorithm.h"

#include <bit>
#include <span>
#include <string_view>

namespace toccata {

namespace {

constexpr std::int64_t K = 1 << 10, M = 1 << 20;

// From that many ranks on, and from that many bytes on: of a block for allgather, alltoall, gather
// and scatter, otherwise of the whole vector. The last row of a table that contains a call counts,
// because the rows of each number of ranks begin with 0 bytes.
struct Row {
  const Collective* collective;
  int least_ranks;
  std::int64_t least_bytes;
  std::string_view algorithm;
};

constexpr std::string_view doubling = "recursive_doubling", exchange = "neighbor_exchange",
                           ring = "ring", bruck = "bruck", linear = "linear", pairwise = "pairwise",
                           binomial = "binomial", knomial = "knomial",
                           rabenseifner = "rabenseifner", halving = "recursive_halving",
                           reduce_bcast = "reduce_bcast",
                           by_doubling = "scatter_allgather:allgather=recursive_doubling",
                           by_ring = "scatter_allgather:allgather=ring",
                           barrier_doubling = "recursive_multiplying:radix=2",
                           barrier_tree = "knomial:radix=2", dissemination = "dissemination";

constexpr Row open_mpi[] = {
    {&allgather, 2, 0, doubling},
    {&allgather, 32, 0, doubling},
    {&allgather, 32, 1 * K, exchange},
    {&allgather, 32, 64 * K, ring},
    {&allgather, 64, 0, doubling},
    {&allgather, 64, 512, exchange},
    {&allgather, 64, 64 * K, ring},
    {&allgather, 128, 0, doubling},
    {&allgather, 128, 512, exchange},
    {&allgather, 128, 128 * K, ring},
    {&allgather, 128, 512 * K, exchange},
    {&allgather, 128, 1 * M, ring},
    {&allgather, 256, 0, doubling},
    {&allgather, 256, 32, bruck},
    {&allgather, 256, 128, doubling},
    {&allgather, 256, 1 * K, exchange},
    {&allgather, 256, 128 * K, ring},
    {&allgather, 256, 512 * K, exchange},
    {&allgather, 256, 1 * M, ring},
    {&allgather, 512, 0, doubling},
    {&allgather, 512, 64, bruck},
    {&allgather, 512, 256, doubling},
    {&allgather, 512, 2 * K, exchange},
    {&allgather, 1024, 0, doubling},
    {&allgather, 1024, 256, bruck},
    {&allgather, 1024, 512, doubling},
    {&allgather, 1024, 4 * K, exchange},
    {&allgather, 2048, 0, bruck},
    {&allgather, 2048, 32, doubling},
    {&allgather, 2048, 128, bruck},
    {&allgather, 2048, 512, doubling},
    {&allgather, 2048, 4 * K, exchange},
    {&allgather, 4096, 0, doubling},
    {&allgather, 4096, 16, bruck},
    {&allgather, 4096, 512, doubling},
    {&allgather, 4096, 4 * K, exchange},
    {&allreduce, 2, 0, doubling},
    {&allreduce, 2, 256 * K, rabenseifner},
    {&allreduce, 4, 0, doubling},
    {&allreduce, 4, 8 * K, rabenseifner},
    {&allreduce, 16, 0, doubling},
    {&allreduce, 16, 4 * K, rabenseifner},
    {&allreduce, 32, 0, ring},
    {&allreduce, 32, 128, rabenseifner},
    {&allreduce, 64, 0, doubling},
    {&allreduce, 64, 256 * K, rabenseifner},
    {&allreduce, 128, 0, reduce_bcast},
    {&allreduce, 128, 128 * K, doubling},
    {&allreduce, 128, 256 * K, rabenseifner},
    {&allreduce, 256, 0, reduce_bcast},
    {&allreduce, 256, 4 * K, rabenseifner},
    {&allreduce, 512, 0, reduce_bcast},
    {&allreduce, 512, 2 * K, doubling},
    {&allreduce, 512, 16 * K, rabenseifner},
    {&allreduce, 2048, 0, reduce_bcast},
    {&allreduce, 2048, 2 * K, ring},
    {&allreduce, 2048, 4 * K, doubling},
    {&allreduce, 2048, 16 * K, rabenseifner},
    {&allreduce, 4096, 0, reduce_bcast},
    {&allreduce, 4096, 2 * K, ring},
    {&allreduce, 4096, 16 * K, doubling},
    {&allreduce, 4096, 32 * K, rabenseifner},
    {&alltoall, 2, 0, linear},  // in windows of a few messages, here and in most other rows
    {&alltoall, 16, 0, linear},
    {&alltoall, 16, 4, bruck},
    {&alltoall, 16, 512, linear},
    {&alltoall, 32, 0, bruck},
    {&alltoall, 32, 512, linear},
    {&alltoall, 64, 0, bruck},
    {&alltoall, 64, 1 * K, linear},
    {&alltoall, 64, 256 * K, pairwise},
    {&alltoall, 256, 0, bruck},
    {&alltoall, 256, 1 * K, linear},
    {&alltoall, 256, 32 * K, pairwise},
    {&alltoall, 512, 0, bruck},
    {&alltoall, 512, 512, linear},
    {&alltoall, 512, 256 * K, pairwise},
    {&alltoall, 1024, 0, bruck},
    {&alltoall, 1024, 512, linear},
    {&alltoall, 2048, 0, bruck},
    {&alltoall, 2048, 1 * K, linear},
    {&alltoall, 4096, 0, bruck},
    {&alltoall, 4096, 2 * K, linear},
    {&barrier, 2, 0, barrier_doubling},
    {&barrier, 4, 0, "knomial:radix=8"},
    {&barrier, 8, 0, barrier_doubling},
    {&barrier, 64, 0, dissemination},
    {&barrier, 256, 0, barrier_tree},
    {&barrier, 512, 0, dissemination},
    {&barrier, 1024, 0, barrier_tree},
    {&barrier, 4096, 0, dissemination},
    {&bcast, 2, 0, binomial},
    {&bcast, 8, 0, knomial},
    {&bcast, 8, 4 * K, binomial},
    {&bcast, 8, 32 * K, linear},
    {&bcast, 16, 0, knomial},
    {&bcast, 16, 4 * K, binomial},
    {&bcast, 16, 1 * M, by_doubling},
    {&bcast, 32, 0, binomial},
    {&bcast, 32, 2 * K, knomial},
    {&bcast, 64, 0, knomial},
    {&bcast, 1024, 0, knomial},
    {&bcast, 1024, 512 * K, by_doubling},
    {&bcast, 2048, 0, knomial},
    {&bcast, 2048, 256 * K, by_doubling},
    {&gather, 2, 0, binomial},
    {&reduce, 2, 0, binomial},
    {&reduce_scatter, 2, 0, ring},
    {&reduce_scatter, 4, 0, halving},
    {&reduce_scatter, 4, 256 * K, ring},
    {&reduce_scatter, 32, 0, halving},
    {&reduce_scatter, 32, 512 * K, ring},
    {&reduce_scatter, 64, 0, halving},
    {&scatter, 2, 0, linear},
    {&scatter, 4, 0, binomial},
    {&scatter, 4, 2 * K, linear},
    {&scatter, 4, 4 * K, binomial},
    {&scatter, 4, 8 * K, linear},
    {&scatter, 8, 0, binomial},
    {&scatter, 8, 16 * K, linear},
    {&scatter, 32, 0, binomial},
    {&scatter, 32, 512, linear},
    {&scatter, 32, 8 * K, binomial},
    {&scatter, 32, 16 * K, linear},
    {&scatter, 64, 0, binomial},
    {&scatter, 64, 512, linear},
};

constexpr Row mpich[] = {
    {&allgather, 2, 0, doubling},
    {&allreduce, 2, 0, doubling},
    {&allreduce, 2, 2 * K + 1, rabenseifner},
    {&alltoall, 2, 0, linear},
    {&alltoall, 2, 32 * K + 1, pairwise},
    {&alltoall, 8, 0, bruck},
    {&alltoall, 8, 257, linear},
    {&alltoall, 8, 32 * K + 1, pairwise},
    {&barrier, 2, 0, dissemination},
    {&bcast, 2, 0, binomial},
    {&bcast, 8, 0, binomial},
    {&bcast, 8, 12 * K, by_doubling},
    {&bcast, 8, 512 * K, by_ring},
    {&gather, 2, 0, binomial},
    {&reduce, 2, 0, binomial},
    {&reduce, 2, 2 * K + 1, "reduce_scatter_gather"},
    {&reduce_scatter, 2, 0, halving},
    {&reduce_scatter, 2, 512 * K, pairwise},
    {&scatter, 2, 0, binomial},
};

std::string_view name_of(NativeMpi mpi, const Collective& collective, int p, std::int64_t bytes) {
  const std::int64_t whole = bytes * p;
  const bool is_power = std::has_single_bit(static_cast<unsigned>(p));
  if (mpi == NativeMpi::mpich && &collective == &allgather && !(is_power && whole < 512 * K))
    return whole <= 80 * K ? bruck : ring;
  const std::span<const Row> table = mpi == NativeMpi::open_mpi ? std::span<const Row>(open_mpi)
                                     : mpi == NativeMpi::mpich  ? std::span<const Row>(mpich)
                                                                : std::span<const Row>();
  const std::int64_t size = &collective == &reduce_scatter ? whole : bytes;
  std::string_view found;
  for (const Row& each : table)
    if (each.collective == &collective && each.least_ranks <= p && each.least_bytes <= size)
      found = each.algorithm;
  // Open MPI's allgather by recursive doubling, and ours in a broadcast, need a power of two ranks.
  if (!is_power && &collective == &allgather && found == doubling) return bruck;
  if (p % 2 != 0 && found == exchange) return ring;
  return !is_power && found == by_doubling ? by_ring : found;
}

}  // namespace

std::optional<Choice> native_algorithm(NativeMpi mpi, const Collective& collective, int p,
                                       std::int64_t bytes) {
  const std::string_view name = name_of(mpi, collective, p, bytes);
  if (name.empty()) return {};
  return parse_choice(collective, name);
}

Ranking::Entry proposed(const Ranking& ranking, NativeMpi mpi, const Collective& collective, int p,
                        std::int64_t bytes) {
  const auto ours = ranking.at(bytes);
  const auto own = native_algorithm(mpi, collective, p, bytes);
  const auto price = own ? ranking.seconds(*own, bytes) : std::nullopt;
  if (ours.empty() || !price) return {};
  return least_predicted_gain * ours.front().seconds < *price ? ours.front()
                                                              : Ranking::Entry{{}, *price};
}

}  // namespace toccata
