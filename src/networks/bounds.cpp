#include "networks/bounds.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace toccata {

namespace {

// A row of the table.
struct Row {
  const Collective* collective;
  bool part;       // whether (p-1)/p n must leave or reach a node; otherwise n
  int times;       // how often
  bool root_only;  // whether only the root must move them; otherwise every node
};

constexpr std::array rows{
    Row{&bcast, false, 1, false},
    Row{&reduce, false, 1, false},
    Row{&scatter, true, 1, true},
    Row{&gather, true, 1, true},
    Row{&allgather, true, 1, false},
    Row{&reduce_scatter, true, 1, false},
    Row{&allreduce, true, 2, false},
    // Every rank must send or receive a vector, because each result needs all lower ranks.
    Row{&scan, false, 1, false},
    Row{&exscan, false, 1, false},
    Row{&barrier, false, 0, false},
};

const Row& row_of(const Collective& collective) {
  const auto found = std::ranges::find(rows, &collective.regular(), &Row::collective);
  if (found == rows.end())
    throw std::invalid_argument("there are no known lower bounds for " +
                                std::string(collective.name));
  return *found;
}

// The least k with (links + 1)^k >= p.
int rounds_to_reach(int p, int links) {
  int rounds = 0;
  for (std::int64_t reached = 1; reached < p; reached *= links + 1) ++rounds;
  return rounds;
}

double but_one(int of) { return static_cast<double>(of - 1) / of; }

// The total reduction work, divided by the ranks. The last rank combines most contributions.
double reduced_by_one(const Collective& collective, int p) {
  if (!collective.reduces) return 0;
  const int combined =
      collective.contributors != nullptr ? collective.contributors({.p = p}, p - 1) : p;
  return static_cast<double>(std::max(combined - 1, 0)) / p;
}

}  // namespace

Bounds table_bounds(const Collective& collective, int p, int links, double n) {
  const Row& row = row_of(collective);
  if (p == 1) return {};
  return {.rounds = rounds_to_reach(p, links),
          .link_bytes = row.times * (row.part ? but_one(p) : 1) * n / links,
          .reduced_bytes = reduced_by_one(collective, p) * n};
}

Bounds lower_bounds(const Collective& collective, const Shape& shape, double n) {
  const OnLinks where(shape);
  const int nodes = static_cast<int>(std::set(where.cells.begin(), where.cells.end()).size());
  Bounds result;
  if (nodes > 1) {
    const int most = where.links.most_of_a_cell();
    const int links = row_of(collective).root_only ? where.links.of_cell(where.cells[shape.root])
                                                   : where.links.fewest_of_a_cell();
    result.rounds = rounds_to_reach(nodes, most);
    result.link_bytes = table_bounds(collective, nodes, links, n).link_bytes;
  }
  result.reduced_bytes = reduced_by_one(collective, shape.p) * n;
  return result;
}

double link_share(const Algorithm& algorithm, const Shape& shape, const LinkTraffic& traffic) {
  const Datum data = algorithm.collective.data(shape);
  return data == 0 ? 0 : static_cast<double>(traffic.largest) / static_cast<double>(data);
}

}  // namespace toccata
