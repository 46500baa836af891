#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/reordered.h"
#include "topology/reorder/patterns.h"

namespace toccata {

// What is requested: nothing, what a model finds best if that wins (Ranking), or that order in any
// case.
enum class Reorder : std::uint8_t { off, automatic, straight, exchange, shuffle };

// One that names an order: that; and back.
inline Order order_of(Reorder how) { return static_cast<Order>(static_cast<int>(how) - 2); }
inline Reorder asking_for(Order order) { return static_cast<Reorder>(static_cast<int>(order) + 2); }

// "off", "auto", "straight", "exchange", "shuffle", in the order of the values.
const std::vector<std::string_view>& reorder_words();

// Mappings for an algorithm in a possible and complete shape with a placement, each with the root
// where the algorithm has it; the one meant for it first: its pattern's heuristic; for leaders of
// nodes the pattern of their exchange, and inside of each node that of a binomial tree
// [mirsadeghi2016, section VI-A2]; else what its traffic says.
// With `pattern`, that one's heuristic alone, none where it cannot be.
std::vector<Mapping> mappings_for(const Algorithm& algorithm, const Shape& shape,
                                  const Pattern* pattern = nullptr);

// The first of them; each rank itself if there is none.
Mapping mapping_for(const Algorithm& algorithm, const Shape& shape,
                    const Pattern* pattern = nullptr);

// The orders in which an algorithm's buffers can be kept; where it reduces in the order of the
// ranks, only the one that keeps that.
std::vector<Order> orders_for(const Algorithm& algorithm);

// The shape with its ranks reordered so, by the mapping that is meant for the algorithm; or as it
// is where nothing is known of where ranks run, or every rank would play itself.
Shape reorder(const Algorithm& algorithm, const Shape& shape, Order order,
              const Pattern* pattern = nullptr);

}  // namespace toccata
