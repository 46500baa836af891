#pragma once

#include <cstdint>

#include "analysis/model.h"
#include "collectives/collective.h"

namespace toccata {

// Seconds below which no algorithm, by any schedule, does a collective under a model: the larger of
// - bytes: what a rank must receive and does not hold, or must give away and no other rank holds,
//   passes one link at the least beta, after the least latency; and what all ranks of an object of
//   the machine must get from or give to others passes their links, at the least beta further out;
// - messages: something that a rank alone holds has to come to p ranks, or something of all p to
//   one. In the time of a latency every rank that has it tells as many others as gaps and overheads
//   allow; among the objects of a level, each tells as many as all of its ranks can, with the
//   latencies of the levels further out [chan2006, section 3; bienz2022, section 3].
// Local steps and injection limits are not counted: these, predict shares out by rounds, which are
// not the same time everywhere.
class LowerBound {
 public:
  LowerBound(const Collective& collective, const Shape& shape, const Model& model);

  // `unit_bytes` as in predict.
  double operator()(std::int64_t unit_bytes) const;

 private:
  double messages_ = 0;  // seconds
  double latency_ = 0;
  double bytes_ = 0;  // seconds for each byte of a unit
  double start_ = 0;
};

}  // namespace toccata
