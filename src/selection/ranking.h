#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model.h"
#include "selection/choice.h"

namespace toccata {

// A cluster as there are many, for those of whose machine nothing is known: 2 us and 10 GB/s a
// message between nodes, 0.4 us and 5 GB/s in one. Assumed, not measured.
const Model& usual_model();

// The algorithms of a collective that can run in a place, by what they take in a model.
//
// Quicker than analysis/cost.h, and coarser: only the schedules of some ranks are looked at
// (algorithms/count.h says which), once for all sizes, and every round takes as long as that of the
// slowest of them, as if ranks waited for each other after each. Among many ranks, algorithms whose
// rounds grow as their number, and which write as long, are left out.
class Ranking {
 public:
  Ranking(const Collective& collective, const Shape& known, const Model& model);
  ~Ranking();

  struct Entry {
    Choice choice;
    double seconds;
  };
  // For what a rank contributes, or the message, of `bytes`: the quickest first.
  std::vector<Entry> at(std::int64_t bytes) const;

  std::size_t memory() const;

 private:
  struct Sketch;
  Model model_;
  std::vector<Sketch> sketches_;
};

}  // namespace toccata
