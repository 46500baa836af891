#include "topology/reorder/refine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <unordered_map>

#include "topology/reorder/distance.h"

namespace toccata {

namespace {

// A core is identified by the rank of the placement that runs there.
class Exchanges {
 public:
  Exchanges(const Placement& placement, const Flows& flows, Mapping mapping)
      : placement_(placement),
        neighbours_(flows),
        core_(std::move(mapping)),
        rank_on_(inverse(core_)),
        asked_(core_.size(), -1) {
    if (placement.machine().network())
      for (int core = 0; core < placement.p(); ++core) in_cell_[cell_of(core)].push_back(core);
  }

  // The best exchange of a rank; false if none saves anything.
  bool improve(int rank) {
    double most = 0;
    int best = -1;
    turn_ = rank;
    for (const Neighbours::Neighbour& partner : neighbours_.of(rank))
      for_each_near(core_[partner.rank], core_[rank], [&](int core) {
        const int other = rank_on_[core];
        if (other == rank || asked_[other] == turn_) return;
        asked_[other] = turn_;
        if (const double saved = saving(rank, other); saved > most) {
          most = saved;
          best = other;
        }
      });
    // Sums of doubles are not exact, and the search must end.
    if (best < 0 || most <= 1e-9 * cost(rank)) return false;
    exchange(rank, best);
    return true;
  }
  void forget_turns() { std::ranges::fill(asked_, -1); }

  // A step of the annealing: an exchange that may also cost hop-bytes, but hardly more than `heat`.
  void step(double heat) {
    const int rank = below(placement_.p());
    const int other = rank_on_[somewhere_for(rank)];
    if (other == rank) return;
    const double saved = saving(rank, other);
    if (saved >= 0 || std::generate_canonical<double, 32>(random_) < std::exp(saved / heat))
      exchange(rank, other);
  }
  double heaviest() const {
    double result = 0;
    for (int rank = 0; rank < placement_.p(); ++rank)
      for (const Neighbours::Neighbour& each : neighbours_.of(rank))
        result = std::max(result, each.bytes);
    return result;
  }

  const Mapping& mapping() const { return core_; }

 private:
  int cell_of(int core) const {
    const Place& place = placement_.place(core);
    return placement_.machine().ancestor(place.level, place.object, 0);
  }

  void exchange(int a, int b) {
    std::swap(core_[a], core_[b]);
    std::swap(rank_on_[core_[a]], rank_on_[core_[b]]);
  }

  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

  // A random core, most often near a random partner.
  int somewhere_for(int rank) {
    const auto partners = neighbours_.of(rank);
    if (!partners.empty() && below(8) > 0) {
      near_.clear();
      const int partner = partners[below(static_cast<int>(partners.size()))].rank;
      for_each_near(core_[partner], core_[rank], [&](int core) { near_.push_back(core); });
      if (!near_.empty()) return near_[below(static_cast<int>(near_.size()))];
    }
    return below(placement_.p());
  }

  template <typename Visit>
  void for_each_near(int partner, int own, Visit&& visit) {
    const int level = placement_.common_level(partner, own) + 1;
    if (level < placement_.machine().levels()) {
      const Regions& regions = placement_.regions(level);
      for (const int each : regions.members(regions.of(partner))) visit(each);
    }
    if (level > 0 || in_cell_.empty()) return;
    for (const int cell : placement_.machine().network()->neighbors(cell_of(partner)))
      if (const auto found = in_cell_.find(cell); found != in_cell_.end())
        for (const int each : found->second) visit(each);
  }

  double cost(int rank) const {
    double sum = 0;
    for (const Neighbours::Neighbour& each : neighbours_.of(rank))
      sum += each.bytes * distance(placement_, core_[rank], core_[each.rank]);
    return sum;
  }

  // The hop-bytes that `rank` saves on the core of `other`, without those between the two.
  double saving_of_move(int rank, int other) const {
    double sum = 0;
    for (const Neighbours::Neighbour& each : neighbours_.of(rank))
      if (each.rank != other)
        sum += each.bytes * (distance(placement_, core_[rank], core_[each.rank]) -
                             distance(placement_, core_[other], core_[each.rank]));
    return sum;
  }
  double saving(int a, int b) const { return saving_of_move(a, b) + saving_of_move(b, a); }

  const Placement& placement_;
  Neighbours neighbours_;
  Mapping core_, rank_on_;
  std::vector<int> asked_;  // by rank: the rank whose turn last asked it
  int turn_ = -1;
  std::vector<int> near_;
  std::mt19937 random_;
  std::unordered_map<int, std::vector<int>> in_cell_;
};

// The share of the work that is done, by steps or by time, whichever is larger.
class Progress {
 public:
  Progress(double steps, double seconds) : steps_(steps), seconds_(seconds) {}
  double operator()() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    return std::max(done_++ / steps_, took.count() / seconds_);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double steps_, seconds_, done_ = 0;
};

constexpr double steps_per_rank = 2000;

void descend(Exchanges& exchanges, int p, double seconds) {
  Progress progress(std::numeric_limits<double>::infinity(), seconds);
  for (bool improved = true; improved && progress() < 1;) {
    improved = false;
    exchanges.forget_turns();
    for (int rank = 0; rank < p && progress() < 1; ++rank)
      improved = exchanges.improve(rank) || improved;
  }
}

void anneal(Exchanges& exchanges, int p, double seconds) {
  Progress progress(p * steps_per_rank, seconds);
  const double hot = exchanges.heaviest();
  for (double done; (done = progress()) < 1;) exchanges.step(hot * (1 - done) * (1 - done));
}

}  // namespace

Mapping refine(const Placement& placement, const Flows& all, Mapping mapping, double seconds) {
  const Flows flows = all.without_uniform();
  Exchanges exchanges(placement, flows, std::move(mapping));
  descend(exchanges, placement.p(), seconds / 4);
  Mapping found = exchanges.mapping();
  anneal(exchanges, placement.p(), seconds / 2);
  descend(exchanges, placement.p(), seconds / 4);
  const Mapping& annealed = exchanges.mapping();
  return hop_bytes(placement, flows, annealed) < hop_bytes(placement, flows, found) ? annealed
                                                                                    : found;
}

}  // namespace toccata
