#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "schedule/builder.h"

namespace toccata {

// What an algorithm costs: the largest over the ranks.
struct Cost {
  std::int64_t rounds = 0;    // in which any rank has a message
  std::int64_t messages = 0;  // sent by a rank
  std::int64_t sent = 0;      // blocks sent by a rank
  std::int64_t copied = 0;    // blocks copied by a rank, its own block's way into place included
  std::int64_t reduced = 0;   // blocks reduced into others by a rank

  bool operator==(const Cost&) const = default;
};

// Schedules that no function of ours writes: they come from a file, or from a Python function.
// Such an algorithm is known by add_outside (algorithms/outside.h).
class Outside {
 public:
  virtual ~Outside() = default;
  // As the members of Algorithm that have these names.
  virtual std::string why_impossible(const Shape& shape) const = 0;
  virtual int parts(const Shape& shape) const = 0;
  virtual std::optional<Cost> claim(const Shape& shape) const = 0;
  virtual Schedule schedule(const Shape& shape, int rank) const = 0;
};

// The descriptor that stands at the end of an algorithm's file. All that is known of an algorithm
// from outside, its tests included, is derived from it.
struct Algorithm {
  std::string_view name;  // "sparbit"; the file's name
  const Collective& collective;
  std::string_view summary;   // one line
  std::string_view citation;  // "loch2021, algorithm 1": key of docs/references.bib, and where
  // What the literature says that it costs, where there is a closed form. Proofs hold it to what is
  // counted in the schedules (algorithms/count.h), which all other code uses.
  Cost (*claim)(const Shape& shape) = nullptr;
  ParameterList parameters = {};

  // Whether blocks are parked where others belong, so that all must have one size.
  bool blocks_alike = false;

  // Whether ranks pass on blocks that are not theirs. Where only the root knows every rank's sizes,
  // in gatherv and scatterv, such an algorithm cannot serve.
  bool relays = false;

  // Of one that reduces: whether it keeps the order of the ranks, and so serves operations that do
  // not commute.
  bool ordered = false;
  // ... and whether it evaluates the standard expression of p ranks for every element, whatever
  // the root, the parts, the placement and the grid, so that all such algorithms give the same
  // bits. With 2^k <= p, the first 2 (p - 2^k) ranks are combined in pairs, then these 2^k
  // operands in pairs, and so on:
  //
  //   p = 6   ((0∘1) ∘ (2∘3)) ∘ (4 ∘ 5)
  //
  // Of the ranks up to each, as scan has them, those of every power of two in their number are
  // combined in pairs, and then these from the right: of 7, ((0∘1) ∘ (2∘3)) ∘ ((4∘5) ∘ 6).
  bool reproducible = false;

  // Whether it depends on where ranks run, or by the mesh they are laid on. Proofs then try many.
  bool by_placement = false;
  bool by_grid = false;

  // Whether it goes by trees that were packed for the machine, which comes with its placement.
  bool by_trees = false;

  // Whether its messages are published, for shared memory, which models do not price yet: no
  // ranking proposes it.
  bool publishes = false;

  // Which pattern of topology/reorder its ranks are mapped by where they are reordered; where none
  // is named, what its schedules send decides.
  std::string_view pattern = {};

  // Into how many parts it cuts the collective's unit (a contribution, or a message), each of
  // which is a block: segments, pieces for several links. Null: 1. Cut as evenly as counts allow.
  int (*parts)(const Shape& shape) = nullptr;

  // Why it cannot run in this shape, as the end of a sentence ("needs a power of two ranks"); empty
  // if it can.
  std::string (*impossible)(const Shape& shape) = nullptr;

  void (*write)(const Shape& shape, int rank, ScheduleBuilder& schedule);

  // Answers instead of claim, parts, impossible and write, where it is set.
  const Outside* outside = nullptr;

  // "allgather/sparbit"
  std::string path() const;
  // Whether calls of `called` can be served: its own collective's, and those of its vector form.
  bool serves(const Collective& called) const;
  std::string why_impossible(const Shape& shape) const;
  // What the literature says that it costs, if it says so.
  std::optional<Cost> claimed(const Shape& shape) const;
  // What the algorithm adds to what is known of the communicator: parameters, where none are given
  // at their standard, and parts; and, if the neighbours are unknown, a stencil's ranks.
  Shape complete(Shape shape) const;
  // One rank's schedule. The shape must be possible and complete; where it has a reordering, that
  // is in there.
  Schedule schedule(const Shape& shape, int rank) const;
};

}  // namespace toccata
