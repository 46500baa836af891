#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "schedule/builder.h"

namespace toccata {

// What an algorithm costs, in closed form: the largest over the ranks.
struct Cost {
  std::int64_t rounds = 0;    // length of the longest chain of messages
  std::int64_t messages = 0;  // sent by a rank
  std::int64_t sent = 0;      // blocks sent by a rank
  std::int64_t copied = 0;    // blocks copied by a rank, its own block's way into place included

  bool operator==(const Cost&) const = default;
};

// The descriptor that stands at the end of an algorithm's file. All that is known of an algorithm
// from outside, its tests included, is derived from it.
struct Algorithm {
  std::string_view name;  // "sparbit"; the file's name
  const Collective& collective;
  std::string_view summary;   // one line
  std::string_view citation;  // "loch2021, algorithm 1": key of docs/references.bib, and where
  std::vector<Parameter> parameters = {};

  // Whether blocks are parked where others belong, so that all must have one size.
  bool blocks_alike = false;

  // Whether it goes by where ranks run, or by the mesh they are laid on. Proofs then try many.
  bool by_placement = false;
  bool by_grid = false;

  // Into how many parts it cuts the collective's unit (a contribution, or a message), each of
  // which is a block: segments, pieces for several links. Null: 1. Cut as evenly as counts allow.
  int (*parts)(const Shape& shape) = nullptr;

  // Why it cannot run in this shape, as the end of a sentence ("needs a power of two ranks"); empty
  // if it can.
  std::string (*impossible)(const Shape& shape) = nullptr;

  Cost (*cost)(const Shape& shape);
  void (*write)(const Shape& shape, int rank, ScheduleBuilder& schedule);

  // "allgather/sparbit"
  std::string path() const;
  std::string why_impossible(const Shape& shape) const;
  // What the algorithm adds to what is known of the communicator: parameters, where none are given
  // at their standard, and parts.
  Shape complete(Shape shape) const;
  // One rank's schedule. The shape must be possible and complete.
  Schedule schedule(const Shape& shape, int rank) const;
};

}  // namespace toccata
