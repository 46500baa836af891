#include "proofs/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "collectives/neighborhood.h"
#include "topology/synthetic.h"

namespace toccata {

namespace {

// Up to this number of ranks, shapes contain all combinations, and all roots.
constexpr int few_ranks = 12;
// ... unless there are more shapes than this.
constexpr std::size_t many_shapes = 240;
// With more ranks, settings alternate if there are more than this.
constexpr std::size_t many_settings = 12;

constexpr int most_with_more_grids = 64;  // ranks

// Numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // From 0 to `end` - 1.
  int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }
  std::vector<int> permutation(int size) {
    std::vector<int> result(size);
    std::iota(result.begin(), result.end(), 0);
    for (int i = size - 1; i > 0; --i) std::swap(result[i], result[below(i + 1)]);
    return result;
  }

 private:
  std::mt19937 engine_;
};

// Nodes of `node_sizes` ranks each, two sockets per node, a core for every rank.
Machine machine_of(const std::vector<int>& node_sizes) {
  Machine::Level nodes{"node", {}}, sockets{"socket", {}}, cores{"core", {}};
  for (const int size : node_sizes) {
    const int node = static_cast<int>(nodes.outer.size());
    nodes.outer.push_back(0);
    for (const int cores_here : {(size + 1) / 2, size / 2}) {
      const int socket = static_cast<int>(sockets.outer.size());
      sockets.outer.push_back(node);
      cores.outer.insert(cores.outer.end(), cores_here, socket);
    }
  }
  return Machine({nodes, sockets, cores});
}

std::vector<int> even_sizes(int p, int size) {
  std::vector<int> sizes(p / size, size);
  if (p % size != 0) sizes.push_back(p % size);
  return sizes;
}

std::vector<int> random_sizes(int p, int most, Random& random) {
  std::vector<int> sizes;
  for (int left = p; left > 0; left -= sizes.back())
    sizes.push_back(1 + random.below(std::min(most, left)));
  return sizes;
}

std::shared_ptr<const Placement> place(const std::vector<int>& node_sizes,
                                       const std::vector<int>& cores, Random* unbinding) {
  auto machine = std::make_shared<const Machine>(machine_of(node_sizes));
  std::vector<Place> places;
  for (const int core : cores) {
    Place place{machine->innermost(), core};
    if (unbinding != nullptr && unbinding->below(8) == 0)
      place = {0, machine->ancestor(place.level, place.object, 0)};
    places.push_back(place);
  }
  return std::make_shared<const Placement>(std::move(machine), std::move(places));
}

// The most even `dimensions` factors of p, largest first; a factor is 1 only if necessary.
std::vector<int> even_dims(int p, int dimensions) {
  if (dimensions == 1) return {p};
  int first = static_cast<int>(std::lround(std::pow(p, 1.0 / dimensions)));
  while (first > 1 && p % first != 0) --first;
  std::vector<int> dims = even_dims(p / std::max(first, 1), dimensions - 1);
  dims.push_back(std::max(first, 1));
  return dims;
}

}  // namespace

std::vector<std::shared_ptr<const Placement>> sample_placements(int p) {
  Random random(p);
  std::vector<int> in_order(p);
  std::iota(in_order.begin(), in_order.end(), 0);
  const int root = std::max(1, static_cast<int>(std::sqrt(p)));
  return {nullptr, place(even_sizes(p, 4), in_order, nullptr),
          place(even_sizes(p, root), random.permutation(p), nullptr),
          place(random_sizes(p, 2 * root, random), in_order, nullptr),
          place(random_sizes(p, 2 * root, random), random.permutation(p), &random)};
}

namespace {

constexpr int most_with_trees = 256;  // ranks
constexpr int most_roots = 12;        // of broadcasts with trees; other roots have none

// A random tree with that root: nodes are added in random order, each as a child of an earlier one.
PackedTree random_tree(int nodes, int root, int weight, Random& random) {
  std::vector<int> order = random.permutation(nodes);
  std::swap(order[0], *std::ranges::find(order, root));
  std::vector<std::int32_t> parents(nodes, -1);
  for (int i = 1; i < nodes; ++i) parents[order[i]] = order[random.below(i)];
  return {weight, std::move(parents)};
}

std::shared_ptr<const PackedTrees> random_trees(int nodes, Random& random) {
  PackedTrees trees;
  for (int root = 0; root < nodes; ++root) {
    if (nodes <= most_roots || root % (nodes / most_roots) == 0)
      for (const int weight : {1, 2})
        trees.bcast.push_back(random_tree(nodes, root, weight, random));
    if (root < 3)
      trees.allreduce.push_back(random_tree(nodes, random.below(nodes), 1 + root % 2, random));
    const int pieces = 1 + nodes % 2;
    for (int i = 0; i < pieces; ++i) trees.allgather.push_back(random_tree(nodes, root, 1, random));
  }
  return std::make_shared<const PackedTrees>(std::move(trees));
}

}  // namespace

std::vector<std::shared_ptr<const Placement>> sample_packings(int p) {
  if (p > most_with_trees) return {nullptr};
  Random random(p);
  std::vector<std::shared_ptr<const Placement>> result{nullptr};
  const std::vector<int> one_each(p, 1);
  for (const std::vector<int>& sizes : {one_each, even_sizes(p, 3), random_sizes(p, 4, random)}) {
    std::vector<int> in_order(p);
    std::iota(in_order.begin(), in_order.end(), 0);
    const std::vector<int> cores = result.size() == 1 ? random.permutation(p) : in_order;
    const auto plain = place(sizes, cores, nullptr);
    const Machine& machine = plain->machine();
    std::vector<Machine::Level> levels;
    for (int level = 0; level < machine.levels(); ++level) levels.push_back(machine.level(level));
    std::vector<Place> places;
    for (int rank = 0; rank < p; ++rank) places.push_back(plain->place(rank));
    result.push_back(std::make_shared<const Placement>(
        std::make_shared<const Machine>(std::move(levels), std::nullopt,
                                        random_trees(machine.objects(0), random)),
        std::move(places)));
  }
  return result;
}

std::span<const std::string_view> sample_meshes() {
  // Cubes and near cubes of the papers, uneven ones, sizes that are even, odd, prime and 2, ...
  static constexpr std::array<std::string_view, 44> all{
      "torus:2x2", "torus:3x3", "torus:4x4", "torus:5x5", "torus:8x8", "torus:9x9", "torus:11x11",
      "torus:4x2", "torus:6x4", "torus:5x3", "torus:3x7", "torus:2x13", "torus:16x8", "torus:12x10",
      "torus:2x2x2", "torus:3x3x3", "torus:4x4x4", "torus:5x5x5", "torus:4x3x2", "torus:8x4x2",
      "torus:5x4x3", "torus:7x5x3", "torus:2x1x9", "torus:2x2x2x2", "torus:3x3x3x3",
      "torus:4x4x2x2", "torus:3x2x4x5", "torus:2x2x2x2x3", "torus:10x10x10", "torus:16x8x8",
      "torus:16x16x16", "torus:81",
      // ... meshes, and those with some periodic dimensions.
      "mesh:4x4", "mesh:8x8", "mesh:5x7", "mesh:3x3x3", "mesh:4x4x4", "mesh:6x3x2", "mesh:27",
      "mesh:4x~4", "mesh:~5x3", "mesh:~8x4x~2", "mesh:~16x~8x8", "mesh:3x~3x3x~3"};
  return all;
}

namespace {

Neighborhood on_mesh(const Mesh& mesh) {
  std::vector<Neighbors> all;
  for (int cell = 0; cell < mesh.cells(); ++cell)
    all.push_back(Neighbors::on_mesh(mesh.neighbors(cell)));
  return Neighborhood(std::move(all));
}

// Up to `most` edges out of each rank, to random ranks. One more edge has no destination, and one
// no source.
Neighborhood random_graph(int p, int most, Random& random) {
  std::vector<std::vector<int>> sources(p), destinations(p);
  for (const int from : random.permutation(p))
    for (int edges = random.below(most + 1); edges > 0; --edges) {
      const int to = random.below(8) == 0 ? from : random.below(p);
      const int times = random.below(6) == 0 ? 2 : 1;
      destinations[from].insert(destinations[from].end(), times, to);
      sources[to].insert(sources[to].end(), times, from);
    }
  destinations[random.below(p)].push_back(-1);
  sources[random.below(p)].push_back(-1);
  std::vector<Neighbors> all;
  for (int rank = 0; rank < p; ++rank)
    all.push_back(Neighbors::in_graph(sources[rank], destinations[rank]));
  return Neighborhood(std::move(all));
}

}  // namespace

std::vector<std::shared_ptr<const Neighborhood>> sample_neighborhoods(int p) {
  Random random(p);
  std::vector<Neighborhood> made{Neighborhood::stencil(p), on_mesh({{p}, {true}}),
                                 on_mesh({even_dims(p, 3), {false, true, false}}),
                                 random_graph(p, 3, random), random_graph(p, 8, random)};
  if (p <= most_with_more_grids) made.push_back(random_graph(p, p, random));
  if (p <= few_ranks) made.emplace_back(std::vector<Neighbors>(p));
  std::vector<std::shared_ptr<const Neighborhood>> result;
  for (Neighborhood& each : made)
    result.push_back(std::make_shared<const Neighborhood>(std::move(each)));
  return result;
}

std::vector<std::shared_ptr<const Grid>> sample_grids(int p) {
  std::vector<std::shared_ptr<const Grid>> grids{nullptr};
  Random random(p);
  const auto add = [&](const Mesh& mesh, bool in_order) {
    grids.push_back(std::make_shared<const Grid>(
        Grid{mesh, in_order ? std::vector<int>{} : random.permutation(p)}));
  };
  for (const std::string_view each : sample_meshes())
    if (const Mesh mesh = *parse_machine(each).network(); mesh.cells() == p)
      add(mesh, grids.size() % 2 != 0);
  if (p > most_with_more_grids) return grids;
  add({{p}, {false}}, false);
  if (const std::vector<int> dims = even_dims(p, 2); dims.back() > 1)
    add({dims, {true, p % 2 == 0}}, p % 3 != 0);
  return grids;
}

std::vector<int> ranks_to_prove(int most) {
  std::set<int> ranks{127, 1000, 1021, 1024, 4096};
  for (int p = 1; p <= most; ++p) ranks.insert(p);
  return {ranks.begin(), ranks.end()};
}

std::vector<Shape> sample_shapes(const Algorithm& algorithm, int p) {
  std::vector<Shape> shapes{{p, Parameters(algorithm.parameters)}};
  const auto cross = [&shapes](const auto& values, auto&& set) {
    std::vector<Shape> more;
    for (const Shape& shape : shapes)
      for (const auto& value : values) set(more.emplace_back(shape), value);
    shapes = std::move(more);
  };
  // Gives each shape one value; the next p begins with the next value.
  const auto deal = [&](const auto& values, auto&& set) {
    for (std::size_t i = 0; i < shapes.size(); ++i)
      set(shapes[i], values[(i + i / values.size() + p) % values.size()]);
  };
  const auto combine = [&](const auto& values, auto&& set) {
    p <= few_ranks&& shapes.size() * values.size() <= many_shapes ? cross(values, set)
                                                                  : deal(values, set);
  };
  for (const Parameter& parameter : algorithm.parameters)
    cross(parameter.samples,
          [&](Shape& shape, int value) { shape.parameters.set(parameter, value); });
  if (p > few_ranks && shapes.size() > many_settings) {  // alternate, except the default
    std::vector<Shape> some{shapes.front()};
    const std::size_t turns = shapes.size() / (many_settings / 2);
    for (std::size_t i = 1; i < shapes.size(); ++i)
      if ((i + p) % turns == 0) some.push_back(shapes[i]);
    shapes = std::move(some);
  }
  if (algorithm.collective.rooted) {
    std::vector<int> roots(p);
    std::iota(roots.begin(), roots.end(), 0);
    if (p > few_ranks)
      roots = {0, 1, p / 3, p / 2, p - 1, Random(p).below(p), Random(2 * p).below(p)};
    combine(roots, [](Shape& shape, int root) { shape.root = root; });
  }
  if (algorithm.collective.among_neighbors)
    combine(sample_neighborhoods(p),
            [](Shape& shape, const auto& each) { shape.neighborhood = each; });
  if (algorithm.by_placement)
    combine(algorithm.by_trees ? sample_packings(p) : sample_placements(p),
            [](Shape& shape, const auto& placement) { shape.placement = placement; });
  if (algorithm.by_grid)
    cross(sample_grids(p), [](Shape& shape, const auto& grid) { shape.grid = grid; });
  std::erase_if(shapes, [&](const Shape& s) { return !algorithm.why_impossible(s).empty(); });
  for (Shape& shape : shapes) shape = algorithm.complete(std::move(shape));
  return shapes;
}

}  // namespace toccata
