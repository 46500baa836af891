#include "topology/reorder/least.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "topology/reorder/distance.h"

namespace toccata {

namespace {

// For k = 0 .. number - 1, the least distance from any core to its k-th nearest other core.
std::vector<int> nearest(const Placement& placement, int number) {
  std::vector<int> least(number, std::numeric_limits<int>::max());
  std::vector<int> at;  // by distance: cores
  for (int core = 0; core < placement.p(); ++core) {
    std::ranges::fill(at, 0);
    for (int other = 0; other < placement.p(); ++other) {
      if (other == core) continue;
      const int away = distance(placement, core, other);
      if (away >= std::ssize(at)) at.resize(away + 1);
      ++at[away];
    }
    int k = 0;
    for (int away = 0; away < std::ssize(at); ++away)
      for (int i = 0; i < at[away] && k < number; ++i, ++k) least[k] = std::min(least[k], away);
  }
  return least;
}

// By rank: the bytes with each partner in both directions, the most first.
std::vector<std::vector<double>> bytes_of_partners(const Flows& flows) {
  const Neighbours neighbours(flows);
  std::vector<std::vector<double>> result(flows.p());
  for (int rank = 0; rank < flows.p(); ++rank) {
    for (const Neighbours::Neighbour& each : neighbours.of(rank))
      result[rank].push_back(each.bytes);
    std::ranges::sort(result[rank], std::greater{});
  }
  return result;
}

}  // namespace

double least_hop_bytes(const Placement& placement, const Flows& flows) {
  const int p = placement.p();
  Mapping same(p);
  for (int rank = 0; rank < p; ++rank) same[rank] = rank;
  const Flows uneven = flows.without_uniform();
  const double uniform = hop_bytes(placement, flows, same) - hop_bytes(placement, uneven, same);
  const std::vector<std::vector<double>> bytes = bytes_of_partners(uneven);
  std::size_t most = 0;
  for (const std::vector<double>& each : bytes) most = std::max(most, each.size());
  const std::vector<int> distances = nearest(placement, static_cast<int>(most));
  double twice = 0;  // each flow is at both of its ranks
  for (const std::vector<double>& each : bytes)
    for (std::size_t k = 0; k < each.size(); ++k) twice += each[k] * distances[k];
  return twice / 2 + std::max(0.0, uniform);
}

}  // namespace toccata
