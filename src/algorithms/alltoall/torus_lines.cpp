// All-to-all on a torus by an all-to-all along its lines, in one dimension after the other. A rank
// only exchanges with ranks of its lines, so there are few messages, and each block moves at most
// once per dimension.
// [traff2026]   D ranks on each line of d dimensions: rounds d, in pairs d·(D-1)
//               cost d·(α + (D-1)/D·n·β), in pairs d·(D-1)·α + d·(D-1)/D·n·β
//
//   2 x 2, ranks 0 1 / 2 3, blocks of rank 0 (a); bc is the block from b to c
//     at first                       aa ab ac ad       place = destination
//     along the row, with 1          aa ba ac bc       column = source
//     along the column, with 2       aa ba ca da       place = source
//
// Blocks at a place have the column (row, ...) of their destination, before the exchange along that
// line, and of their source after it. One strided range describes the blocks for a rank of a line,
// so no block is copied except the own ones. On nodes and cores instead of a torus, this is
// alltoall/hierarchical with all ranks as leaders. Blocks must have the same size.

#include "schedule/combinators.h"
#include "writing/flat.h"
#include "writing/torus.h"

namespace toccata::algorithms::alltoall {

static const Parameter exchange =
    choice("exchange", "algorithm along each line: alltoall/...", {"linear", "pairwise", "bruck"});

static Flat along_lines(const Shape& shape) {
  return {toccata::alltoall, exchange.words[shape.parameters[exchange]]};
}

// The blocks whose cells have coordinate `at` in a dimension.
static BlockRanges slice(const Grid& grid, int dimension, int at, Buffer buffer) {
  int inner = 1, outer = 1;
  for (int i = 0; i < grid.mesh.dimensions(); ++i)
    if (i != dimension) (i < dimension ? outer : inner) *= grid.mesh.dims[i];
  const BlockRange cells{buffer, at * inner, inner, grid.mesh.dims[dimension] * inner, outer};
  if (grid.ranks.empty() || buffer == Buffer::scratch) return {cells};
  BlockRanges blocks;
  for_each_block(cells, [&](int cell) { append(blocks, {buffer, grid.rank_at(cell)}); });
  return blocks;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  const Flat flat = along_lines(shape);
  const std::vector<int> at = grid.mesh.coordinates(cell_of(grid, rank));
  const int n = grid.mesh.dimensions();
  if (n == 0) return void(schedule.then(flat.schedule(1, 0)));
  if (n > 1) schedule.scratch({{Buffer::recv, 0, 1, 0, shape.p}});
  Buffer from = Buffer::send;
  for (int i = n - 1; i >= 0; --i) {
    const Buffer into = i % 2 == 0 ? Buffer::recv : Buffer::scratch;  // recv in the end
    std::vector<int> line;
    BlockMap out = BlockMap::table(), in = out;
    for (int j = 0; j < grid.mesh.dims[i]; ++j) {
      std::vector<int> cell = at;
      cell[i] = j;
      line.push_back(grid.rank_at(grid.mesh.cell(cell)));
      out.add(slice(grid, i, j, from));
      in.add(slice(grid, i, j, into));
    }
    const Schedule one =
        on(line, flat.schedule(grid.mesh.dims[i], at[i]), out, in, schedule.scratch_blocks());
    schedule.go_on({&one, 1}, flat.rounds(grid.mesh.dims[i]));
    from = into;
  }
}

static Cost claim(const Shape& shape) {
  const Grid grid = grid_of(shape);
  Cost cost;
  for (const int size : grid.mesh.dims)
    cost = cost + along_lines(shape).claim(size).of(shape.p / size);
  return shape.p == 1 ? along_lines(shape).claim(1) : cost;
}

extern const Algorithm torus_lines{
    .name = "torus_lines",
    .collective = toccata::alltoall,
    .summary = "along the lines of a torus, one dimension after the other; for short messages",
    .citation = "traff2026",
    .claim = claim,
    .parameters = {exchange},
    .blocks_alike = true,
    .by_grid = true,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
