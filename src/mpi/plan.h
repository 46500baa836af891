#pragma once

#include <optional>

#include "mpi/report.h"
#include "mpi/straight.h"
#include "schedule/schedule.h"
#include "selection/request.h"

namespace toccata {

// An algorithm made ready for one communicator.
struct Plan {
  Choice choice;
  Schedule schedule = {};  // this rank's; empty where the choice is native
  std::optional<StraightProgram> straight = {};
  // Whether blocks differ though the algorithm takes them for alike: a SizedExecution runs it.
  bool sized = false;
  Report::Row* row = nullptr;

  int tags() const { return schedule.channels() * (sized ? 2 : 1); }
};

}  // namespace toccata
