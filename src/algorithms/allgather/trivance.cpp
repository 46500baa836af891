// Allgather by Trivance on a torus: in every round, a rank sends to both sides of a line at once,
// so the data triple. The distances are powers of three, the longest first; neighbours exchange the
// most data. Every block has a part per dimension, and each part begins with another dimension.
// [juerss2026]   rounds Σ⌈log3 D⌉ over the dimensions D   cost rounds·α + (p-1)/p·n·β
//
//   ring of 9, distances 3 and 1   rank 4 has . B . . E . . H .   and then all
//   ring of 4, distances 3 and 1   rank 1 has . B C .             and then all
//
// Bruck's algorithm has the same rounds, over distances of 1 and 2 instead of -1 and 1 times a
// power of three, all in one direction: three times as many bytes on a link.
// For any D (derived; the paper has powers of three): after distance d, a rank has every d-th
// block, from Σ b below to Σ a above. These are the powers of three from d on with a digit of D - 1
// above 0 (b), or of 2 (a). On every second dimension of a part, both sides swap roles, to load
// both alike.

#include "writing/algorithm.h"
#include "writing/along_lines.h"
#include "writing/torus.h"

namespace toccata::algorithms::allgather {

static int highest_power_of_three(int below) {
  int power = 1;
  while (power <= (below - 1) / 3) power *= 3;
  return power;
}

// `side` is +1 if data move up first, -1 if they move down.
static std::vector<LineRound> rounds_along(int size, int at, int side) {
  // The cells first, first + step, ..., last below `from`.
  const auto every = [&](int from, int first, int last, int step) {
    std::vector<int> cells;
    for (; first <= last; first += step) cells.push_back(wrap(from - side * first, size));
    return cells;
  };
  std::vector<LineRound> rounds;
  int below = 0, above = 0;  // the blocks that the rank has reach that far
  for (int d = size > 1 ? highest_power_of_three(size) : 0; d > 0; d /= 3) {
    const int digit = (size - 1) / d % 3, far = 3 * d;
    LineRound round;
    const auto exchange = [&](int distance, int first, int last) {
      const int to = wrap(at + side * distance, size), from = wrap(at - side * distance, size);
      if (first <= last)
        round.exchanges.push_back(
            {to, from, every(at, first, last, far), every(from, first, last, far)});
    };
    exchange(+d, -above, digit > 0 ? below : below - far);
    exchange(-d, digit > 1 ? -above : far - above, below);
    below += digit > 0 ? d : 0;
    above += digit > 1 ? d : 0;
    round.held = every(at, -above, below, d);
    rounds.push_back(std::move(round));
  }
  return rounds;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Grid grid = grid_of(shape);
  const std::vector<int> at = grid.mesh.coordinates(cell_of(grid, rank));
  Cells held;
  for (const int each : at) held.push_back({each});
  std::vector<Schedule> all;
  for (int part = 0; part < shape.parts; ++part) {
    std::vector<std::vector<LineRound>> lines;
    for (int i = 0; i < grid.mesh.dimensions(); ++i)
      lines.push_back(rounds_along(grid.mesh.dims[i], at[i], (part + i) % 2 == 0 ? 1 : -1));
    ScheduleBuilder one;
    one.round().copy(send(part), recv(rank * shape.parts + part));
    AlongLines exchange(grid, rank, std::move(lines), held);
    exchange.write(part, shape.parts, true, one);
    all.push_back(std::move(one).build());
  }
  schedule.then(beside(all));
}

static Cost claim(const Shape& shape) {
  std::int64_t rounds = 0, messages = 0;
  for (const int size : grid_of(shape).mesh.dims) {
    const int longest = highest_power_of_three(size);
    if (size <= 2 * longest) --messages;  // over this distance, to one side
    for (int d = longest; d > 0; d /= 3) ++rounds, messages += 2;
  }
  return {.rounds = rounds,
          .messages = messages * shape.parts,
          .sent = std::int64_t{shape.parts} * (shape.p - 1),
          .copied = shape.parts};
}

extern const Algorithm trivance{
    .name = "trivance",
    .collective = toccata::allgather,
    .summary = "log3 p rounds on a torus, to both sides at once; for short and medium messages",
    .citation = "juerss2026",
    .claim = claim,
    .by_grid = true,
    .parts = [](const Shape& shape) { return (ways_round(shape) + 1) / 2; },
    .write = write,
};

}  // namespace toccata::algorithms::allgather
