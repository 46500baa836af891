#pragma once

#include <cstddef>
#include <optional>

#include "mpi/execution/straight.h"
#include "node/program.h"
#include "schedule/schedule.h"

namespace toccata {

// One rank's schedule of an algorithm, ready to run; all communicators of that shape share it.
struct Plan {
  Schedule schedule = {};
  Units units = {};  // the schedule's
  std::optional<StraightProgram> straight = {};
  bool publishes = false;                     // some messages use shared memory
  std::optional<node::Program> program = {};  // if all messages do
  // Whether blocks differ in size although the algorithm treats them as equal. A SizedExecution
  // then runs the plan.
  bool sized = false;

  // The maximum number of blocks per message. 0 if the plan reduces or publishes, or if a message
  // has several blocks that are neither one contiguous range nor sent one by one.
  int longest_stretch = 0;

  int tags() const { return schedule.channels() * (sized ? 2 : 1); }
  std::size_t memory() const {
    return sizeof *this + schedule.memory() + (straight ? straight->memory() : 0) +
           (program ? program->memory() : 0);
  }
};

}  // namespace toccata
