#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "writing/levels.h"

namespace toccata {

// Each lane has one rank of each node: the rank whose local number is that of the lane. On a node
// with fewer ranks, a rank is in several lanes. So all lanes reach all nodes.
//
//   5 ranks on nodes 0 1 2 | 3 4      lanes  {0 3} {1 4} {2 3}
//
// The root's node comes first, and the root is the first rank of its node, so it is the first of
// lane 0.
class Lanes {
 public:
  // The maximum number of lanes; 0 means the number of ranks of the largest node.
  static const Parameter& how_many();

  Lanes(const Shape& shape, int number);

  // Whether nodes divide the ranks; otherwise all ranks are in one lane.
  bool divide() const { return levels_.number() > 1; }
  int number() const { return number_; }
  int root() const { return root_; }
  int nodes() const { return regions_->number(); }
  int ranks() const { return regions_->ranks(); }
  bool even() const { return regions_->even(); }
  // A rank's node, and its place on the node; both are counted from the root.
  int node(int rank) const { return (regions_->of(rank) - first_ + nodes()) % nodes(); }
  int place(int rank) const;
  int size(int node) const { return regions_->size(region(node)); }
  // The first rank of a node in this order.
  int first_of(int node) const { return at(0, node); }

  // If the message has `width` blocks per lane: the blocks of the lanes that a rank carries, and
  // those of each rank of its node.
  BlockMap carried_by(int rank, Buffer buffer, int width) const;
  BlockMap carried_in_node(int rank, Buffer buffer, int width) const;

  // If there is one block per rank, and no root: a lane serves the ranks whose place, modulo the
  // number of lanes, is the number of the lane. `served` is the number of these ranks on a node, or
  // on all nodes.
  int served(int lane, int node) const {
    return lane < size(node) ? (size(node) - 1 - lane) / number_ + 1 : 0;
  }
  int served(int lane) const;
  bool is_for(int lane, int rank) const { return place(rank) % number_ == lane; }
  // `by_node`: the blocks of these ranks, as one block per node. `carried_by`: the blocks of all
  // lanes that a rank carries. `carried_in_node`: the same for each rank of its node. `of_node`: in
  // recv, the blocks of all ranks of a node.
  BlockMap by_node(int lane, Buffer buffer) const;
  BlockMap carried_by(int rank, Buffer buffer) const;
  BlockMap carried_in_node(int rank, Buffer buffer) const;
  BlockRanges of_node(int node) const;

  // Runs a collective inside each node, or only inside the root's node.
  enum class Nodes : std::uint8_t { all, the_roots };
  void in_nodes(ScheduleBuilder& schedule, int rank, const Flat& flat, const BlockMap& send,
                const BlockMap& recv, Nodes nodes = Nodes::all) const;

  // Runs a collective in each lane that the rank carries, with blocks at the places that the maps
  // return.
  using PerLane = std::function<BlockMap(int lane)>;
  void in_lanes(ScheduleBuilder& schedule, int rank, const Flat& flat, const PerLane& send,
                const PerLane& recv) const;
  // The same for `width` blocks of recv per lane, in `segments` segments. Contributions are also in
  // recv. If nodes do not divide the ranks, they are still in send, because no earlier step has
  // run.
  void in_lanes(ScheduleBuilder& schedule, int rank, const Flat& flat, int width,
                int segments = 1) const;

  // The same with the schedule of the rank's node among the nodes, in the order of `node`; no node
  // has more than `rounds` rounds.
  void in_lanes(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds,
                int width) const;

  // Whether every rank is in one lane, which has one rank on every node.
  bool one_each() const { return even() && number_ == regions_->largest(); }
  // The claim of a collective inside even nodes; there is none if nodes do not divide the ranks.
  Cost claim_in_node(const Flat& flat) const { return divide() ? flat.claim(size(0)) : Cost{}; }
  // The number of rounds of both, one after the other.
  int rounds(const Flat& in_lane, const Flat& inside) const;

 private:
  int region(int node) const { return node + first_ - (node + first_ < nodes() ? 0 : nodes()); }
  int at(int place, int node) const {
    const auto members = regions_->members(region(node));
    const std::size_t from = place + (node == 0 ? regions_->local(root_) : 0);
    return members[from < members.size() ? from : from % members.size()];  // usually without %
  }
  BlockRanges blocks_at(int place, int node, Buffer buffer, int width) const;
  BlockRanges blocks_at(int place, int node, Buffer buffer) const;
  // Whether the ranks of each lane are equally spaced.
  bool regular() const;
  void add_blocks(BlockRanges& blocks, int lane, int node, Buffer buffer) const;
  void in_lanes(ScheduleBuilder& schedule, int rank, const Schedule& own, int rounds,
                const PerLane& send, const PerLane& recv) const;

  std::shared_ptr<const Regions> regions_;
  Levels levels_;
  int number_;
  int root_, first_;  // the root, its region
};

}  // namespace toccata
