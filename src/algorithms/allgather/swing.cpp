// Allgather by Swing on a torus: in every round, two ranks swap their data, in one dimension after
// the other. The distances halve and alternate between both directions. Neighbours swap the most
// data. Every block has 2N parts. Each part begins with another dimension, and half of the parts
// use the opposite direction.
// [desensi2024]   rounds log2 p   cost log2 p·α + Ξ·(p-1)/p·n/2N·β
//
// Messages that go further than to neighbours share links. This gives the factor Ξ: 1.10 on 8 x 8,
// 1.17 on 32 x 32, 1.03 on 8 x 8 x 8. There are far fewer rounds than in torus_multiport.
//
//   ring of 4, part 0   0-3 1-2    then 0-1 2-3        part 1   0-1 2-3    then 0-3 1-2
//   rank 0 has          A . . D         A B C D                 A B . .         A B C D
//
// It is allgather/bine on each line. If a dimension is not a power of two, neighbouring cells are
// folded first, and receive all blocks except their own at the end. This takes two more rounds and
// many times the bytes, so torus_multiport is better on such a torus.

#include <algorithm>

#include "patterns/bine.h"
#include "writing/algorithm.h"
#include "writing/along_lines.h"
#include "writing/torus.h"

namespace toccata::algorithms::allgather {

// Every stride-th cell of a line, in leaves from `first` on.
static void add_every(int stride, int first, const FoldedCube& line, std::vector<int>& cells) {
  for (int leaf = first % stride; leaf < line.leaves(); leaf += stride)
    for (int cell = line.first(leaf); cell < line.first(leaf + 1); ++cell) cells.push_back(cell);
}

static std::vector<LineRound> rounds_along(const FoldedCube& line, int leaf, bool mirrored) {
  const int leaves = line.leaves();
  const auto peer = [&](int of, int j) { return bine_peer(of, j, leaves, mirrored); };
  // The cells whose blocks a leaf has after the swap over distance j, as in allgather/bine.
  const auto held = [&](int by, int j) {
    std::vector<int> cells;
    add_every(std::min(2 << j, leaves), by, line, cells);
    if (2 << j <= leaves) add_every(2 << j, peer(by, j), line, cells);
    return cells;
  };
  std::vector<LineRound> rounds;
  for (int j = floor_log2(leaves) - 1; j >= 0; --j) {
    const int other = peer(leaf, j), cell = line.first(other);
    rounds.push_back({{{cell, cell, held(leaf, j + 1), held(other, j + 1)}}, held(leaf, j)});
  }
  return rounds;
}

static Schedule send_round(const Grid& grid, int rank, int part, int parts) {
  const int n = grid.mesh.dimensions();
  const std::vector<int> at = grid.mesh.coordinates(cell_of(grid, rank));
  std::vector<std::vector<LineRound>> lines;
  Cells held;  // at first the folded cells
  for (int i = 0; i < n; ++i) {
    const FoldedCube line{grid.mesh.dims[i]};
    lines.push_back(rounds_along(line, line.leaf(at[i]), part >= n));
    add_every(line.leaves(), line.leaf(at[i]), line, held.emplace_back());
  }
  const FoldedCells folded(grid, rank, held, part, parts);
  ScheduleBuilder schedule;
  schedule.round().copy(send(part), recv(rank * parts + part));
  folded.fold(schedule);
  AlongLines exchange(grid, rank, std::move(lines), held);
  exchange.write(part, parts, folded.acts(), schedule);
  folded.unfold(schedule);
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
