#include "writing/algorithm.h"

#include "collectives/neighborhood.h"
#include "collectives/reordering.h"

namespace toccata {

std::string Algorithm::path() const {
  return std::string(collective.name) + "/" + std::string(name);
}

bool Algorithm::serves(const Collective& called) const {
  return &collective == &called.regular() && !(relays && called.vector_of != nullptr);
}

std::string Algorithm::why_impossible(const Shape& shape) const {
  if (outside != nullptr) return outside->why_impossible(shape);
  return impossible == nullptr ? "" : impossible(shape);
}

std::optional<Cost> Algorithm::claimed(const Shape& shape) const {
  if (outside != nullptr) return outside->claim(shape);
  return claim == nullptr ? std::nullopt : claim(shape);
}

Shape Algorithm::complete(Shape shape) const {
  shape = with_neighbors(collective, std::move(shape));
  if (shape.parameters.empty()) shape.parameters = Parameters(parameters);
  const bool cuts = (parts != nullptr || outside != nullptr) && why_impossible(shape).empty();
  shape.parts = !cuts ? 1 : outside != nullptr ? outside->parts(shape) : parts(shape);
  return shape;
}

Schedule Algorithm::schedule(const Shape& shape, int rank) const {
  if (shape.reordering != nullptr) return shape.reordering->write(*this, shape, rank);
  if (outside != nullptr) return outside->schedule(shape, rank);
  ScheduleBuilder builder;
  write(shape, rank, builder);
  return std::move(builder).build();
}

}  // namespace toccata
