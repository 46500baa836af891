#include "writing/reduce_scatter_allgather.h"

#include "schedule/combinators.h"
#include "writing/registry.h"

namespace toccata {

ReduceScatterAllgather::ReduceScatterAllgather(std::string_view name,
                                               int (*rounds)(const Shape& shape))
    : reduce_scatter_(*find_algorithm(reduce_scatter, name)),
      allgather_(*find_algorithm(allgather, name)),
      rounds_(rounds) {}

Shape ReduceScatterAllgather::half(const Shape& shape) const {
  return allgather_.complete({.p = shape.p, .placement = shape.placement, .grid = shape.grid});
}

int ReduceScatterAllgather::parts(const Shape& shape) const { return shape.p * half(shape).parts; }

void ReduceScatterAllgather::write(const Shape& shape, int rank, ScheduleBuilder& schedule) const {
  const Shape inner = half(shape);
  const BlockMap all = BlockMap::affine(Buffer::recv, 0);
  const BlockMap own = BlockMap::affine(Buffer::recv, rank * inner.parts);
  schedule
      .then(on(reduce_scatter_.schedule(inner, rank), BlockMap::affine(Buffer::send, 0), own),
            rounds_ != nullptr ? 1 + rounds_(inner) : 0)
      .then(on(allgather_.schedule(inner, rank), own, all));
}

std::optional<Cost> ReduceScatterAllgather::claim(const Shape& shape) const {
  const Shape inner = half(shape);
  const std::optional<Cost> first = reduce_scatter_.claimed(inner);
  const std::optional<Cost> second = allgather_.claimed(inner);
  if (!first || !second) return {};
  return *first + *second;
}

}  // namespace toccata
