#include "algorithms/allgather_backwards.h"

#include "algorithms/registry.h"
#include "schedule/backwards.h"

namespace toccata {

AllgatherBackwards::AllgatherBackwards(std::string_view name)
    : allgather_(*find_algorithm(allgather, name)) {}

void AllgatherBackwards::write(const Shape& shape, int rank, ScheduleBuilder& schedule) const {
  const Schedule spreading = allgather_.schedule(shape, rank);
  schedule.then(collecting(spreading, spreading.rounds(), rank * shape.parts, shape.parts));
}

}  // namespace toccata
