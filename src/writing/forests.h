#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "patterns/binary_tree.h"
#include "writing/lanes.h"

namespace toccata {

// Several trees over the same vertices, which transport parts of a message at the same time. A tree
// of weight w transports w blocks of each segment.
struct Forest {
  std::vector<int> weights = {};  // by tree
  int depth = 0;                  // of the deepest tree, or more
  std::function<TreePlace(int tree, int vertex)> place = {};
  std::vector<int> roots = {};  // by tree, if trees of all vertices distribute their own blocks

  int blocks() const;  // the number of blocks of a segment

  // The cost over the trees, downwards, upwards or both: every edge of a tree of weight w carries
  // one message of w blocks per segment and direction. Roots of reductions copy their blocks.
  Cost cost(int vertices, bool upwards, bool downwards, int segments) const;

  // The schedule of a vertex; its peers are vertices. It uses the blocks 0 ... blocks() * segments
  // - 1 of recv, and of send in reductions, in the order of the trees. `down`: from the common root
  // of all trees. `up`: to this root. `up and down`: over trees with different roots.
  Schedule down(int vertex, int segments) const;
  Schedule up(int vertex, int segments) const;
  Schedule up_and_down(int vertex, int segments) const;
};

// Collectives over a forest of the ranks, or of the nodes as `Lanes` numbers them. In a forest of
// the nodes, each rank of a node sends a part of the message over the same trees. The parts are
// scattered and gathered inside the nodes.
class OverForest {
 public:
  static const Parameter& segments();

  OverForest(Forest of_ranks, int segments) : forest_(std::move(of_ranks)), segments_(segments) {}
  OverForest(Lanes lanes, Forest of_nodes, int segments)
      : lanes_(std::move(lanes)), forest_(std::move(of_nodes)), segments_(segments) {}

  int parts() const { return (lanes_ ? lanes_->number() : 1) * width(); }
  // The cost if the trees connect p ranks; trees of nodes have no closed form.
  std::optional<Cost> claim(int p, bool upwards, bool downwards) const {
    if (lanes_) return {};
    return forest_.cost(p, upwards, downwards, segments_);
  }
  void bcast(ScheduleBuilder& schedule, int rank) const;
  void reduce(ScheduleBuilder& schedule, int rank, bool is_root) const;
  void allreduce(ScheduleBuilder& schedule, int rank) const;

 private:
  int width() const { return forest_.blocks() * segments_; }

  std::optional<Lanes> lanes_;
  Forest forest_;
  int segments_;
};

// Collectives over trees of a torus that do not share links. The torus is the machine's network if
// all its cells have ranks and some have several, otherwise the mesh of the ranks.
class TorusTrees {
 public:
  static const Parameter& how_many();
  static std::string why_impossible(const Shape& shape);
  static int parts(const Shape& shape);
  static OverForest over(const Shape& shape);
  // The depth of the trees according to the paper: for one rank per cell, dimensions of at least 3,
  // and all trees. Every link that does not lead to the root then carries all segments of one tree.
  static std::optional<int> known_depth(const Shape& shape);
};

// Whether the machine has packed trees and all its nodes have ranks.
bool has_packed_trees(const Shape& shape);

// Collectives over trees packed for the machine's nodes. Without such trees, they use a chain
// through the nodes. On a tree of switches, this loads every link as little as possible.
class PackedForest {
 public:
  // If `rooted`, the trees are those of the root's node, otherwise those for allreduces.
  static OverForest over(const Shape& shape, bool rooted);
};

// The trees of an allgather, which begin at all ranks with the same weight; in reverse, those of a
// reduce-scatter. Without packed trees for these ranks, each tree is a chain round all ranks, node
// by node.
class PackedAllgather {
 public:
  static const Parameter& number_of_segments();

  explicit PackedAllgather(const Shape& shape);

  const Forest& forest() const { return forest_; }
  int segments() const { return segments_; }
  int pieces() const { return pieces_; }  // of a segment
  int parts() const { return segments_ * pieces_; }
  // The cost along chains. For other trees, there is no closed form for the number of messages.
  std::optional<Cost> claim() const;

 private:
  Forest forest_;
  bool chains_ = false;
  int segments_ = 1, pieces_ = 1;
};

}  // namespace toccata
