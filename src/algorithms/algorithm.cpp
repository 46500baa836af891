#include "algorithms/algorithm.h"

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
  return impossible == nullptr ? "" : impossible(shape);
}

Shape Algorithm::complete(Shape shape) const {
  shape = with_neighbors(collective, std::move(shape));
  if (shape.parameters.empty()) shape.parameters = Parameters(parameters);
  shape.parts = parts == nullptr || !why_impossible(shape).empty() ? 1 : parts(shape);
  return shape;
}

Schedule Algorithm::schedule(const Shape& shape, int rank) const {
  if (shape.reordering != nullptr) return shape.reordering->write(*this, shape, rank);
  ScheduleBuilder builder;
  write(shape, rank, builder);
  return std::move(builder).build();
}

}  // namespace toccata
