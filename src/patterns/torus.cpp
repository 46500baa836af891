#include "patterns/torus.h"

#include <algorithm>
#include <functional>

#include "schedule/combinators.h"

namespace toccata {

int CellBox::cells() const {
  int result = 1;
  for (const int each : extent) result *= each;
  return result;
}

namespace {

// The cells of a box as blocks, in the order of the box.
BlockRanges cells_of(const Mesh& mesh, const CellBox& box) {
  BlockRanges cells{{Buffer::recv, 0}};
  int weight = 1;
  for (int i = mesh.dimensions() - 1; i >= 0; weight *= mesh.dims[i--]) {
    BlockRanges rows;
    for (const BlockRange& run : circular(Buffer::recv, box.first[i], box.extent[i], mesh.dims[i]))
      if (const BlockRange& row = cells.front(); cells.size() == 1 && row.repeat == 1)
        BlockMap::affine(row.buffer, row.first, weight, row.count).map(run, rows);
      else
        for_each_block(run, [&](int at) {
          for (BlockRange range : cells) {
            range.first += at * weight;
            append(rows, range);
          }
        });
    cells = std::move(rows);
  }
  return cells;
}

}  // namespace

BlockRanges blocks_of(const Grid& grid, const CellBox& box, Buffer buffer, int blocks, int first,
                      int count) {
  const BlockMap of_rank = BlockMap::affine(buffer, first, blocks, count);
  BlockRanges ranges;
  for (const BlockRange& cells : cells_of(grid.mesh, box))
    if (grid.ranks.empty())
      of_rank.map(cells, ranges);
    else
      for_each_block(cells, [&](int cell) { of_rank.map({buffer, grid.ranks[cell]}, ranges); });
  return ranges;
}

int toward(const Mesh& mesh, int cell, int dimension, int steps) {
  int weight = 1;
  for (int i = dimension + 1; i < mesh.dimensions(); ++i) weight *= mesh.dims[i];
  const int size = mesh.dims[dimension];
  const int at = cell / weight % size;
  return cell + (wrap(at + steps, size) - at) * weight;
}

std::vector<RingRound> ring_rounds(const Mesh& mesh, int cell, const std::vector<int>& order,
                                   int direction) {
  std::vector<RingRound> rounds;
  const std::vector<int> at = mesh.coordinates(cell);
  CellBox held{at, std::vector<int>(at.size(), 1)};
  for (const int dimension : order) {
    const int to = toward(mesh, cell, dimension, direction);
    const int from = toward(mesh, cell, dimension, -direction);
    for (int i = 1; i < mesh.dims[dimension]; ++i) {
      CellBox next = held;
      next.first[dimension] = wrap(at[dimension] - i * direction, mesh.dims[dimension]);
      rounds.push_back({to, from, i == 1 ? held : rounds.back().received, std::move(next)});
    }
    held.first[dimension] = 0;
    held.extent[dimension] = mesh.dims[dimension];
  }
  return rounds;
}

std::vector<std::vector<BucketMessage>> bucket_rounds(const Mesh& mesh, int cell,
                                                      const std::vector<int>& order) {
  std::vector<std::vector<BucketMessage>> rounds;
  int steps = 0;
  for (const int size : mesh.dims) steps += size - 1;
  for (int round = 1; round <= steps; ++round) {
    std::vector<BucketMessage>& messages = rounds.emplace_back();
    int before = 0;  // possible steps of data in the dimensions up to `last`
    for (std::size_t last = 0; last < order.size(); ++last) {
      before += mesh.dims[order[last]] - 1;
      if (round > before) continue;
      const int to = toward(mesh, cell, order[last], +1);
      const int from = toward(mesh, cell, order[last], -1);
      BucketMessage message{to, from, {}, {}};
      // Arriving data have made `round` steps, the last one in this dimension, and none in later
      // ones.
      const std::function<void(int, int, int, int)> walk_back = [&](int index, int left, int room,
                                                                    int origin) {
        const int dimension = order[index];
        const int longest = mesh.dims[dimension] - 1;
        room -= longest;  // possible steps in the dimensions after this one
        const int least = std::max(left - room, index == static_cast<int>(last) ? 1 : 0);
        for (int step = std::max(least, 0); step <= std::min(left, longest); ++step) {
          const int there = toward(mesh, origin, dimension, -step);
          if (index > 0) {
            walk_back(index - 1, left - step, room, there);
          } else if (step == left) {
            message.received.push_back(there);
            message.sent.push_back(toward(mesh, there, order[last], +1));
          }
        }
      };
      walk_back(static_cast<int>(last), round, before, cell);
      messages.push_back(std::move(message));
    }
  }
  return rounds;
}

}  // namespace toccata
