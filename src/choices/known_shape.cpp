#include "choices/known_shape.h"

#include "topology/placements.h"
#include "topology/readers.h"

namespace toccata {

Shape known(Placement placement) {
  Shape shape{.p = placement.p()};
  shape.grid = grid_of(placement);
  shape.placement = std::make_shared<const Placement>(std::move(placement));
  return shape;
}

Shape known(int p, std::string_view machine, std::string_view placement) {
  return known(place(std::make_shared<const Machine>(read_machine(machine)), p, placement));
}

}  // namespace toccata
