#pragma once

#include <memory>

#include "collectives/parameters.h"

namespace toccata {

class Placement;
struct Grid;
class Neighborhood;
struct Reordering;

// What an algorithm may decide by: that which every rank of the communicator knows. Never a rank's
// own counts, datatype or clock, or ranks would choose differently.
struct Shape {
  int p = 1;  // ranks
  Parameters parameters = {};
  int root = 0;   // of a collective that has one
  int parts = 1;  // blocks that the collective's unit is cut into; see Algorithm::parts
  std::shared_ptr<const Placement> placement = {};  // where ranks run; null if unknown
  std::shared_ptr<const Grid> grid = {};            // the mesh they are laid on; null without one
  // The neighbours, of a collective among neighbours: all ranks, or as ours sees it.
  std::shared_ptr<const Neighborhood> neighborhood = {};
  std::shared_ptr<const Reordering> reordering =
      {};  // which rank plays which; null if all play themselves
};

}  // namespace toccata
