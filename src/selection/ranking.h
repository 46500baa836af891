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
// once for all sizes, and every round takes as long as the work of the busiest of them and a
// latency halfway between the longest and the mean, as if ranks waited for each other after each.
// Among many ranks, algorithms whose rounds grow as their number, and which write as long, are left
// out.
//
// Algorithms that are not proved are left out, too.
//
// Each algorithm counts in the quickest of its settings for a size, if that takes at least 5% less
// than the standard one; and where ranks may be played by others as a model finds best, in the
// quickest order. Its choice names both.
class Ranking {
 public:
  // The settings that are looked at: the standard one alone; or, among few ranks, also those that
  // differ from it in one parameter, a number being a quarter of it, twice or four times, a chain
  // being in 16 or 64 pieces.
  enum class Setting : bool { standard, near };

  // All of a collective, with their ranks reordered as wished; as a model finds best only in the
  // standard setting.
  Ranking(const Collective& collective, const Shape& known, const Model& model,
          const ReorderWish& wish = {}, Setting setting = Setting::near);
  // That choice alone, which can run there.
  Ranking(const Choice& choice, const Shape& known, const Model& model);
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
  class Sketcher;
  void add(const Sketcher& sketcher, const Choice& choice, const Shape& known);

  Model model_;
  std::vector<double>
      limits_;  // seconds a byte that leaves an object, or enters it: its ranks' all
  std::vector<Sketch> sketches_;  // those of an algorithm in a row: standard, as placed, first
};

// The shape of a choice in what is known of a communicator; if its order is the model's to find,
// for calls of reorder_bytes on a usual cluster. ChoiceError if the algorithm cannot run there.
Shape shape_of(const Choice& choice, const Shape& known);

// Of those ranked, the quickest first: what is to be tried without measurements. At most five, as
// a model of another machine may well have the best one fourth; none that takes more than four
// times as long as the first; and one of those that take the same to the last bit: they hardly
// differ, if they do.
std::vector<Ranking::Entry> worth_trying(const std::vector<Ranking::Entry>& ranked);

}  // namespace toccata
