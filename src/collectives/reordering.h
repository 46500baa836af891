#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/shape.h"
#include "schedule/schedule.h"

namespace toccata {

struct Algorithm;

// How buffers keep the order of the ranks where others play them.
//
//   4 ranks, allgather, who plays rank 0 1 2 3: 0 2 1 3
//   straight   1 plays 2: its block goes to place 1 of every rank's recv, wherever it comes by
//   exchange   at first 1 and 2 swap blocks; then all is as among ranks that play themselves
//   shuffle    recv is gathered as 0 2 1 3 in scratch, and copied to 0 1 2 3 at the end
//
// Exchange and shuffle are initComm and endShfl of [mirsadeghi2016, section V-B], which lays blocks
// straight for the ring alone.
enum class Order : std::uint8_t { straight, exchange, shuffle };

inline constexpr Order all_orders[] = {Order::straight, Order::exchange, Order::shuffle};

constexpr std::string_view name(Order order) {
  return order == Order::straight ? "straight" : order == Order::exchange ? "exchange" : "shuffle";
}

// Who plays which rank of an algorithm.
struct Reordering {
  std::vector<int> players;  // by the algorithm's rank
  std::vector<int> roles;    // by our rank, the other way round
  Order order = Order::straight;
  // One rank's schedule, of which algorithms/reordered.h tells more.
  Schedule (*write)(const Algorithm& algorithm, const Shape& shape, int rank) = nullptr;
  Shape played = {};  // as the algorithm sees us: complete, root, placement and grid by its ranks
};

}  // namespace toccata
