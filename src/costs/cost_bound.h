#pragma once

#include <cstdint>

#include "collectives/collective.h"
#include "costs/model.h"

namespace toccata {

// A lower bound, in seconds, on the time of every algorithm and schedule under a model. The maximum
// of:
// - bytes of a rank: the data that it must receive, or that only it can send. They pass one link at
//   the lowest beta, after the lowest latency;
// - bytes of an object of the machine: the data that its ranks must receive from other objects, or
//   send to them. They pass the links of its ranks, at the lowest beta of the levels further out;
// - messages: data of one rank must reach p ranks, or data of all p ranks must reach one. During a
//   latency, every rank that has the data sends it to as many others as gaps and overheads allow.
//   Each object of a level sends as many messages as all of its ranks together, with the latencies
//   of the levels further out [chan2006, section 3; bienz2022, section 3].
// If the model has the costs of publishing, one flag reaches all ranks of a node after its latency,
// and the bytes of a rank take at least the faster of writing and reading.
// Local steps and injection limits are not counted: `predict` applies limits per round, and rounds
// do not happen at the same time everywhere.
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
