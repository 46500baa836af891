#pragma once

#include <optional>
#include <vector>

#include "topology/placement.h"

namespace toccata {

// The cores of ranks to which no rank has been mapped yet. A core is identified by the rank that
// runs there. Searches for the free core that is closest to a reference: find_closest_to of
// [mirsadeghi2016, algorithm 1].
//
// In the order of the machine's tree, the cores of every object are consecutive. The innermost
// object that contains the reference and a free core contains all the closest ones. So each level
// needs one search for the lowest free core in a row, O(levels · log p), without any distances. On
// a mesh, boxes of cells are searched, the closest first.
class FreeCores {
 public:
  // Among equally close ones, takes the lowest in the machine; with a seed, a random one.
  explicit FreeCores(const Placement& placement, std::optional<unsigned> seed = {});

  void take(int rank);
  // Takes the closest free core, which must exist.
  int take_closest_to(int rank);

 private:
  static constexpr int none = 0x7fffffff;

  struct Row {
    int first, end;
  };
  int lowest(Row row) const;

  // A box of cells, halved until it is one cell; its halves, if any, are in boxes_ from `halves`
  // on.
  struct Box {
    std::vector<int> low, high;
    int halves = 0;
    int outer = -1;
    int best = none;  // the lowest priority of a free core in it
  };
  struct Found {
    int distance, turn;
    auto operator<=>(const Found&) const = default;
  };
  void halve(int box, const Mesh& mesh);
  int distance_to(const Box& box, const std::vector<int>& cell) const;
  void search(int box, const std::vector<int>& cell, Found& found) const;

  const Placement* placement_;
  std::vector<int> position_;           // by rank, in the order of the tree
  std::vector<int> turn_, by_turn_;     // by rank, its priority among equals; and the inverse
  std::vector<int> tree_;               // of lowest priorities, leaves by position
  std::vector<std::vector<Row>> rows_;  // by level, by region
  std::vector<Box> boxes_;
  std::vector<int> box_of_cell_;
};

}  // namespace toccata
