#include "scotch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "choices/choice.h"

#ifdef TOCCATA_SCOTCH
#include <scotch/scotch.h>
#endif

using namespace toccata;

#ifndef TOCCATA_SCOTCH

bool has_scotch() { return false; }

Mapping map_by_scotch(const Placement&, const Flows&) {
  throw ChoiceError("Toccata was built without Scotch: install libscotch-dev, then run make again");
}

#else

bool has_scotch() { return true; }

namespace {

using Number = SCOTCH_Num;

void must(int failed, const char* what) {
  if (failed != 0) throw ChoiceError(std::string("Scotch could not ") + what);
}

// The guest graph: the load of an edge is the traffic between two ranks, scaled to an integer.
class Guest {
 public:
  explicit Guest(const Flows& flows) {
    const int p = flows.p();
    std::vector<std::vector<std::pair<int, double> > > rows(p);
    double most = 0;
    for (int rank = 0; rank < p; ++rank)
      flows.for_each(rank, [&](int peer, double bytes) {
        rows[rank].emplace_back(peer, bytes);
        rows[peer].emplace_back(rank, bytes);
        most = std::max(most, bytes);
      });
    const double scale = most > 1e5 ? 1e5 / most : 1;
    first_.push_back(0);
    for (auto& row : rows) {
      std::ranges::sort(row);
      for (std::size_t i = 0; i < row.size();) {
        double sum = 0;
        const int peer = row[i].first;
        for (; i < row.size() && row[i].first == peer; ++i) sum += row[i].second;
        ends_.push_back(peer);
        loads_.push_back(std::max<Number>(1, static_cast<Number>(std::lround(sum * scale))));
      }
      first_.push_back(static_cast<Number>(ends_.size()));
    }
    must(SCOTCH_graphInit(&graph), "make a graph");
    must(SCOTCH_graphBuild(&graph, 0, p, first_.data(), nullptr, nullptr, nullptr,
                           static_cast<Number>(ends_.size()), ends_.data(), loads_.data()),
         "build the graph");
  }
  ~Guest() { SCOTCH_graphExit(&graph); }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  SCOTCH_Graph graph;

 private:
  std::vector<Number> first_, ends_, loads_;
};

// The host: the cells of the mesh, or the levels as a regular tree, even if the machine is
// irregular. Scotch gets only those cells or leaves on which ranks run.
class Host {
 public:
  explicit Host(const Placement& placement) : target_(placement.p()) {
    const Machine& machine = placement.machine();
    const int p = placement.p();
    Number targets = 1;
    must(SCOTCH_archInit(&whole), "make an architecture");
    must(SCOTCH_archInit(&arch), "make an architecture");
    if (machine.network()) {
      std::vector<Number> dims(machine.network()->dims.begin(), machine.network()->dims.end());
      const auto n = static_cast<Number>(dims.size());
      const bool torus = std::ranges::count(machine.network()->periodic, false) == 0;
      must(torus ? SCOTCH_archTorusX(&whole, n, dims.data())
                 : SCOTCH_archMeshX(&whole, n, dims.data()),
           "make a mesh");
      // In Scotch's numbers, the first coordinate changes fastest; in ours, the last.
      const Mesh& mesh = *machine.network();
      for (int rank = 0; rank < p; ++rank) {
        const Place& place = placement.place(rank);
        const std::vector<int> at =
            mesh.coordinates(machine.ancestor(place.level, place.object, 0));
        Number number = 0;
        for (int i = mesh.dimensions() - 1; i >= 0; --i) number = number * mesh.dims[i] + at[i];
        target_[rank] = number;
      }
      targets = mesh.cells();
    } else {
      std::vector<Number> sizes, costs;
      for (int level = 0; level < machine.levels(); ++level) {
        sizes.push_back(std::ranges::max(machine.counts(level)));
        costs.push_back(machine.levels() - level);
        targets *= sizes.back();
      }
      must(SCOTCH_archTleaf(&whole, machine.levels(), sizes.data(), costs.data()), "make a tree");
      for (int rank = 0; rank < p; ++rank) {
        Number number = 0;
        const Place& place = placement.place(rank);
        for (int level = 0; level < machine.levels(); ++level) {
          const int object =
              level <= place.level ? machine.ancestor(place.level, place.object, level) : -1;
          int first = object;  // the first object of this level in the same outer object
          while (level > 0 && first > 0 &&
                 machine.outer(level, first - 1) == machine.outer(level, object))
            --first;
          number = number * sizes[level] + (object < 0 ? 0 : level == 0 ? object : object - first);
        }
        target_[rank] = number;
      }
    }
    std::vector<Number> used = target_;
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    if (static_cast<Number>(used.size()) == targets)
      std::swap(whole, arch);
    else
      must(SCOTCH_archSub(&arch, &whole, static_cast<Number>(used.size()), used.data()),
           "take a part of the machine");
    // The part numbers its targets by their position in that list.
    for (Number& each : target_)
      each = static_cast<Number>(std::ranges::lower_bound(used, each) - used.begin());
  }
  ~Host() {
    SCOTCH_archExit(&arch);
    SCOTCH_archExit(&whole);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // By rank.
  const std::vector<Number>& targets() const { return target_; }

  SCOTCH_Arch arch;

 private:
  SCOTCH_Arch whole;
  std::vector<Number> target_;
};

}  // namespace

Mapping map_by_scotch(const Placement& placement, const Flows& flows) {
  const int p = placement.p();
  Guest guest(flows);
  Host host(placement);
  SCOTCH_Strat strategy;
  must(SCOTCH_stratInit(&strategy), "make a strategy");
  std::vector<Number> found(p);
  SCOTCH_randomReset();
  const bool failed = SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATDEFAULT, p, 0.01) != 0 ||
                      SCOTCH_graphMap(&guest.graph, &host.arch, &strategy, found.data()) != 0;
  SCOTCH_stratExit(&strategy);
  must(failed ? 1 : 0, "map the graph");

  std::vector<std::vector<int> > free;  // by target: the ranks that run there, in descending order
  for (int rank = p - 1; rank >= 0; --rank) {
    const auto target = static_cast<std::size_t>(host.targets()[rank]);
    if (free.size() <= target) free.resize(target + 1);
    free[target].push_back(rank);
  }
  Mapping mapping(p, -1);
  const auto take = [&](int role, std::size_t target) {
    if (target >= free.size() || free[target].empty()) return false;
    mapping[role] = free[target].back();
    free[target].pop_back();
    return true;
  };
  for (int role = 0; role < p; ++role) take(role, static_cast<std::size_t>(found[role]));
  std::size_t left = 0;
  for (int role = 0; role < p; ++role)
    while (mapping[role] < 0 && !take(role, left)) ++left;
  return mapping;
}

#endif
