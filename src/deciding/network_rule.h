#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "choices/native_algorithm.h"
#include "choices/ranking.h"
#include "deciding/size_range.h"

namespace toccata {

// Which algorithm is certain to be faster across nodes than the MPI library's own, before anything
// is measured: the usual model predicts a gain of at least 1.2 with its fast network, and also with
// Gigabit Ethernet. So the choice follows from the shape of the ranks and from the size alone. It
// is right in 98% of 291 simulated settings, of which the models know nothing
// (docs/design/0022-network-rule.md). Trials correct the rest, except for rounding sums, for which
// the rule decides for the whole run.
inline constexpr double least_sure_gain = 1.2;

// Whether the rule may choose for calls of up to `bytes`, of a block or of the message. Left out
// are:
//
// - gathers: the models underestimate the time of messages that arrive at one rank together
// - reduce-scatters: MPI_Reduce_scatter_block has other algorithms than MPI_Reduce_scatter
// - long sums: some recorded reductions of 1 MiB contradict the rule
// - two ranks, which have no rounds to save, and more than 512, because the ranking takes too long
bool network_rule_concerns(const Collective& collective, int p, std::int64_t bytes,
                           bool keeps_order);

// Whether the rule may choose before the first call, for the size class that ends at `bytes`. Then
// a communicator that lives for a few calls gains, too. Before a choice, ranks agree three times.
// So messages must be long, and there must be enough ranks that a gain is likely.
bool network_rule_holds_at_once(const Collective& collective, int p, std::int64_t bytes,
                                bool keeps_order);

// The ranking of the few algorithms that the rule considers: those of MPI libraries, and ours that
// win most often. It takes a small part of the time of a complete ranking. `published`: whether
// ranks share memory inside nodes.
std::shared_ptr<const Ranking> ranking_of_few(const Collective& collective, const Shape& known,
                                              const Model& model, bool published);

// The algorithm that the MPI library selects by itself for a size; nothing if it is unknown.
using OwnAlgorithm = std::function<std::optional<Choice>(std::int64_t bytes)>;

// The rule where the MPI library's algorithm is not known. It is almost always one of the known
// algorithms (RuleTable::Section::rivals). So a choice that takes at most 1.05 times the time of
// the best of these, with every network that the ranks may have and for the shortest and the
// longest of these sizes, cannot lose much. Nothing if there is none, or if the table of rules
// excludes these calls.
inline constexpr double most_regret = 1.05;
std::optional<Ranking::Entry> network_rule(const Ranking& ranking, NetworkKind network,
                                           const Collective& collective, int p, SizeRange sizes);

// The same among neighbours, where all MPI libraries send one message per edge: a choice that loses
// with no network that the ranks may have, and gains at least 2.5 with one of them. The model
// counts the messages of the busiest rank only, and leaves out that a relay waits for its turn on
// the processor. So on the hosts of docs/neighbours.md, a predicted gain of 2.4 is none.
//
// A smaller gain is certain if it consists of bytes between nodes, as in an allgather whose blocks
// go to several ranks of a node: 1.2 with every network, and as much for long blocks on a slow one.
// Nothing where the MPI library's table leaves these calls to it.
inline constexpr double least_gain_among_neighbors = 2.5;
inline constexpr double least_gain_by_fewer_bytes = 1.2;
std::optional<Ranking::Entry> neighbor_rule(const Ranking& ranking, NetworkKind network,
                                            const Collective& collective, int p, std::int64_t bytes,
                                            const RuleTable* library);

// The rule's choice for these sizes; nothing if no gain is certain. It must gain for the shortest
// and the second longest of them. The longest may be a power of two, for which the MPI library may
// use its algorithm for longer messages, so there, the choice only must not lose.
std::optional<Ranking::Entry> network_rule(const Ranking& ranking, const OwnAlgorithm& own,
                                           SizeRange sizes);

}  // namespace toccata
