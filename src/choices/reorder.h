#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "topology/reorder/patterns.h"
#include "writing/reordered.h"

namespace toccata {

// The request: no reordering, the order that a model finds best if it wins (Ranking), or a fixed
// order.
enum class Reorder : std::uint8_t { off, automatic, straight, exchange, shuffle };

// Converts a fixed order; and back.
inline Order order_of(Reorder how) { return static_cast<Order>(static_cast<int>(how) - 2); }
inline Reorder asking_for(Order order) { return static_cast<Reorder>(static_cast<int>(order) + 2); }

// "off", "auto", "straight", "exchange", "shuffle", in the order of the values.
const std::vector<std::string_view>& reorder_words();

// Mappings for an algorithm in a possible and complete shape with a placement; each keeps the root
// if the algorithm has one. The preferred one comes first. It is the heuristic of the algorithm's
// pattern. For leaders of nodes, it is that of their exchange, with that of a binomial tree inside
// each node [mirsadeghi2016, section VI-A2]. Without a pattern, it is a mapping by the traffic.
// With `pattern`, only its heuristic, or none if it is impossible.
std::vector<Mapping> mappings_for(const Algorithm& algorithm, const Shape& shape,
                                  const Pattern* pattern = nullptr);

// The first of them; the identity if there is none.
Mapping mapping_for(const Algorithm& algorithm, const Shape& shape,
                    const Pattern* pattern = nullptr);

// The ways in which an algorithm's buffers can keep their order; for a reduction in the order of
// the ranks, only the one that keeps this order.
std::vector<Order> orders_for(const Algorithm& algorithm);

// The shape with its ranks reordered by the algorithm's preferred mapping; the unchanged shape if
// the placement is unknown, or if every rank would keep its role.
Shape reorder(const Algorithm& algorithm, const Shape& shape, Order order,
              const Pattern* pattern = nullptr);

}  // namespace toccata
