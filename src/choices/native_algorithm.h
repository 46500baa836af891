#pragma once

#include <cstdint>
#include <optional>

#include "choices/choice.h"
#include "choices/form.h"
#include "choices/ranking.h"
#include "choices/rule_table.h"

namespace toccata {

// The algorithm that an MPI library selects by itself among p ranks, in the form of ours that
// corresponds to it (RuleTable::Section::own). `bytes` are those of a block, or of the message.
// Nothing if `rules` is null, or if the library's part for this collective is not known.
std::optional<Choice> native_algorithm(const RuleTable* rules, Form form,
                                       const Collective& collective, int p, std::int64_t bytes);

// The same for blocking calls of ranks whose nodes are known, under a version of the MPI library.
// Among several nodes, the rows of `own nodes`, or of `own apart` for one rank per node, come
// first.
std::optional<Choice> native_algorithm(const RuleTable* rules, const Collective& collective,
                                       const Spread& spread, std::int64_t bytes, int version);
Spread spread_of(const Shape& shape);

// A model proposes an algorithm if it predicts that the MPI library's own takes more than this
// multiple of its time. Recorded times determined the value (docs/design/0019).
inline constexpr double least_predicted_gain = 1.1;

// What a model proposes for blocking calls of `bytes`: the first algorithm of its ranking, or
// native if the predicted gain over the MPI library's own algorithm is too small, or if that is not
// known.
Ranking::Entry proposed(const Ranking& ranking, const std::optional<Choice>& own,
                        const Shape& known, const Model& model, std::int64_t bytes);

}  // namespace toccata
