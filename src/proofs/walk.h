#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "schedule/schedule.h"

namespace toccata {

// Receives the events of a walk, in an order that is possible in a real run.
class WalkVisitor {
 public:
  virtual ~WalkVisitor() = default;
  // `rank` posts the messages of its round; none of them has moved yet.
  virtual void opened(int /*rank*/, int /*round*/) {}
  // A send met its receive: the blocks move now.
  virtual void moved(int sender, const Message& send, int receiver, const Message& receive) = 0;
  // All messages of the open round of `rank` have moved; its local steps follow.
  virtual void closed(int /*rank*/, int /*round*/) {}
  // A local step of a round whose messages have all moved.
  virtual void stepped(int rank, int round, const Step& copy) = 0;
};

// Runs the schedules of all ranks against each other, each rank at its own pace. A round ends when
// each of its messages has met its counterpart. Sends are synchronous, as in the strictest possible
// MPI, so a schedule that deadlocks anywhere deadlocks here. Returns the error; empty if every rank
// finished. Errors are ranks out of range, counterparts with different numbers of blocks or
// different travel, and deadlocks, with the state of the awaited peer.
std::string walk(std::span<const Schedule> schedules, WalkVisitor& visitor);

}  // namespace toccata
