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
  // Where blocks of different sizes have to be padded: the allgather by which ranks agree on one.
  const Plan* agreement = nullptr;
  Report::Row* row = nullptr;
};

}  // namespace toccata
