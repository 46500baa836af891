#include "topology/reorder/fold.h"

#include <algorithm>
#include <numeric>

#include "topology/placements.h"
#include "topology/reorder/best_mapping.h"

namespace toccata {

Flows flows_between_neighbours(const Mesh& mesh, const Weights& weights) {
  Flows result;
  for (int cell = 0; cell < mesh.cells(); ++cell) {
    const std::vector<int> at = mesh.coordinates(cell);
    std::vector<std::pair<int, double>> sent;
    for (int i = 0; i < mesh.dimensions(); ++i)
      for (const int step : {-1, 1}) {
        std::vector<int> beside = at;
        beside[i] += step;
        if (mesh.periodic[i]) beside[i] = (beside[i] + mesh.dims[i]) % mesh.dims[i];
        if (beside[i] >= 0 && beside[i] < mesh.dims[i] && beside != at)
          sent.emplace_back(mesh.cell(beside), weights.empty() ? 1 : weights[i]);
      }
    std::ranges::sort(sent);
    std::vector<std::pair<int, double>> row;
    for (const auto& [peer, bytes] : sent)
      if (!row.empty() && row.back().first == peer)
        row.back().second += bytes;  // both directions of a ring of two
      else if (bytes > 0)
        row.emplace_back(peer, bytes);
    result.add_row(std::move(row));
  }
  return result;
}

std::vector<int> snake(const Mesh& mesh) {
  std::vector<int> cells{0};
  int width = 1;  // cells of the dimensions so far, from the last one on
  for (int i = mesh.dimensions() - 1; i >= 0; --i) {
    const std::vector<int> inner = cells;
    for (int slice = 1; slice < mesh.dims[i]; ++slice)
      for (int j = 0; j < width; ++j)
        cells.push_back(slice * width + inner[slice % 2 == 0 ? j : width - 1 - j]);
    width *= mesh.dims[i];
  }
  return cells;
}

namespace {

// Finds mappings in which each dimension of the job is the snake of a group of the machine's
// dimensions.
class Groups {
 public:
  Groups(const Mesh& job, const Grid& grid, BestMapping& best)
      : job_(job), grid_(grid), best_(best), group_(grid.mesh.dimensions()) {
    assign(0, job.dims);
  }

 private:
  // Puts dimension i of the machine into every group whose remaining size it divides. Of dimensions
  // that are alike, later ones are in the same group as earlier ones, or in a later group.
  void assign(int i, const std::vector<int>& rest) {
    if (i == grid_.mesh.dimensions()) {
      if (std::ranges::count(rest, 1) == job_.dimensions()) offer();
      return;
    }
    int first = 0;
    for (int earlier = 0; earlier < i; ++earlier)
      if (grid_.mesh.dims[earlier] == grid_.mesh.dims[i] &&
          grid_.mesh.periodic[earlier] == grid_.mesh.periodic[i])
        first = group_[earlier];
    for (int group = first; group < job_.dimensions(); ++group)
      if (rest[group] % grid_.mesh.dims[i] == 0) {
        std::vector<int> left = rest;
        left[group] /= grid_.mesh.dims[i];
        group_[i] = group;
        assign(i + 1, left);
      }
  }

  void offer() {
    // For each dimension of the job, the machine's coordinates along its snake.
    std::vector<std::vector<int>> dims(job_.dimensions());
    std::vector<std::vector<int>> snakes;
    std::vector<Mesh> meshes;
    for (int group = 0; group < job_.dimensions(); ++group) {
      for (int i = 0; i < grid_.mesh.dimensions(); ++i)
        if (group_[i] == group) dims[group].push_back(i);
      // An even dimension comes first, so that the snake ends next to its beginning.
      std::ranges::stable_partition(dims[group],
                                    [&](int i) { return grid_.mesh.dims[i] % 2 == 0; });
      Mesh& mesh = meshes.emplace_back();
      for (const int i : dims[group]) {
        mesh.dims.push_back(grid_.mesh.dims[i]);
        mesh.periodic.push_back(grid_.mesh.periodic[i]);
      }
      snakes.push_back(snake(mesh));
    }
    Mapping mapping(job_.cells());
    for (int rank = 0; rank < job_.cells(); ++rank) {
      const std::vector<int> at = job_.coordinates(rank);
      std::vector<int> there(grid_.mesh.dimensions());
      for (int group = 0; group < job_.dimensions(); ++group) {
        const std::vector<int> inside = meshes[group].coordinates(snakes[group][at[group]]);
        for (std::size_t i = 0; i < inside.size(); ++i) there[dims[group][i]] = inside[i];
      }
      mapping[rank] = grid_.rank_at(grid_.mesh.cell(there));
    }
    best_.offer(mapping);
  }

  const Mesh& job_;
  const Grid& grid_;
  BestMapping& best_;
  std::vector<int> group_;  // by dimension of the machine
};

// The ranks along the snake of the machine's mesh, an even dimension first; inside a cell in any
// order.
Mapping along_the_snake(const Placement& placement) {
  const Machine& machine = placement.machine();
  const Mesh& mesh = *machine.network();
  std::vector<int> order(mesh.dimensions());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_partition(order, [&](int i) { return mesh.dims[i] % 2 == 0; });
  Mesh turned;
  for (const int i : order) {
    turned.dims.push_back(mesh.dims[i]);
    turned.periodic.push_back(mesh.periodic[i]);
  }
  std::vector<int> turn(mesh.cells());  // by cell
  int next = 0;
  for (const int cell : snake(turned)) {
    const std::vector<int> at = turned.coordinates(cell);
    std::vector<int> there(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) there[order[i]] = at[i];
    turn[mesh.cell(there)] = next++;
  }
  Mapping ranks = rmh(placement);  // those of a cell in the order of closeness
  std::ranges::stable_sort(ranks, {}, [&](int rank) {
    const Place& place = placement.place(rank);
    return turn[machine.ancestor(place.level, place.object, 0)];
  });
  return ranks;
}

// The cells in the order of repeated halving, always where the fewest bytes cross. Without weights,
// that is across the longest dimension: all parts are nearly square, and so are the patches of
// nodes, sockets and cores.
void append_halved(const Mesh& mesh, const Weights& weights, std::vector<int> low,
                   std::vector<int> high, std::vector<int>& cells) {
  const auto length = [&](int i) {  // in neighbours per byte; 0 cannot be halved
    const int size = high[i] - low[i];
    return size == 1 ? 0 : weights.empty() ? size : size / weights[i];
  };
  int longest = 0;
  for (int i = 1; i < mesh.dimensions(); ++i)
    if (length(i) > length(longest)) longest = i;
  if (length(longest) == 0) {
    cells.push_back(mesh.cell(low));
    return;
  }
  std::vector<int> middle_high = high, middle_low = low;
  middle_high[longest] = middle_low[longest] = (low[longest] + high[longest]) / 2;
  append_halved(mesh, weights, std::move(low), std::move(middle_high), cells);
  append_halved(mesh, weights, std::move(middle_low), std::move(high), cells);
}

Mesh ring_of(int p) { return {{p}, {true}}; }

}  // namespace

Mapping fold(const Placement& placement, const Mesh& job, const Weights& weights) {
  const Flows flows = flows_between_neighbours(job, weights);
  BestMapping best(placement, flows);
  const auto along = [&](const std::vector<int>& order, const Mapping& ranks) {
    Mapping mapping(placement.p());
    for (std::size_t i = 0; i < order.size(); ++i) mapping[order[i]] = ranks[i];
    best.offer(mapping);
  };
  std::vector<int> patches;
  append_halved(job, weights, std::vector<int>(job.dims.size(), 0), job.dims, patches);
  const Mapping walked = rmh(placement);
  along(snake(job), walked);
  along(patches, walked);
  if (placement.machine().network()) along(snake(job), along_the_snake(placement));
  if (const auto grid = grid_of(placement)) Groups(job, *grid, best);
  best.offer_usual_ones();
  return std::move(best).result();
}

Mapping fold_some(const Placement& placement, const Mesh& job, const Weights& weights) {
  const Flows flows = flows_between_neighbours(job, weights);
  BestMapping best(placement, flows);
  // The first ranks, and those on close cores.
  for (Mapping ranks : {identity(placement.p()), rmh(placement)}) {
    const std::span<int> inside(ranks.data(), static_cast<std::size_t>(job.cells()));
    std::ranges::sort(inside);
    std::ranges::sort(ranks.begin() + job.cells(), ranks.end());
    Mapping mapping = ranks;
    const Mapping folded = fold(placement.among(inside), job, weights);
    for (int cell = 0; cell < job.cells(); ++cell) mapping[cell] = ranks[folded[cell]];
    best.offer(std::move(mapping));
  }
  return std::move(best).result();
}

Mapping fold_ring(const Placement& placement, const MappingOptions& options) {
  const Mapping walked = rmh(placement, options);
  if (!placement.machine().network()) return walked;
  Mapping ranks = along_the_snake(placement);
  std::ranges::rotate(ranks, std::ranges::find(ranks, options.root));
  const Flows flows = flows_between_neighbours(ring_of(placement.p()));
  return hop_bytes(placement, flows, ranks) < hop_bytes(placement, flows, walked) ? ranks : walked;
}

}  // namespace toccata
