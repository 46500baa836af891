#include "selection/native_algorithm.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>

namespace toccata {

namespace {

constexpr std::uint32_t K = 1 << 10, M = 1 << 20;

// The algorithms, in the order of `names`.
enum Name : std::uint8_t {
  none,
  doubling,
  exchange,
  ring,
  bruck,
  linear,
  pairwise,
  binomial,
  knomial,
  rabenseifner,
  halving,
  reduce_bcast,
  reduce_then_gather,
  by_doubling,
  by_ring,
  barrier_doubling,
  barrier_tree,
  barrier_flat,
  dissemination
};
constexpr std::string_view names[] = {"",
                                      "recursive_doubling",
                                      "neighbor_exchange",
                                      "ring",
                                      "bruck",
                                      "linear",
                                      "pairwise",
                                      "binomial",
                                      "knomial",
                                      "rabenseifner",
                                      "recursive_halving",
                                      "reduce_bcast",
                                      "reduce_scatter_gather",
                                      "scatter_allgather:allgather=recursive_doubling",
                                      "scatter_allgather:allgather=ring",
                                      "recursive_multiplying:radix=2",
                                      "knomial:radix=2",
                                      "knomial:radix=8",
                                      "dissemination"};

// The collectives of the tables, in the order of `collectives_here`.
enum Of : std::uint8_t {
  of_allgather,
  of_allreduce,
  of_alltoall,
  of_barrier,
  of_bcast,
  of_gather,
  of_reduce,
  of_reduce_scatter,
  of_scatter
};
constexpr const Collective* collectives_here[] = {&allgather, &allreduce,      &alltoall,
                                                  &barrier,   &bcast,          &gather,
                                                  &reduce,    &reduce_scatter, &scatter};

// An algorithm from that many ranks on, and from that many bytes on: of a block for allgather,
// alltoall, gather and scatter, otherwise of the whole vector. The last row that contains a call
// counts, because the rows of each number of ranks begin with 0 bytes.
struct Row {
  Of collective;
  Name algorithm;
  std::uint16_t least_ranks;
  std::uint32_t least_bytes;
};

// clang-format off
constexpr Row open_mpi[] = {
    {of_allgather, doubling, 2, 0},
    {of_allgather, doubling, 32, 0}, {of_allgather, exchange, 32, 1 * K},
    {of_allgather, ring, 32, 64 * K},
    {of_allgather, doubling, 64, 0}, {of_allgather, exchange, 64, 512},
    {of_allgather, ring, 64, 64 * K},
    {of_allgather, doubling, 128, 0}, {of_allgather, exchange, 128, 512},
    {of_allgather, ring, 128, 128 * K}, {of_allgather, exchange, 128, 512 * K},
    {of_allgather, ring, 128, 1 * M},
    {of_allgather, doubling, 256, 0}, {of_allgather, bruck, 256, 32},
    {of_allgather, doubling, 256, 128}, {of_allgather, exchange, 256, 1 * K},
    {of_allgather, ring, 256, 128 * K}, {of_allgather, exchange, 256, 512 * K},
    {of_allgather, ring, 256, 1 * M},
    {of_allgather, doubling, 512, 0}, {of_allgather, bruck, 512, 64},
    {of_allgather, doubling, 512, 256}, {of_allgather, exchange, 512, 2 * K},
    {of_allgather, doubling, 1024, 0}, {of_allgather, bruck, 1024, 256},
    {of_allgather, doubling, 1024, 512}, {of_allgather, exchange, 1024, 4 * K},
    {of_allgather, bruck, 2048, 0}, {of_allgather, doubling, 2048, 32},
    {of_allgather, bruck, 2048, 128}, {of_allgather, doubling, 2048, 512},
    {of_allgather, exchange, 2048, 4 * K},
    {of_allgather, doubling, 4096, 0}, {of_allgather, bruck, 4096, 16},
    {of_allgather, doubling, 4096, 512}, {of_allgather, exchange, 4096, 4 * K},
    {of_allreduce, doubling, 2, 0}, {of_allreduce, rabenseifner, 2, 256 * K},
    {of_allreduce, doubling, 4, 0}, {of_allreduce, rabenseifner, 4, 8 * K},
    {of_allreduce, doubling, 16, 0}, {of_allreduce, rabenseifner, 16, 4 * K},
    {of_allreduce, ring, 32, 0}, {of_allreduce, rabenseifner, 32, 128},
    {of_allreduce, doubling, 64, 0}, {of_allreduce, rabenseifner, 64, 256 * K},
    {of_allreduce, reduce_bcast, 128, 0}, {of_allreduce, doubling, 128, 128 * K},
    {of_allreduce, rabenseifner, 128, 256 * K},
    {of_allreduce, reduce_bcast, 256, 0}, {of_allreduce, rabenseifner, 256, 4 * K},
    {of_allreduce, reduce_bcast, 512, 0}, {of_allreduce, doubling, 512, 2 * K},
    {of_allreduce, rabenseifner, 512, 16 * K},
    {of_allreduce, reduce_bcast, 2048, 0}, {of_allreduce, ring, 2048, 2 * K},
    {of_allreduce, doubling, 2048, 4 * K}, {of_allreduce, rabenseifner, 2048, 16 * K},
    {of_allreduce, reduce_bcast, 4096, 0}, {of_allreduce, ring, 4096, 2 * K},
    {of_allreduce, doubling, 4096, 16 * K}, {of_allreduce, rabenseifner, 4096, 32 * K},
    // In most of these rows, `linear` stands for messages in windows of a few at a time.
    {of_alltoall, linear, 2, 0},
    {of_alltoall, linear, 16, 0}, {of_alltoall, bruck, 16, 4}, {of_alltoall, linear, 16, 512},
    {of_alltoall, bruck, 32, 0}, {of_alltoall, linear, 32, 512},
    {of_alltoall, bruck, 64, 0}, {of_alltoall, linear, 64, 1 * K},
    {of_alltoall, pairwise, 64, 256 * K},
    {of_alltoall, bruck, 256, 0}, {of_alltoall, linear, 256, 1 * K},
    {of_alltoall, pairwise, 256, 32 * K},
    {of_alltoall, bruck, 512, 0}, {of_alltoall, linear, 512, 512},
    {of_alltoall, pairwise, 512, 256 * K},
    {of_alltoall, bruck, 1024, 0}, {of_alltoall, linear, 1024, 512},
    {of_alltoall, bruck, 2048, 0}, {of_alltoall, linear, 2048, 1 * K},
    {of_alltoall, bruck, 4096, 0}, {of_alltoall, linear, 4096, 2 * K},
    {of_barrier, barrier_doubling, 2, 0},
    {of_barrier, barrier_flat, 4, 0},
    {of_barrier, barrier_doubling, 8, 0},
    {of_barrier, dissemination, 64, 0},
    {of_barrier, barrier_tree, 256, 0},
    {of_barrier, dissemination, 512, 0},
    {of_barrier, barrier_tree, 1024, 0},
    {of_barrier, dissemination, 4096, 0},
    {of_bcast, binomial, 2, 0},
    {of_bcast, knomial, 8, 0}, {of_bcast, binomial, 8, 4 * K}, {of_bcast, linear, 8, 32 * K},
    {of_bcast, knomial, 16, 0}, {of_bcast, binomial, 16, 4 * K}, {of_bcast, by_doubling, 16, 1 * M},
    {of_bcast, binomial, 32, 0}, {of_bcast, knomial, 32, 2 * K},
    {of_bcast, knomial, 64, 0},
    {of_bcast, knomial, 1024, 0}, {of_bcast, by_doubling, 1024, 512 * K},
    {of_bcast, knomial, 2048, 0}, {of_bcast, by_doubling, 2048, 256 * K},
    {of_gather, binomial, 2, 0},
    {of_reduce, binomial, 2, 0},
    {of_reduce_scatter, ring, 2, 0},
    {of_reduce_scatter, halving, 4, 0}, {of_reduce_scatter, ring, 4, 256 * K},
    {of_reduce_scatter, halving, 32, 0}, {of_reduce_scatter, ring, 32, 512 * K},
    {of_reduce_scatter, halving, 64, 0},
    {of_scatter, linear, 2, 0},
    {of_scatter, binomial, 4, 0}, {of_scatter, linear, 4, 2 * K}, {of_scatter, binomial, 4, 4 * K},
    {of_scatter, linear, 4, 8 * K},
    {of_scatter, binomial, 8, 0}, {of_scatter, linear, 8, 16 * K},
    {of_scatter, binomial, 32, 0}, {of_scatter, linear, 32, 512}, {of_scatter, binomial, 32, 8 * K},
    {of_scatter, linear, 32, 16 * K},
    {of_scatter, binomial, 64, 0}, {of_scatter, linear, 64, 512},
};

constexpr Row mpich[] = {
    {of_allgather, doubling, 2, 0},
    {of_allreduce, doubling, 2, 0}, {of_allreduce, rabenseifner, 2, 2 * K + 1},
    {of_alltoall, linear, 2, 0}, {of_alltoall, pairwise, 2, 32 * K + 1},
    {of_alltoall, bruck, 8, 0}, {of_alltoall, linear, 8, 257},
    {of_alltoall, pairwise, 8, 32 * K + 1},
    {of_barrier, dissemination, 2, 0},
    {of_bcast, binomial, 2, 0},
    {of_bcast, binomial, 8, 0}, {of_bcast, by_doubling, 8, 12 * K}, {of_bcast, by_ring, 8, 512 * K},
    {of_gather, binomial, 2, 0},
    {of_reduce, binomial, 2, 0}, {of_reduce, reduce_then_gather, 2, 2 * K + 1},
    {of_reduce_scatter, halving, 2, 0}, {of_reduce_scatter, pairwise, 2, 512 * K},
    {of_scatter, binomial, 2, 0},
};

constexpr Row open_mpi_requests[] = {
    {of_allreduce, reduce_bcast, 2, 0}, {of_allreduce, ring, 4, 64 * K},
    {of_alltoall, linear, 2, 0},
    {of_barrier, dissemination, 2, 0},
    {of_bcast, binomial, 2, 0},
    {of_gather, linear, 2, 0},
    {of_reduce, binomial, 2, 0},
    {of_scatter, linear, 2, 0},
};
// clang-format on

// The algorithm in the last row that contains such a call.
Name last_row(std::span<const Row> table, const Collective& collective, int p, std::int64_t size) {
  const auto* const here = std::ranges::find(collectives_here, &collective);
  Name found = none;
  for (const Row& each : table)
    if (&collectives_here[each.collective] == here && each.least_ranks <= p &&
        each.least_bytes <= size)
      found = each.algorithm;
  return found;
}

Name name_of(NativeMpi mpi, const Collective& collective, int p, std::int64_t bytes) {
  const std::int64_t whole = bytes * p;
  const bool is_power = std::has_single_bit(static_cast<unsigned>(p));
  if (mpi == NativeMpi::mpich && &collective == &allgather && !(is_power && whole < 512 * K))
    return whole <= 80 * K ? bruck : ring;
  const std::span<const Row> table = mpi == NativeMpi::open_mpi ? std::span<const Row>(open_mpi)
                                     : mpi == NativeMpi::mpich  ? std::span<const Row>(mpich)
                                                                : std::span<const Row>();
  const Name found = last_row(table, collective, p, &collective == &reduce_scatter ? whole : bytes);
  // Open MPI's allgather by recursive doubling, and ours in a broadcast, need a power of two ranks.
  if (!is_power && &collective == &allgather && found == doubling) return bruck;
  if (p % 2 != 0 && found == exchange) return ring;
  return !is_power && found == by_doubling ? by_ring : found;
}

}  // namespace

std::optional<Choice> native_algorithm_of_requests(NativeMpi mpi, const Collective& collective,
                                                   int p, std::int64_t bytes) {
  if (mpi != NativeMpi::open_mpi) return {};
  const Name name = last_row(open_mpi_requests, collective, p, bytes);
  if (name == none) return {};
  return parse_choice(collective, names[name]);
}

std::optional<Choice> native_algorithm(NativeMpi mpi, const Collective& collective, int p,
                                       std::int64_t bytes) {
  const Name name = name_of(mpi, collective, p, bytes);
  if (name == none) return {};
  return parse_choice(collective, names[name]);
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
