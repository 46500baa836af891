#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "selection/native_algorithm.h"
#include "selection/ranking.h"

namespace toccata {

// Which algorithm is certain to be faster across nodes than the MPI library's own, before anything
// is measured: the usual model predicts a gain of at least 1.2 with its fast network, and also with
// Gigabit Ethernet. So the choice follows from the shape of the ranks and from the size alone. It
// is right in 97% of 333 simulated settings, of which the models know nothing
// (docs/design/0022-network-rule.md). Trials correct the rest, except for rounding sums, for which
// the rule decides for the whole run.
inline constexpr double least_sure_gain = 1.2;

// Whether the rule may choose for calls of up to `bytes`, of a block or of the message. Gathers are
// left out: the models underestimate the time of messages that arrive at one rank together. So are
// long sums: some recorded reductions of 1 MiB contradict the rule. So are more than 512 ranks.
bool network_rule_concerns(const Collective& collective, int p, std::int64_t bytes,
                           bool keeps_order);

// The ranking of the few algorithms that the rule considers: those of MPI libraries, and ours that
// win most often. It takes a small part of the time of a complete ranking. `published`: whether
// ranks share memory inside nodes.
std::shared_ptr<const Ranking> ranking_of_few(const Collective& collective, const Shape& known,
                                              const Model& model, bool published);

// The rule's choice instead of the MPI library's own; nothing if no gain is certain.
std::optional<Ranking::Entry> network_rule(const Ranking& ranking, const std::optional<Choice>& own,
                                           std::int64_t bytes);

}  // namespace toccata
