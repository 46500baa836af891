#pragma once

#include <memory>
#include <optional>

#include "mpi/report.h"
#include "mpi/straight.h"
#include "schedule/schedule.h"
#include "selection/request.h"

namespace toccata {

// An algorithm made ready for one communicator.
struct Plan : std::enable_shared_from_this<Plan> {
  explicit Plan(const Collective& collective_, Choice choice_)
      : collective(collective_), choice(std::move(choice_)) {}

  const Collective& collective;
  Choice choice;
  int root = 0;            // where the collective has one
  Schedule schedule = {};  // this rank's; empty where the choice is native
  Units units = {};        // the schedule's
  std::optional<StraightProgram> straight = {};
  // Whether blocks differ though the algorithm takes them for alike: a SizedExecution runs it.
  bool sized = false;
  Report::Row* row = nullptr;

  int tags() const { return schedule.channels() * (sized ? 2 : 1); }
};

}  // namespace toccata
