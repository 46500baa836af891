#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "schedule/schedule.h"

namespace toccata {

// What a walk tells of, in an order that a real run could have had.
class WalkVisitor {
 public:
  virtual ~WalkVisitor() = default;
  // `rank` posts the messages of its round; nothing of them has moved yet.
  virtual void opened(int /*rank*/, int /*round*/) {}
  // A send met its receive: now the blocks move.
  virtual void moved(int sender, const Message& send, int receiver, const Message& receive) = 0;
  // All messages of the round that `rank` had open have moved; its local steps follow.
  virtual void closed(int /*rank*/, int /*round*/) {}
  // A local step of a round whose messages have all moved.
  virtual void stepped(int rank, int round, const Step& copy) = 0;
};

// Runs the schedules of all ranks against each other, each rank in its own time. A round ends when
// each of its messages has met its counterpart (sends are synchronous, the strictest MPI there can
// be), so a schedule that would deadlock anywhere deadlocks here.
// Returns what is wrong, empty if every rank came to its end: ranks out of range, counterparts that
// differ in number of blocks or travel, deadlock, with what the peer does that is waited for.
std::string walk(std::span<const Schedule> schedules, WalkVisitor& visitor);

}  // namespace toccata
