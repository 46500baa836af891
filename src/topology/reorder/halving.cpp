#include "topology/reorder/halving.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <unordered_map>

#include "topology/reorder/bisection.h"
#include "topology/reorder/distance.h"

namespace toccata {

namespace {

// Ranks, and as many cores in one object of `level`, on which they will run.
struct Group {
  int level;
  std::vector<int> cores, ranks = {};
};

// The cells of a mesh between two corners, both included.
struct Box {
  std::vector<int> low, high;
};

// The mean number of links between cells of two boxes.
double mean_hops(const Mesh& mesh, const Box& one, const Box& other) {
  double sum = 0;
  for (int i = 0; i < mesh.dimensions(); ++i) {
    const int length = mesh.dims[i];
    int hops = 0;
    for (int a = one.low[i]; a <= one.high[i]; ++a)
      for (int b = other.low[i]; b <= other.high[i]; ++b) {
        const int straight = std::abs(a - b);
        hops += mesh.periodic[i] ? std::min(straight, length - straight) : straight;
      }
    sum += static_cast<double>(hops) / (one.high[i] - one.low[i] + 1) /
           (other.high[i] - other.low[i] + 1);
  }
  return sum;
}

// Divides groups of cores.
class Cuts {
 public:
  explicit Cuts(const Placement& placement)
      : placement_(placement), network_(placement.machine().network()) {}

  // Two parts of the cores, as equal as the objects permit. None if all cores are alike.
  std::vector<Group> parts(const Group& group) const {
    for (int level = group.level; level < placement_.machine().innermost(); ++level) {
      const Regions& inner = placement_.regions(level + 1);
      std::vector<Group> found =
          level < 0 && network_ ? cut_across(group.cores)
                                : cut(group.cores, level, [&](int core) { return inner.of(core); });
      if (!found.empty()) return found;
    }
    return {};
  }

  // The smallest one around these cores.
  Box box(const std::vector<int>& cores) const {
    Box around{network_->dims, std::vector<int>(network_->dims.size(), 0)};
    for (const int core : cores) {
      const std::vector<int> at = network_->coordinates(cell_of(core));
      for (std::size_t i = 0; i < at.size(); ++i) {
        around.low[i] = std::min(around.low[i], at[i]);
        around.high[i] = std::max(around.high[i], at[i]);
      }
    }
    return around;
  }

 private:
  template <typename Key>
  static std::vector<Group> cut(const std::vector<int>& cores, int level, Key&& key_of) {
    std::vector<std::pair<int, int>> sorted;
    for (const int core : cores) sorted.emplace_back(key_of(core), core);
    std::ranges::sort(sorted);
    const auto n = std::ssize(sorted);
    std::ptrdiff_t middle = 0;  // the change of the key that is closest to it
    for (std::ptrdiff_t i = 1; i < n; ++i)
      if (sorted[i].first != sorted[i - 1].first && std::abs(2 * i - n) < std::abs(2 * middle - n))
        middle = i;
    if (middle == 0) return {};
    std::vector<Group> parts{{level, {}}, {level, {}}};
    for (std::ptrdiff_t i = 0; i < n; ++i)
      parts[i < middle ? 0 : 1].cores.push_back(sorted[i].second);
    return parts;
  }

  std::vector<Group> cut_across(const std::vector<int>& cores) const {
    const auto [low, high] = box(cores);
    std::size_t longest = 0;
    int inner = 1;  // cells in one step of that dimension
    for (std::size_t i = 1; i < low.size(); ++i)
      if (high[i] - low[i] > high[longest] - low[longest]) longest = i;
    for (std::size_t i = longest + 1; i < low.size(); ++i) inner *= network_->dims[i];
    return cut(cores, -1,
               [&](int core) { return cell_of(core) / inner % network_->dims[longest]; });
  }

  int cell_of(int core) const {
    const Place& place = placement_.place(core);
    return placement_.machine().ancestor(place.level, place.object, 0);
  }

  const Placement& placement_;
  const std::optional<Mesh>& network_;
};

class Halving {
 public:
  Halving(const Placement& placement, const Flows& flows, unsigned seed)
      : network_(placement.machine().network()),
        cuts_(placement),
        neighbours_(flows),
        random_(seed),
        mapping_(placement.p()),
        number_(placement.p(), -1),
        box_of_(placement.p(), 0) {
    // Large groups before their parts, so that each knows roughly where its partners are.
    std::deque<Group> groups{{-1, identity(placement.p()), identity(placement.p())}};
    for (; !groups.empty(); groups.pop_front()) {
      const Group& group = groups.front();
      std::vector<Group> parts = cuts_.parts(group);
      if (parts.empty())
        for (std::size_t i = 0; i < group.ranks.size(); ++i)
          mapping_[group.ranks[i]] = group.cores[i];
      else
        divide(group.ranks, parts);
      std::ranges::move(parts, std::back_inserter(groups));
    }
  }

  const Mapping& mapping() const { return mapping_; }

 private:
  void divide(const std::vector<int>& ranks, std::vector<Group>& parts) {
    const bool across_network = network_ && parts[0].level < 0;
    const auto first = static_cast<int>(boxes_.size());
    if (across_network)
      for (const Group& part : parts) boxes_.push_back(cuts_.box(part.cores));
    const WeightedGraph graph = among(ranks, across_network);
    const std::vector<char> side = bisect(graph, static_cast<int>(parts[0].cores.size()), random_);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      parts[side[i]].ranks.push_back(ranks[i]);
      if (across_network) box_of_[ranks[i]] = first + side[i];
    }
  }

  // The traffic among these ranks. Across a network, partners outside pull a rank to the closer one
  // of the last two boxes; otherwise, all cores of the group are equally far from them.
  WeightedGraph among(const std::vector<int>& ranks, bool across_network) {
    WeightedGraph graph;
    for (std::size_t i = 0; i < ranks.size(); ++i) number_[ranks[i]] = static_cast<int>(i);
    std::unordered_map<int, double> pulls;  // by box
    for (const int rank : ranks) {
      double pull = 0;
      for (const Neighbours::Neighbour& each : neighbours_.of(rank))
        if (number_[each.rank] >= 0) {
          graph.edges.push_back({number_[each.rank], each.bytes});
        } else if (across_network) {
          const auto [found, is_new] = pulls.try_emplace(box_of_[each.rank]);
          if (is_new) found->second = pull_of(boxes_[found->first]);
          pull += each.bytes * found->second;
        }
      graph.add_vertex(1, pull);
    }
    for (const int rank : ranks) number_[rank] = -1;
    return graph;
  }

  // What a byte to `box` costs more from the last box than from the one before. The unit is the
  // cost of a byte between these two.
  double pull_of(const Box& box) const {
    const auto hops = [&](const Box& a, const Box& b) { return mean_hops(*network_, a, b); };
    const Box &zero = boxes_[boxes_.size() - 2], &one = boxes_.back();
    const double apart = hops(zero, one) - (hops(zero, zero) + hops(one, one)) / 2;
    return (hops(box, one) - hops(box, zero)) / apart;
  }

  const std::optional<Mesh>& network_;
  Cuts cuts_;
  Neighbours neighbours_;
  std::mt19937 random_;
  Mapping mapping_;
  std::vector<int> number_;  // by rank: in the group that is being divided, or -1
  std::vector<Box> boxes_;   // of all groups so far
  std::vector<int> box_of_;  // by rank: that of its group
};

}  // namespace

Mapping map_by_halving(const Placement& placement, const Flows& flows, unsigned seed) {
  return Halving(placement, flows.without_uniform(), seed).mapping();
}

}  // namespace toccata
