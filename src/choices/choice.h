#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "choices/reorder.h"
#include "writing/algorithm.h"

namespace toccata {

// An impossible request; what() is one line with the accepted values.
class ChoiceError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// An algorithm with its parameters, or the native algorithm (`algorithm` null).
struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters = {};
  Travel travel = Travel::whole;   // for messages whose travel the algorithm leaves open
  Reorder reorder = Reorder::off;  // whether other ranks may play its roles, if that helps

  const Pattern* pattern = nullptr;  // the pattern for the mapping; null: the algorithm's own

  bool native() const { return algorithm == nullptr; }
  bool operator==(const Choice& other) const = default;
  // "sparbit:messages=per_block" or "native"
  std::string text() const;
  // The shape of this choice for a known communicator (p, root, placement, grid). ChoiceError if
  // the algorithm cannot run there. If the model has to find the order, use shape_of()
  // (choices/ranking.h).
  Shape in(const Shape& known) const;
  // One rank's schedule in such a shape. Call `in` first, once: finding a reordering takes as long
  // as the schedules of p ranks.
  Schedule schedule(const Shape& shape, int rank) const;
  // Whether operands are combined in the order of the ranks.
  bool ordered() const;
  // Whether messages inside a node use its memory.
  bool publishes() const;
};

// How to reorder the ranks of a communicator, according to its info or else the environment.
struct ReorderWish {
  Reorder how = Reorder::off;
  const Pattern* pattern = nullptr;
};

// The choice for calls of `collective`, with the wish for everything that it leaves open. The wish
// is ignored if it is impossible: only the root knows the sizes of blocks, sizes differ and the
// algorithm does not know them, or the algorithm cannot keep that order.
Choice with_wish(const Choice& choice, const Collective& collective, const ReorderWish& wish);

// The pattern of that name, such as "ring". ChoiceError if there is none.
const Pattern& pattern_named(std::string_view name);

// "auto", "exchange", ... ChoiceError on anything else.
Reorder parse_reorder(std::string_view word);

// The bytes of a contribution or message for which reorder=auto is decided if the size of calls is
// unknown.
inline constexpr std::int64_t reorder_bytes = 4096;

// Reads "NAME" or "NAME:PARAMETER=VALUE,...". NAME is "native", "sparbit" or "allgather/sparbit",
// or the name of an algorithm from outside (writing/outside.h). Every algorithm accepts
// `travel=whole|packed|datatype|per_block` (how messages of several pieces travel),
// `reorder=off|auto|straight|exchange|shuffle` and `pattern=ring|...`
// (topology/reorder/patterns.h). ChoiceError on anything else.
Choice parse_choice(const Collective& collective, std::string_view text);

}  // namespace toccata
