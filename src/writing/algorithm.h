#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "schedule/builder.h"

namespace toccata {

// The cost of an algorithm: the maximum over the ranks.
struct Cost {
  std::int64_t rounds = 0;    // in which any rank has a message
  std::int64_t messages = 0;  // sent by a rank
  std::int64_t sent = 0;      // blocks sent by a rank
  std::int64_t copied = 0;    // blocks copied by a rank, including its own block to its place
  std::int64_t reduced = 0;   // blocks reduced into others by a rank

  bool operator==(const Cost&) const = default;

  // The cost of one after the other, if a rank has the most of both.
  Cost operator+(const Cost& later) const {
    return {rounds + later.rounds, messages + later.messages, sent + later.sent,
            copied + later.copied, reduced + later.reduced};
  }
  // The cost if every block is as long as `blocks` blocks.
  Cost of(std::int64_t blocks) const {
    return {rounds, messages, sent * blocks, copied * blocks, reduced * blocks};
  }
};

// Schedules from outside the library: from a file, or from a Python function. Such an algorithm is
// registered with add_outside (writing/outside.h).
class Outside {
 public:
  virtual ~Outside() = default;
  // The same as the members of Algorithm with these names.
  virtual std::string why_impossible(const Shape& shape) const = 0;
  virtual int parts(const Shape& shape) const = 0;
  virtual std::optional<Cost> claim(const Shape& shape) const = 0;
  virtual Schedule schedule(const Shape& shape, int rank) const = 0;
};

// The descriptor at the end of an algorithm's file. All other code that uses the algorithm,
// including tests, relies only on this descriptor.
struct Algorithm {
  std::string_view name;  // "sparbit"; the file's name
  const Collective& collective;
  std::string_view summary;   // one line
  std::string_view citation;  // "loch2021, algorithm 1": key in docs/references.bib, section
  // The cost according to the literature, for shapes for which there is a closed form. Proofs
  // compare it with the counts from the schedules (writing/count.h), which all other code uses.
  // If all shapes have a closed form, the function may return a Cost.
  std::function<std::optional<Cost>(const Shape& shape)> claim = nullptr;
  ParameterList parameters = {};

  // Whether blocks may be stored in places of other blocks, so that all must have the same size.
  bool blocks_alike = false;

  // Whether ranks forward blocks of other ranks. Such an algorithm cannot serve gatherv and
  // scatterv, because only the root knows every rank's sizes.
  bool relays = false;

  // For reductions: whether the algorithm keeps the order of the ranks, so that it can serve
  // operations that do not commute.
  bool ordered = false;
  // ... and whether it evaluates the standard expression of p ranks for every element, for any
  // root, parts, placement and grid. All such algorithms give the same bits. If 2^k is the greatest
  // power of two up to p, the first 2 (p - 2^k) ranks are combined in pairs. Then there are 2^k
  // operands, which are combined in pairs, and so on:
  //
  //   p = 6   ((0∘1) ∘ (2∘3)) ∘ (4 ∘ 5)
  //
  // A scan combines the ranks up to each rank as follows. It splits them into groups whose sizes
  // are the powers of two in their number. It combines each group in pairs, and then the groups
  // from the right. With 7 ranks: ((0∘1) ∘ (2∘3)) ∘ ((4∘5) ∘ 6).
  bool reproducible = false;

  // Whether it depends on the placement of the ranks, or on their mesh. If so, proofs try many of
  // these.
  bool by_placement = false;
  bool by_grid = false;

  // Whether it uses trees that were packed for the machine; the placement contains the machine.
  bool by_trees = false;

  // Whether its messages are published through shared memory. Rankings leave it out: inside a node,
  // the rule for nodes decides, or trials always include it.
  bool publishes = false;

  // The pattern of topology/reorder with which its ranks are reordered; if empty, the traffic of
  // its schedules decides.
  std::string_view pattern = {};

  // The number of parts into which it divides the collective's unit (a contribution, or a message):
  // segments, or pieces for several links. Each part is a block; parts are as equal as possible. If
  // this is null, there is one part.
  int (*parts)(const Shape& shape) = nullptr;

  // The reason why it cannot run in this shape, as the end of a sentence ("needs a power of two
  // ranks"); empty if it can.
  std::string (*impossible)(const Shape& shape) = nullptr;

  void (*write)(const Shape& shape, int rank, ScheduleBuilder& schedule);

  // If set, this replaces claim, parts, impossible and write.
  const Outside* outside = nullptr;

  // "allgather/sparbit"
  std::string path() const;
  // Whether it can serve calls of `called`: its own collective, or the vector form of that.
  bool serves(const Collective& called) const;
  std::string why_impossible(const Shape& shape) const;
  // The cost according to the literature, if known.
  std::optional<Cost> claimed(const Shape& shape) const;
  // Completes the shape of a communicator for this algorithm: adds parts, and parameters (default
  // values if none are given). If the neighbours are unknown, it adds those of a stencil.
  Shape complete(Shape shape) const;
  // One rank's schedule. The shape must be possible and complete. If it has a reordering, the
  // schedule is reordered.
  Schedule schedule(const Shape& shape, int rank) const;
};

}  // namespace toccata
