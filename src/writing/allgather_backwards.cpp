#include "writing/allgather_backwards.h"

#include "schedule/backwards.h"
#include "writing/registry.h"

namespace toccata {

AllgatherBackwards::AllgatherBackwards(std::string_view name, int (*rounds)(const Shape& shape))
    : allgather_(*find_algorithm(allgather, name)), rounds_(rounds) {}

void AllgatherBackwards::write(const Shape& shape, int rank, ScheduleBuilder& schedule) const {
  const Schedule spreading = allgather_.schedule(shape, rank);
  const int rounds = rounds_ != nullptr ? rounds_(shape) : spreading.rounds();
  schedule.then(collecting(spreading, rounds, rank * shape.parts, shape.parts));
}

std::optional<Cost> AllgatherBackwards::claim(const Shape& shape) const {
  const std::optional<Cost> spreading = allgather_.claimed(shape);
  if (!spreading) return {};
  return Cost{.rounds = spreading->rounds,
              .messages = spreading->messages,
              .sent = std::int64_t{shape.parts} * (shape.p - 1),
              .copied = spreading->copied,
              .reduced = spreading->sent};
}

}  // namespace toccata
