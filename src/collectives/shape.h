#pragma once

#include <memory>

#include "collectives/parameters.h"

namespace toccata {

class Placement;
struct Grid;
class Neighborhood;
struct Reordering;

// The information on which an algorithm's decisions may depend: it is available on all ranks of the
// communicator. A rank's own counts, datatype or clock are excluded, because ranks could then
// decide differently.
struct Shape {
  int p = 1;  // ranks
  Parameters parameters = {};
  int root = 0;   // of a collective with a root
  int parts = 1;  // blocks per unit of the collective; see Algorithm::parts
  std::shared_ptr<const Placement> placement = {};  // where ranks run; null if unknown
  std::shared_ptr<const Grid> grid = {};            // the mesh of the ranks; null without one
  // For a neighbourhood collective: the neighbours of all ranks, or those that this rank knows.
  std::shared_ptr<const Neighborhood> neighborhood = {};
  std::shared_ptr<const Reordering> reordering =
      {};  // the roles of the ranks; null if every rank plays its own role
};

}  // namespace toccata
