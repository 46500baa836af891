#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "analysis/model.h"

namespace toccata {

struct CostOptions {
  // Whether to say what the critical path consists of; without, large cases take less time.
  bool terms = false;
  // Of how many messages the bytes queue up on the busiest link of a message's way, itself
  // included: the k of alpha + k·n·beta [chan2006, section 2]. `message` is its place among the
  // sends of that round of the sender. None given, links are not shared.
  std::function<double(int sender, int round, int message)> conflicts = {};
};

struct Prediction {
  std::string error = {};  // empty if every rank came to its end
  double seconds = 0;      // until the last rank has
  // How often each parameter of the model lies on the critical path: with coefficients(model),
  // their scalar product is `seconds`. Empty unless asked for.
  std::vector<double> terms = {};
};

// The time of a collective by a model: the schedules of all ranks are walked, each rank with a
// clock of its own. `bytes[d]` is the size of datum d; none given, every block has one byte. The
// placement of the shape says at which level two ranks talk; without one, all do over the network.
//
// A round of a rank begins when the one before has ended. Its sends are posted in order, each
// taking o; their bytes follow each other, g apart. An eager message leaves then, one by rendezvous
// when the receiver has come to its round as well. It has arrived alpha + n·beta later; where the
// sender's or the receiver's node has more to send in that round than its injection limit allows,
// the bytes take the longer. At the receiver bytes queue as well, in the order of its rounds, at
// the pace that its own node allows, and every message takes o. The round has ended when all has
// arrived and been sent; then come its local steps.
Prediction predict(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, std::span<const std::int64_t> bytes,
                   const Model& model, const CostOptions& options = {});

// The same for an algorithm in a possible and complete shape, whose unit (what a rank contributes,
// or the message) has `unit_bytes`, cut into parts as evenly as it can.
Prediction predict(const Algorithm& algorithm, const Shape& shape, std::int64_t unit_bytes,
                   const Model& model, const CostOptions& options = {});

// The bytes of each datum where the collective's unit has `unit_bytes`.
std::vector<std::int64_t> datum_bytes(const Collective& collective, const Shape& shape,
                                      std::int64_t unit_bytes);

}  // namespace toccata
