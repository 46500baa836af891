#include "writing/forests.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "patterns/torus_forest.h"
#include "schedule/backwards.h"
#include "schedule/combinators.h"
#include "topology/division.h"
#include "topology/placements.h"
#include "writing/pipelined_trees.h"
#include "writing/torus.h"

namespace toccata {

int Forest::blocks() const {
  return std::max(1, std::accumulate(weights.begin(), weights.end(), 0));
}

Cost Forest::cost(int vertices, bool upwards, bool downwards, int segments) const {
  Cost cost;
  for (int vertex = 0; vertex < vertices; ++vertex) {
    std::int64_t messages = 0, sent = 0, copied = 0, reduced = 0;
    for (std::size_t tree = 0; tree < weights.size(); ++tree) {
      const TreePlace at = place(static_cast<int>(tree), vertex);
      const std::int64_t children = std::ssize(at.children), parents = at.parent >= 0 ? 1 : 0;
      const std::int64_t all = (downwards ? children : 0) + (upwards ? parents : 0);
      messages += all;
      sent += all * weights[tree];
      copied += upwards ? (1 - parents) * weights[tree] : 0;
      reduced += upwards ? children * weights[tree] : 0;
    }
    cost.messages = std::max(cost.messages, messages * segments);
    cost.sent = std::max(cost.sent, sent * segments);
    cost.copied = std::max(cost.copied, copied * segments);
    cost.reduced = std::max(cost.reduced, reduced * segments);
  }
  if (vertices > 1) cost.rounds = (upwards && downwards ? 2 : 1) * depth + segments - 1;
  return cost;
}

namespace {

// The schedules over all trees. The blocks of a tree follow those of the previous trees.
template <typename OverTree>
Schedule over_all(const Forest& forest, int vertex, int segments, OverTree&& over_tree) {
  std::vector<Schedule> all;
  int first = 0;
  for (int tree = 0; tree < static_cast<int>(forest.weights.size()); ++tree) {
    const int weight = forest.weights[tree];
    const auto blocks = [&](Buffer buffer) {
      return BlockMap::affine(buffer, first, weight, weight);
    };
    all.push_back(
        on(over_tree(forest.place(tree, vertex)), blocks(Buffer::send), blocks(Buffer::recv)));
    first += weight * segments;
  }
  return beside(all);
}

bool is_root(const Forest& forest, int vertex) {
  return forest.weights.empty() || forest.place(0, vertex).parent < 0;
}

}  // namespace

Schedule Forest::down(int vertex, int segments) const {
  return over_all(*this, vertex, segments,
                  [&](const TreePlace& at) { return toccata::down(at, segments); });
}

Schedule Forest::up(int vertex, int segments) const {
  return collecting(down(vertex, segments), depth + segments - 1, 0,
                    is_root(*this, vertex) ? blocks() * segments : 0);
}

Schedule Forest::up_and_down(int vertex, int segments) const {
  if (weights.empty()) return up(vertex, segments);
  return over_all(*this, vertex, segments,
                  [&](const TreePlace& at) { return toccata::up_and_down(at, segments, depth); });
}

const Parameter& OverForest::segments() {
  static const Parameter parameter =
      number_of_segments("segments, which follow each other along each tree", {2, 16});
  return parameter;
}

void OverForest::bcast(ScheduleBuilder& schedule, int rank) const {
  if (!lanes_) {
    schedule.then(forest_.down(rank, segments_));
    return;
  }
  const BlockMap all = lanes_->carried_in_node(rank, Buffer::recv, width());
  const BlockMap own = lanes_->carried_by(rank, Buffer::recv, width());
  ScheduleBuilder whole;
  lanes_->in_nodes(whole, rank, {toccata::scatter, "binomial"}, all, own, Lanes::Nodes::the_roots);
  lanes_->in_lanes(whole, rank, forest_.down(lanes_->node(rank), segments_),
                   forest_.depth + segments_, width());
  lanes_->in_nodes(whole, rank, {toccata::allgather, "bruck"}, own, all);
  schedule.then(without_messages_to(lanes_->root(), rank, std::move(whole).build()));
}

void OverForest::reduce(ScheduleBuilder& schedule, int rank, bool is_root) const {
  if (!lanes_) {
    schedule.then(forest_.up(rank, segments_));
    return;
  }
  const BlockMap own = lanes_->carried_by(rank, Buffer::recv, width());
  ScheduleBuilder all;
  lanes_->in_nodes(all, rank, {toccata::reduce_scatter, "recursive_halving"},
                   lanes_->carried_in_node(rank, Buffer::send, width()), own);
  lanes_->in_lanes(all, rank, forest_.up(lanes_->node(rank), segments_), forest_.depth + segments_,
                   width());
  lanes_->in_nodes(all, rank, {toccata::gather, "binomial"}, own,
                   lanes_->carried_in_node(rank, Buffer::recv, width()), Lanes::Nodes::the_roots);
  const Schedule up = std::move(all).build();
  schedule.then(is_root ? up : in_scratch(up, BlockMap::affine(Buffer::send, 0)));
}

void OverForest::allreduce(ScheduleBuilder& schedule, int rank) const {
  if (!lanes_) {
    schedule.then(forest_.up_and_down(rank, segments_));
    return;
  }
  const BlockMap own = lanes_->carried_by(rank, Buffer::recv, width());
  lanes_->in_nodes(schedule, rank, {toccata::reduce_scatter, "recursive_halving"},
                   lanes_->carried_in_node(rank, Buffer::send, width()), own);
  lanes_->in_lanes(schedule, rank, forest_.up_and_down(lanes_->node(rank), segments_),
                   2 * forest_.depth + segments_ + 1, width());
  lanes_->in_nodes(schedule, rank, {toccata::allgather, "bruck"}, own,
                   lanes_->carried_in_node(rank, Buffer::recv, width()));
}

namespace {

// Whether every cell of the machine's network has ranks, and some cell has several. If so, the
// trees connect the cells of that network.
bool by_cells(const Shape& shape) {
  if (shape.placement == nullptr || !shape.placement->machine().network()) return false;
  const Regions& regions = shape.placement->regions(0);
  return node_level(shape.placement->machine()) == 0 && regions.divide() &&
         regions.number() == shape.placement->machine().objects(0);
}

Mesh mesh_of(const Shape& shape) {
  return by_cells(shape) ? *shape.placement->machine().network() : grid_of(shape).mesh;
}

}  // namespace

const Parameter& TorusTrees::how_many() {
  static const Parameter parameter =
      number("trees", "trees used at the same time; 0: as many as a node has links", 0, 64, 0, {0});
  return parameter;
}

std::string TorusTrees::why_impossible(const Shape& shape) {
  return TorusForest::fits(mesh_of(shape)) ? "" : "needs a torus, or dimensions of at most 2 ranks";
}

OverForest TorusTrees::over(const Shape& shape) {
  const int segments = shape.parameters[OverForest::segments()];
  const auto forest = [&](const Mesh& mesh, int root, auto cell_of, auto vertex_at) {
    const auto trees = std::make_shared<const TorusForest>(mesh, root);
    const int wanted = shape.parameters[how_many()];
    const int used = wanted == 0 ? trees->trees() : std::min(wanted, trees->trees());
    return Forest{std::vector<int>(used, 1), trees->depth(), [=](int tree, int vertex) {
                    TreePlace place = trees->place(tree, cell_of(vertex));
                    if (place.parent >= 0) place.parent = vertex_at(place.parent);
                    for (int& child : place.children) child = vertex_at(child);
                    return place;
                  }};
  };
  if (!by_cells(shape)) {
    const auto grid = std::make_shared<const Grid>(grid_of(shape));
    return {forest(
                grid->mesh, cell_of(*grid, shape.root),
                [grid](int rank) { return cell_of(*grid, rank); },
                [grid](int cell) { return grid->rank_at(cell); }),
            segments};
  }
  const Machine& machine = shape.placement->machine();
  Lanes lanes(shape, 0);
  auto cells = std::make_shared<std::vector<int>>();  // by node
  auto nodes = std::make_shared<std::vector<int>>(lanes.nodes());
  for (int node = 0; node < lanes.nodes(); ++node) {
    const Place& place = shape.placement->place(lanes.first_of(node));
    cells->push_back(machine.ancestor(place.level, place.object, 0));
    (*nodes)[cells->back()] = node;
  }
  Forest of_nodes = forest(
      *machine.network(), cells->front(), [cells](int node) { return (*cells)[node]; },
      [nodes](int cell) { return (*nodes)[cell]; });
  return {std::move(lanes), std::move(of_nodes), segments};
}

std::optional<int> TorusTrees::known_depth(const Shape& shape) {
  const Mesh mesh = mesh_of(shape);
  if (by_cells(shape) || shape.parameters[how_many()] != 0 || mesh.dims.empty()) return {};
  if (std::ranges::min(mesh.dims) < 3) return {};
  return ring_steps(mesh) + (mesh.dimensions() > 1 ? 1 : 0);
}

int TorusTrees::parts(const Shape& shape) { return over(shape).parts(); }

namespace {

int node_of(const Placement& placement, int rank) {
  const Place& place = placement.place(rank);
  return placement.machine().ancestor(place.level, place.object, node_level(placement.machine()));
}

// The trees that begin at the root's node; for a collective without a root, all trees. There are
// none if some nodes that they span have no ranks.
std::vector<const PackedTree*> trees_of(const Shape& shape, bool rooted) {
  std::vector<const PackedTree*> result;
  if (!has_packed_trees(shape)) return result;
  const PackedTrees& packed = *shape.placement->machine().trees();
  for (const PackedTree& each : rooted ? packed.bcast : packed.allreduce)
    if (!rooted || each.root() == node_of(*shape.placement, shape.root)) result.push_back(&each);
  return result;
}

// A chain from the root through all places, around the circle.
Forest chain(int places, int root) {
  const auto at = [=](int place) { return wrap(place, places); };
  return {{1}, places - 1, [=](int, int place) {
            TreePlace result{.depth = at(place - root)};
            if (result.depth > 0) result.parent = at(place - 1);
            if (result.depth + 1 < places) result.children = {at(place + 1)};
            return result;
          }};
}

// nodes[i] is the node at place i of the forest.
Forest forest_of(const std::vector<const PackedTree*>& trees, std::vector<int> nodes) {
  std::vector<int> places(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) places[nodes[i]] = static_cast<int>(i);
  Forest forest;
  for (const PackedTree* each : trees) {
    forest.weights.push_back(each->weight());
    forest.depth = std::max(forest.depth, each->depth());
  }
  forest.place = [trees, nodes = std::move(nodes), places = std::move(places)](int tree,
                                                                               int place) {
    const PackedTree& packed = *trees[tree];
    const int node = nodes[place];
    TreePlace result{.depth = packed.depth(node)};
    if (packed.parent(node) >= 0) result.parent = places[packed.parent(node)];
    for (int other = 0; other < packed.nodes(); ++other)
      if (packed.parent(other) == node) result.children.push_back(places[other]);
    return result;
  };
  return forest;
}

}  // namespace

bool has_packed_trees(const Shape& shape) {
  if (shape.placement == nullptr || shape.placement->machine().trees() == nullptr) return false;
  const int level = node_level(shape.placement->machine());
  for (int rank = 0; rank < shape.p; ++rank)
    if (shape.placement->place(rank).level < level) return false;
  const int nodes = shape.placement->regions(level).number();
  return nodes > 1 && nodes == shape.placement->machine().objects(level);
}

OverForest PackedForest::over(const Shape& shape, bool rooted) {
  const int segments = shape.parameters[OverForest::segments()];
  const std::vector<const PackedTree*> trees = trees_of(shape, rooted);
  if (trees.empty() &&
      (shape.placement == nullptr || !node_regions(shape.placement, shape.p)->divide()))
    return {chain(shape.p, shape.root), segments};
  if (!trees.empty() && trees.front()->nodes() == shape.p) {  // one rank per node
    std::vector<int> nodes;
    for (int rank = 0; rank < shape.p; ++rank) nodes.push_back(node_of(*shape.placement, rank));
    return {forest_of(trees, std::move(nodes)), segments};
  }
  Lanes lanes(shape, 0);
  if (trees.empty()) {
    Forest through_nodes = chain(lanes.nodes(), 0);
    return {std::move(lanes), std::move(through_nodes), segments};
  }
  std::vector<int> nodes;
  for (int node = 0; node < lanes.nodes(); ++node)
    nodes.push_back(node_of(*shape.placement, lanes.first_of(node)));
  return {std::move(lanes), forest_of(trees, std::move(nodes)), segments};
}

namespace {

// Null if no trees fit these ranks.
const std::vector<PackedTree>* allgather_trees(const Shape& shape) {
  if (!has_packed_trees(shape)) return nullptr;
  const Machine& machine = shape.placement->machine();
  const bool fit = shape.p == machine.objects(node_level(machine));
  return fit && !machine.trees()->allgather.empty() ? &machine.trees()->allgather : nullptr;
}

// A chain from every rank through all others, node by node.
Forest chains(const Shape& shape) {
  const auto regions = node_regions(shape.placement, shape.p);
  std::vector<int> order, places(shape.p);
  for (int region = 0; region < regions->number(); ++region)
    for (const int member : regions->members(region)) {
      places[member] = static_cast<int>(order.size());
      order.push_back(member);
    }
  Forest forest{std::vector<int>(shape.p, 1), shape.p - 1};
  forest.roots = order;
  forest.place = [order = std::move(order), places = std::move(places)](int root, int rank) {
    const Forest one = chain(static_cast<int>(order.size()), root);
    TreePlace place = one.place(0, places[rank]);
    if (place.parent >= 0) place.parent = order[place.parent];
    for (int& child : place.children) child = order[child];
    return place;
  };
  return forest;
}

}  // namespace

const Parameter& PackedAllgather::number_of_segments() {
  static const Parameter parameter = toccata::number_of_segments(
      "s: segments of each block, which follow each other along the trees", {1, 16});
  return parameter;
}

PackedAllgather::PackedAllgather(const Shape& shape) {
  const std::vector<PackedTree>* const packed = allgather_trees(shape);
  if (packed == nullptr) {
    chains_ = true;
    forest_ = chains(shape);
    return;
  }
  std::vector<const PackedTree*> trees;
  for (const PackedTree& each : *packed) trees.push_back(&each);
  std::vector<int> nodes, ranks(shape.p);
  for (int rank = 0; rank < shape.p; ++rank) {
    nodes.push_back(node_of(*shape.placement, rank));
    ranks[nodes.back()] = rank;
  }
  forest_ = forest_of(trees, std::move(nodes));
  pieces_ = 0;
  for (const PackedTree& each : *packed) {
    forest_.roots.push_back(ranks[each.root()]);
    if (each.root() == 0) pieces_ += each.weight();
  }
  segments_ = shape.parameters[number_of_segments()];
}

std::optional<Cost> PackedAllgather::claim() const {
  if (!chains_) return {};
  const int others = static_cast<int>(forest_.roots.size()) - 1;
  return Cost{.rounds = others, .messages = others, .sent = others, .copied = 1};
}

}  // namespace toccata
