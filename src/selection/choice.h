#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "algorithms/algorithm.h"
#include "selection/reorder.h"

namespace toccata {

// What a user asked for cannot be; what() says so in one line, with what would be accepted.
class ChoiceError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// An algorithm with its parameters, or the MPI library's own (`algorithm` null).
struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters = {};
  Travel travel = Travel::whole;   // for the messages about which the algorithm does not care
  Reorder reorder = Reorder::off;  // whether others may play its ranks, where that is known to help

  const Pattern* pattern = nullptr;  // by which these are mapped; null: by the algorithm's own

  bool native() const { return algorithm == nullptr; }
  bool operator==(const Choice& other) const = default;
  // "sparbit:messages=per_block" or "native"
  std::string text() const;
  // The shape of this choice in what is known of a communicator (p, root, placement, grid).
  // ChoiceError if the algorithm cannot run there. If its order is the model's to find, shape_of()
  // does it (selection/ranking.h).
  Shape in(const Shape& known) const;
  // One rank's schedule in such a shape. (Of what is known alone, `in` comes first: to find a
  // reordering takes as long as p ranks' schedules.)
  Schedule schedule(const Shape& shape, int rank) const;
  // Whether operands are combined in the order of the ranks.
  bool ordered() const;
};

// How the ranks of a communicator are to be reordered, as its info says or else the environment.
struct ReorderWish {
  Reorder how = Reorder::off;
  const Pattern* pattern = nullptr;
};

// The choice for calls of `collective` with that wish, where it says nothing of it itself. Without
// it where it could not be: sizes of blocks that only the root knows, or that differ where the
// algorithm knows of none; an order that the algorithm cannot keep.
Choice with_wish(const Choice& choice, const Collective& collective, const ReorderWish& wish);

// The pattern of that name, as "ring". ChoiceError if there is none.
const Pattern& pattern_named(std::string_view name);

// "auto", "exchange", ... ChoiceError on anything else.
Reorder parse_reorder(std::string_view word);

// What is contributed, or the message, has this many bytes where reorder=auto has to be decided and
// the size of calls is not known.
inline constexpr std::int64_t reorder_bytes = 4096;

// Reads "NAME" or "NAME:PARAMETER=VALUE,...", where NAME is "native", "sparbit" or
// "allgather/sparbit", or that of an algorithm from outside (algorithms/outside.h). Every algorithm
// takes `travel=whole|packed|datatype|per_block`: how messages of several pieces travel, and
// `reorder=off|auto|straight|exchange|shuffle` and `pattern=ring|...`
// (topology/reorder/patterns.h). ChoiceError on anything else.
Choice parse_choice(const Collective& collective, std::string_view text);

}  // namespace toccata
