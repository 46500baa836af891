#pragma once

#include <string_view>

#include "writing/algorithm.h"

namespace toccata {

// A flat algorithm (without levels), as a part of an algorithm by levels. Allgathers receive every
// block in its final place, so they can use parts of our recv. The algorithm by levels divides the
// message into segments, not the flat one. Parameters have their values for this (Parameter::flat).
// The root is rank 0.
class Flat {
 public:
  // `name` is the name of the algorithm's file, which must exist. `radix` is the value of its
  // parameter "radix" or "in_flight"; 0 means the default.
  Flat(const Collective& collective, std::string_view name, int radix = 0);

  const Algorithm& algorithm() const { return algorithm_; }
  Schedule schedule(int p, int rank) const { return algorithm_.schedule(shape(p), rank); }
  // The number of parts into which it divides its message.
  int parts(int p) const { return shape(p).parts; }
  // The maximum number of rounds of any rank. It is counted from the first two ranks and the last
  // rank, because patterns begin and end there. Proofs detect rounds that are not aligned.
  int rounds(int p) const { return extent(p).rounds; }
  // The number of rounds after which the next segment of a message may start: the maximum number of
  // messages that one of these ranks sends or receives one after the other.
  int segment_interval(int p) const { return static_cast<int>(extent(p).segment_interval); }
  // The algorithm's claim, which it must have.
  Cost claim(int p) const { return algorithm_.claimed(shape(p)).value(); }
  // The claim of an allreduce as a part. It copies less than alone, because `on` leaves out copies
  // of blocks to their own places. If contributions are in recv, it is `in_place`. The copies have
  // no closed form except in recursive doubling and around a ring.
  std::optional<Cost> claim_of_allreduce(int p, bool in_place) const;
  std::string why_impossible(int p) const { return algorithm_.why_impossible(shape(p)); }

 private:
  struct Extent {
    int rounds = 0;
    std::int64_t segment_interval = 0;
  };
  const Extent& extent(int p) const;
  Shape shape(int p) const { return algorithm_.complete({.p = p, .parameters = parameters_}); }

  const Algorithm& algorithm_;
  int radix_;
  Parameters parameters_;
};

}  // namespace toccata
