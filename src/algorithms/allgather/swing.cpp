// Allgather by Swing on a torus: in every round, two ranks swap their data, in one dimension after
// the other. The distances halve and alternate between both directions. Neighbours swap the most
// data. Every block has 2N parts. Each part begins with another dimension, and half of the parts
// use the opposite direction.
// [desensi2024]   rounds log2 p   cost log2 p·α + Ξ·(p-1)/p·n/2N·β
//
// Messages that go further than to neighbours share links. This gives the factor Ξ: 1.10 on 8 x 8,
// 1.17 on 32 x 32, 1.03 on 8 x 8 x 8. There are far fewer rounds than in torus_multiport.
//
//   ring of 8, part 0   0-3 1-6 2-5 4-7    0-7 1-2 3-4 5-6    0-1 2-3 4-5 6-7
//              part 1   0-5 1-4 2-7 3-6    0-1 2-3 4-5 6-7    0-7 1-2 3-4 5-6
//
// It is allgather/bine on each line. If a dimension is not a power of two, neighbouring cells are
// folded first, and receive all blocks except their own at the end. This takes two more rounds and
// many times the bytes, so torus_multiport is better on such a torus.

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "patterns/bine.h"
#include "schedule/combinators.h"
#include "writing/algorithm.h"
#include "writing/torus.h"

namespace toccata::algorithms::allgather {

namespace {

// Coordinates in each dimension. They stand for the cells of all their combinations.
using Cells = std::vector<std::vector<int>>;

// One dimension of the torus, whose cells are folded in pairs.
struct Line {
  FoldedCube cube;
  bool mirrored;

  int distances() const { return floor_log2(cube.leaves()); }
  int peer(int leaf, int j) const { return bine_peer(leaf, j, cube.leaves(), mirrored); }
  // The coordinates of the blocks that a leaf has after the swap over distance j (see
  // allgather/bine). Before the first swap, these are the coordinates of its own cells.
  std::vector<int> held(int leaf, int j) const {
    std::vector<int> coordinates;
    const auto add_every = [&](int stride, int first) {
      for (int each = first % stride; each < cube.leaves(); each += stride)
        for (int at = cube.first(each); at < cube.first(each + 1); ++at) coordinates.push_back(at);
    };
    add_every(std::min(2 << j, cube.leaves()), leaf);
    if (2 << j <= cube.leaves()) add_every(2 << j, peer(leaf, j));
    return coordinates;
  }
};

}  // namespace

static std::vector<int> ranks_in(const Grid& grid, const Cells& cells) {
  std::vector<int> numbers{0};  // of cells; each pass adds one dimension
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::vector<int> longer;
    for (const int number : numbers)
      for (const int coordinate : cells[i])
        longer.push_back(number * grid.mesh.dims[i] + coordinate);
    numbers = std::move(longer);
  }
  for (int& each : numbers) each = grid.rank_at(each);
  return numbers;
}

static Schedule send_round(const Grid& grid, int rank, int part, int parts) {
  const int n = grid.mesh.dimensions();
  const std::vector<int> at = grid.mesh.coordinates(cell_of(grid, rank));
  std::vector<Line> lines;
  Cells held;
  for (int i = 0; i < n; ++i) {
    lines.push_back({{grid.mesh.dims[i]}, part >= n});
    const Line& line = lines.back();
    held.push_back(line.held(line.cube.leaf(at[i]), line.distances()));
  }
  std::vector<std::pair<int, int>> swaps;  // the dimension, and the index of the distance
  for (int j = 0; j < ceil_log2(grid.mesh.cells()); ++j)
    for (int i = 0; i < n; ++i)
      if (const int dimension = (i + part) % n; j < lines[dimension].distances())
        swaps.emplace_back(dimension, j);

  const auto block = [&](int of) { return recv(of * parts + part); };
  const auto blocks = [&](const Cells& cells) {
    BlockRanges result;
    for (const int of : ranks_in(grid, cells)) append(result, block(of));
    return result;
  };
  const auto all_but = [&](int of) {
    const int above = grid.mesh.cells() - 1 - of;
    BlockRanges result;
    append(result, {Buffer::recv, part, 1, parts, of});
    append(result, {Buffer::recv, (of + 1) * parts + part, 1, parts, above});
    return result;
  };

  const std::vector<int> folded = ranks_in(grid, held);  // the first of them acts for all
  const bool acts = rank == folded.front();
  ScheduleBuilder schedule;
  schedule.round().copy(send(part), block(rank)).round();
  for (const int each : folded)
    if (acts && each != rank) schedule.recv(each, block(each));
  if (!acts) schedule.send(folded.front(), block(rank));
  for (const auto& [dimension, j] : swaps | std::views::reverse) {
    schedule.round();
    if (!acts) continue;
    const Line& line = lines[dimension];
    const int leaf = line.cube.leaf(at[dimension]), other = line.peer(leaf, j);
    Cells others = held;
    others[dimension] = line.held(other, j + 1);
    std::vector<int> cell = at;
    cell[dimension] = line.cube.first(other);
    const int peer = grid.rank_at(grid.mesh.cell(cell));
    schedule.send(peer, blocks(held)).recv(peer, blocks(others));
    held[dimension] = line.held(leaf, j);
  }
  schedule.round();
  for (const int each : folded)
    if (acts && each != rank) schedule.send(each, all_but(each));
  if (!acts) schedule.recv(folded.front(), all_but(rank));
  return std::move(schedule).build();
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  std::vector<Schedule> all;
  for (int part = 0; part < shape.parts; ++part)
    all.push_back(send_round(grid, rank, part, shape.parts));
  schedule.then(beside(all));
}

// No paper has a closed form for folded cells.
static std::optional<Cost> claim(const Shape& shape) {
  if (!is_power_of_two(shape.p)) return {};
  const std::int64_t rounds = floor_log2(shape.p);
  return Cost{.rounds = rounds,
              .messages = rounds * shape.parts,
              .sent = std::int64_t{shape.parts} * (shape.p - 1),
              .copied = shape.parts};
}

extern const Algorithm swing{
    .name = "swing",
    .collective = toccata::allgather,
    .summary = "log2 p rounds on a torus over short distances, all links busy; for medium messages",
    .citation = "desensi2024",
    .claim = claim,
    .by_grid = true,
    .parts = ways_round,
    .write = write,
};

}  // namespace toccata::algorithms::allgather
