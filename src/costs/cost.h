#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "costs/model.h"
#include "writing/algorithm.h"

namespace toccata {

struct CostOptions {
  // Whether to return the terms of the critical path; without them, large cases take less time.
  bool terms = false;
  // The number of messages (including this one) whose bytes share the busiest link on a message's
  // path: the k of alpha + k·n·beta [chan2006, section 2]. `message` is its index among the
  // sender's sends of that round. If not set, links are not shared.
  std::function<double(int sender, int round, int message)> conflicts = {};
  // When each rank arrives, in seconds; empty if all arrive at time 0. Such times are not terms of
  // the critical path.
  std::vector<double> arrivals = {};
};

struct Prediction {
  std::string error = {};  // empty if every rank finished
  double seconds = 0;      // until the last rank finished
  // How often each parameter of the model lies on the critical path. The scalar product with
  // coefficients(model) is `seconds`. Empty unless requested.
  std::vector<double> terms = {};
};

// The time of a collective by a model. The schedules of all ranks are walked, each rank with its
// own clock. `bytes[d]` is the size of datum d; if empty, every block has one byte. The placement
// of the shape determines at which level two ranks communicate; without one, all use the network.
//
// A round of a rank begins when the previous one has ended. The rank posts its sends in order; each
// takes o. Their bytes follow each other, g apart. An eager message leaves at that time, a
// rendezvous message when the receiver has also reached its round. It arrives alpha + n·beta later.
// If the sender's or the receiver's node sends more in that round than its injection limit allows,
// the bytes take longer. At the receiver, bytes also queue, in the order of its rounds, at the rate
// that its node allows. Every message takes o there. When all messages of the round have been sent
// and have arrived, its local steps follow.
//
// If the model has the costs of publishing (Model::Publishing), published blocks between ranks of a
// node do not pass a link: the publisher writes them once, at that point of its sends, and each
// reader reads them as soon as it sees them. The publisher does not wait for its readers.
Prediction predict(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, std::span<const std::int64_t> bytes,
                   const Model& model, const CostOptions& options = {});

// The same for an algorithm in a possible and complete shape. Its unit (a rank's contribution, or
// the message) has `unit_bytes`, cut into parts as evenly as possible.
Prediction predict(const Algorithm& algorithm, const Shape& shape, std::int64_t unit_bytes,
                   const Model& model, const CostOptions& options = {});

// The bytes of each datum if the collective's unit has `unit_bytes`.
std::vector<std::int64_t> datum_bytes(const Collective& collective, const Shape& shape,
                                      std::int64_t unit_bytes);

}  // namespace toccata
