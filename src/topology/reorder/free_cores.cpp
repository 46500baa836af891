#include "topology/reorder/free_cores.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <random>

namespace toccata {

namespace {

// Ranks in the order of their places in the machine's tree; unbound ranks of an object come after
// its bound ones.
std::vector<int> in_order_of_tree(const Placement& placement) {
  const Machine& machine = placement.machine();
  std::vector<int> ranks(placement.p());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::sort(ranks, [&](int a, int b) {
    const Place& one = placement.place(a);
    const Place& other = placement.place(b);
    const int level = std::min(one.level, other.level);
    const int here = machine.ancestor(one.level, one.object, level);
    const int there = machine.ancestor(other.level, other.object, level);
    if (here != there) return here < there;
    return one.level != other.level ? one.level > other.level : a < b;
  });
  return ranks;
}

}  // namespace

FreeCores::FreeCores(const Placement& placement, std::optional<unsigned> seed)
    : placement_(&placement), position_(placement.p()), turn_(placement.p()) {
  const int p = placement.p();
  const std::vector<int> in_order = in_order_of_tree(placement);
  by_turn_ = in_order;
  if (seed) {  // our own, because that of the standard library differs between platforms
    std::mt19937 engine(*seed);
    for (int i = p - 1; i > 0; --i) std::swap(by_turn_[i], by_turn_[engine() % (i + 1)]);
  }
  for (int i = 0; i < p; ++i) {
    position_[in_order[i]] = i;
    turn_[by_turn_[i]] = i;
  }
  const int leaves = static_cast<int>(std::bit_ceil(static_cast<unsigned>(p)));
  tree_.assign(std::size_t{2} * leaves, none);
  for (int i = 0; i < p; ++i) tree_[leaves + i] = turn_[in_order[i]];
  for (int node = leaves - 1; node > 0; --node)
    tree_[node] = std::min(tree_[2 * node], tree_[2 * node + 1]);

  const Machine& machine = placement.machine();
  for (int level = 0; level < machine.levels(); ++level) {
    const Regions& regions = placement.regions(level);
    std::vector<Row>& rows = rows_.emplace_back(regions.number(), Row{p, p});
    for (int i = p - 1; i >= 0; --i) rows[regions.of(in_order[i])].first = i;
    for (int region = 0; region < regions.number(); ++region)
      rows[region].end = rows[region].first + regions.size(region);
  }
  if (!machine.network()) return;
  const Mesh& mesh = *machine.network();
  Box all{std::vector<int>(mesh.dims.size(), 0), mesh.dims};
  for (int& each : all.high) --each;
  boxes_.push_back(std::move(all));
  box_of_cell_.resize(mesh.cells());
  halve(0, mesh);
  for (int rank = 0; rank < p; ++rank) {
    const Place& place = placement.place(rank);
    for (int box = box_of_cell_[machine.ancestor(place.level, place.object, 0)]; box >= 0;
         box = boxes_[box].outer)
      boxes_[box].best = std::min(boxes_[box].best, turn_[rank]);
  }
}

void FreeCores::halve(int box, const Mesh& mesh) {
  const std::vector<int> low = boxes_[box].low, high = boxes_[box].high;
  int longest = 0;
  for (int i = 1; i < mesh.dimensions(); ++i)
    if (high[i] - low[i] > high[longest] - low[longest]) longest = i;
  if (low == high) {
    box_of_cell_[mesh.cell(low)] = box;
    return;
  }
  const int halves = boxes_[box].halves = static_cast<int>(boxes_.size());
  const int middle = (low[longest] + high[longest]) / 2;
  boxes_.push_back({low, high, 0, box});
  boxes_.back().high[longest] = middle;
  boxes_.push_back({low, high, 0, box});
  boxes_.back().low[longest] = middle + 1;
  halve(halves, mesh);
  halve(halves + 1, mesh);
}

// The lowest turn in a row of positions.
int FreeCores::lowest(Row row) const {
  const int leaves = static_cast<int>(tree_.size() / 2);
  int result = none;
  for (int first = row.first + leaves, end = row.end + leaves; first < end; first /= 2, end /= 2) {
    if (first % 2 == 1) result = std::min(result, tree_[first++]);
    if (end % 2 == 1) result = std::min(result, tree_[--end]);
  }
  return result;
}

void FreeCores::take(int rank) {
  int node = position_[rank] + static_cast<int>(tree_.size() / 2);
  tree_[node] = none;
  while ((node /= 2) > 0) tree_[node] = std::min(tree_[2 * node], tree_[2 * node + 1]);
  if (boxes_.empty()) return;
  const Place& place = placement_->place(rank);
  int box = box_of_cell_[placement_->machine().ancestor(place.level, place.object, 0)];
  boxes_[box].best = lowest(rows_[0][placement_->regions(0).of(rank)]);
  while ((box = boxes_[box].outer) >= 0) {
    const int halves = boxes_[box].halves;
    boxes_[box].best = std::min(boxes_[halves].best, boxes_[halves + 1].best);
  }
}

int FreeCores::take_closest_to(int rank) {
  int turn = none;
  for (int level = placement_->machine().innermost(); level >= 0 && turn == none; --level)
    turn = lowest(rows_[level][placement_->regions(level).of(rank)]);
  if (turn == none && boxes_.empty()) turn = tree_[1];
  if (turn == none) {
    const Machine& machine = placement_->machine();
    const Place& place = placement_->place(rank);
    Found found{none, none};
    search(0, machine.network()->coordinates(machine.ancestor(place.level, place.object, 0)),
           found);
    turn = found.turn;
  }
  take(by_turn_[turn]);
  return by_turn_[turn];
}

int FreeCores::distance_to(const Box& box, const std::vector<int>& cell) const {
  const Mesh& mesh = *placement_->machine().network();
  int result = 0;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (box.low[i] <= cell[i] && cell[i] <= box.high[i]) continue;
    const int up = box.low[i] - cell[i], down = cell[i] - box.high[i];
    const int size = mesh.dims[i];
    result +=
        mesh.periodic[i] ? std::min((up + size) % size, (down + size) % size) : std::max(up, down);
  }
  return result;
}

void FreeCores::search(int box, const std::vector<int>& cell, Found& found) const {
  const Box& here = boxes_[box];
  if (here.best == none) return;
  const Found at_best{distance_to(here, cell), here.best};
  if (at_best >= found) return;
  if (here.halves == 0) {
    found = at_best;
    return;
  }
  const bool second_first =
      distance_to(boxes_[here.halves + 1], cell) < distance_to(boxes_[here.halves], cell);
  search(here.halves + (second_first ? 1 : 0), cell, found);
  search(here.halves + (second_first ? 0 : 1), cell, found);
}

}  // namespace toccata
