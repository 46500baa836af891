#include "writing/along_lines.h"

#include <algorithm>
#include <utility>

#include "writing/torus.h"

namespace toccata {

std::vector<int> ranks_in(const Grid& grid, const Cells& cells) {
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

void AlongLines::write(int part, int parts, bool acts, ScheduleBuilder& schedule) {
  const int n = grid_.mesh.dimensions();
  const std::vector<int> at = grid_.mesh.coordinates(cell_of(grid_, rank_));
  std::size_t left = 0;  // rounds of every dimension, including this one
  for (const auto& line : lines_) left = std::max(left, line.size());
  for (; left > 0; --left)
    for (int i = n - 1; i >= 0; --i) {
      const int dimension = (i + part) % n;
      const std::vector<LineRound>& line = lines_[dimension];
      if (left > line.size()) continue;
      schedule.round();
      if (!acts) continue;
      const LineRound& round = line[line.size() - left];
      const auto rank_at = [&](int coordinate) {
        std::vector<int> cell = at;
        cell[dimension] = coordinate;
        return grid_.rank_at(grid_.mesh.cell(cell));
      };
      const auto blocks = [&](const std::vector<int>& coordinates) {
        Cells cells = held_;
        cells[dimension] = coordinates;
        BlockRanges result;
        for (const int of : ranks_in(grid_, cells)) append(result, recv(of * parts + part));
        return result;
      };
      for (const LineRound::Exchange& each : round.exchanges)
        schedule.send(rank_at(each.to), blocks(each.sent));
      for (const LineRound::Exchange& each : round.exchanges)
        schedule.recv(rank_at(each.from), blocks(each.received));
      held_[dimension] = round.held;
    }
}

void FoldedCells::fold(ScheduleBuilder& schedule) const {
  schedule.round();
  for (const int each : ranks_)
    if (acts() && each != rank_) schedule.recv(each, block(each));
  if (!acts()) schedule.send(ranks_.front(), block(rank_));
}

void FoldedCells::unfold(ScheduleBuilder& schedule) const {
  schedule.round();
  for (const int each : ranks_)
    if (acts() && each != rank_) schedule.send(each, all_but(each));
  if (!acts()) schedule.recv(ranks_.front(), all_but(rank_));
}

BlockRanges FoldedCells::all_but(int of) const {
  BlockRanges result;
  append(result, {Buffer::recv, part_, 1, parts_, of});
  append(result, {Buffer::recv, (of + 1) * parts_ + part_, 1, parts_, number_ - 1 - of});
  return result;
}

}  // namespace toccata
