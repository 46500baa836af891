#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/shape.h"
#include "schedule/schedule.h"

namespace toccata {

struct Algorithm;

// The ways to keep the order of the ranks in the buffers, if ranks exchange their roles.
//
//   4 ranks, allgather; roles 0 1 2 3 are played by ranks 0 2 1 3
//   straight   rank 1 plays 2: its block goes to place 1 of every rank's recv, on any route
//   exchange   first, 1 and 2 swap blocks; the rest is as if each rank played its own role
//   shuffle    recv is gathered as 0 2 1 3 in scratch, and copied to 0 1 2 3 at the end
//
// Exchange and shuffle are initComm and endShfl of [mirsadeghi2016, section V-B]. The paper uses
// straight for the ring only.
enum class Order : std::uint8_t { straight, exchange, shuffle };

inline constexpr Order all_orders[] = {Order::straight, Order::exchange, Order::shuffle};

constexpr std::string_view name(Order order) {
  return order == Order::straight ? "straight" : order == Order::exchange ? "exchange" : "shuffle";
}

// The assignment of an algorithm's roles to ranks.
struct Reordering {
  std::vector<int> players;  // by role: the rank that plays it
  std::vector<int> roles;    // by rank: its role
  Order order = Order::straight;
  // Writes one rank's schedule; see writing/reordered.h.
  Schedule (*write)(const Algorithm& algorithm, const Shape& shape, int rank) = nullptr;
  Shape played = {};  // the complete shape by roles: root, placement and grid
};

}  // namespace toccata
