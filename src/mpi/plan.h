#pragma once

#include <cstddef>
#include <optional>

#include "mpi/straight.h"
#include "node/program.h"
#include "schedule/schedule.h"

namespace toccata {

// One rank's schedule of an algorithm, ready to run; the same for all communicators of that shape.
struct Plan {
  Schedule schedule = {};
  Units units = {};  // the schedule's
  std::optional<StraightProgram> straight = {};
  bool publishes = false;                     // some messages are for shared memory
  std::optional<node::Program> program = {};  // all messages are
  // Whether blocks differ in size although the algorithm treats them as equal: a SizedExecution
  // runs it.
  bool sized = false;

  // The maximum number of blocks per message, if the plan only moves data, without publications,
  // and each message is one contiguous range of blocks or sends each block by itself; otherwise 0.
  int longest_stretch = 0;

  int tags() const { return schedule.channels() * (sized ? 2 : 1); }
  std::size_t memory() const {
    return sizeof *this + schedule.memory() + (straight ? straight->memory() : 0) +
           (program ? program->memory() : 0);
  }
};

}  // namespace toccata
