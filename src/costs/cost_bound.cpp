#include "costs/cost_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "collectives/neighborhood.h"
#include "topology/placement.h"

namespace toccata {

namespace {

// The lowest costs of any message between ranks of some levels.
struct Best {
  double latency = std::numeric_limits<double>::infinity();  // of an empty message, o included
  double gap = std::numeric_limits<double>::infinity();      // between two messages of a rank
  double beta = std::numeric_limits<double>::infinity();     // seconds per byte on a busy link

  void take(const Model::Level& level) {
    take(level.eager);
    if (level.threshold != std::numeric_limits<std::int64_t>::max()) take(level.rendezvous);
  }
  // One flag reaches any number of readers.
  void take(const Model::Publishing& publishing) {
    latency = std::min(latency, publishing.latency);
    gap = 0;
    beta = std::min({beta, publishing.write, publishing.read});
  }
  void take(const Protocol& protocol) {
    latency = std::min(latency, protocol.alpha + 2 * protocol.o);
    gap = std::min(gap, std::max(protocol.g, protocol.o));
    beta = std::min(beta, protocol.tau * protocol.beta);
  }
};

// The data that ranks must receive and send, in units.
class Demand {
 public:
  Demand(const Collective& collective, const Shape& shape)
      : collective_(collective),
        shape_(shape),
        owner_(collective.data(shape), none),
        seen_(owner_.size(), none),
        out_(shape.p, 0),
        in_(shape.p, 0) {
    for (int rank = 0; rank < shape.p; ++rank)
      visit(rank, collective.before, [&](Datum datum) {
        owner_[datum] = owner_[datum] == none || owner_[datum] == rank ? rank : several;
      });
    std::vector<std::int32_t> told(shape.p, none), tells(shape.p, 0);
    std::vector<bool> given(owner_.size(), false);
    for (int rank = 0; rank < shape.p; ++rank) {
      int sources = 0;
      visit(rank, collective.after, [&](Datum datum) {
        if (collective.reduces) {
          ++in_[rank];
          return;
        }
        const int owner = owner_[datum];
        if (owner == rank || (owner == several && holds(rank, datum))) return;
        ++in_[rank];
        if (owner < 0) return;
        if (!given[datum]) ++out_[owner];
        given[datum] = true;
        if (told[owner] == rank) return;
        told[owner] = rank;
        ++sources;
        widest_ = std::max(widest_, ++tells[owner] + 1);
      });
      widest_ = std::max(widest_, sources + 1);
    }
    if (collective.reduces || collective.synchronizes) widest_ = shape.p;
  }

  // The maximum that any rank receives or sends.
  std::int64_t most() const { return std::max(std::ranges::max(in_), std::ranges::max(out_)); }
  // The number of ranks that data of one rank must reach, or from which one rank needs data.
  int widest() const { return widest_; }

  // The maximum amount that must enter or leave any region, divided by the number of its ranks.
  double most_across(const Regions& regions) {
    std::vector<std::int32_t> home(owner_.size(), none);  // the only region that holds a datum
    for (int region = 0; region < regions.number(); ++region)
      for (const int rank : regions.members(region))
        visit(rank, collective_.before, [&](Datum datum) {
          home[datum] = home[datum] == none || home[datum] == region ? region : several;
        });
    std::vector<std::int64_t> in(regions.number(), 0), out(regions.number(), 0);
    std::vector<std::int32_t> came(owner_.size(), none);  // the last region that it entered
    std::vector<bool> given(owner_.size(), false);
    for (int region = 0; region < regions.number(); ++region)
      for (const int rank : regions.members(region))
        visit(rank, collective_.after, [&](Datum datum) {
          if (came[datum] == region) return;
          came[datum] = region;
          if (!collective_.reduces && (home[datum] < 0 || home[datum] == region)) return;
          ++in[region];
          if (collective_.reduces || given[datum]) return;
          given[datum] = true;
          ++out[home[datum]];
        });
    double most = 0;
    for (int region = 0; region < regions.number() && regions.number() > 1; ++region)
      most = std::max(
          most, static_cast<double>(std::max(in[region], out[region])) / regions.size(region));
    return most;
  }

 private:
  static constexpr std::int32_t none = -1, several = -2;

  using What = Datum (*)(const Shape&, int, Buffer, int);

  // Visits every datum of a rank once.
  template <typename Visit>
  void visit(int rank, What what, Visit&& visit) {
    const std::int32_t stamp = ++stamp_;
    for (const Buffer buffer : {Buffer::send, Buffer::recv})
      for (int block = 0; block < collective_.blocks(shape_, rank, buffer); ++block) {
        const Datum datum = what(shape_, rank, buffer, block);
        if (datum == nothing || seen_[datum] == stamp) continue;
        seen_[datum] = stamp;
        visit(datum);
      }
  }

  bool holds(int rank, Datum datum) const {
    for (const Buffer buffer : {Buffer::send, Buffer::recv})
      for (int block = 0; block < collective_.blocks(shape_, rank, buffer); ++block)
        if (collective_.before(shape_, rank, buffer, block) == datum) return true;
    return false;
  }

  const Collective& collective_;
  const Shape& shape_;
  std::vector<std::int32_t> owner_;  // of each datum before the call
  std::vector<std::int32_t> seen_;
  std::int32_t stamp_ = 0;
  std::vector<std::int64_t> out_, in_;
  int widest_ = 1;
};

// The time until data have reached `objects` objects, each of which has `ranks` ranks that send at
// the same time.
double spread(int objects, int ranks, const Best& best) {
  if (objects <= 1 || best.latency == 0) return 0;
  if (best.gap == 0) return best.latency;
  const double others = ranks * std::ceil(best.latency / best.gap * (1 - 1e-12));
  double seconds = 0;
  for (double reached = 1; reached < objects; reached *= 1 + others) seconds += best.latency;
  return seconds;
}

}  // namespace

LowerBound::LowerBound(const Collective& collective, const Shape& shape, const Model& model)
    : start_(model.start) {
  if (shape.p == 1) return;
  Shape whole = with_neighbors(collective, shape);
  whole.parts = 1;
  Demand demand(collective, whole);

  // The bound of each level of the machine uses the model's levels further out. The bound of the
  // ranks uses all levels.
  Best best;
  best.take(model.levels.front());
  if (const Placement* const placement = shape.placement.get()) {
    const Machine& machine = placement->machine();
    for (int level = 0; level < machine.levels(); ++level) {
      const Regions& regions = placement->regions(level);
      if (demand.widest() == shape.p)
        messages_ = std::max(messages_, spread(regions.number(), regions.largest(), best));
      bytes_ = std::max(bytes_, demand.most_across(regions) * best.beta);
      const auto known = std::ranges::find(model.levels, machine.name(level), &Model::Level::name);
      if (known != model.levels.end() && regions.largest() > 1) best.take(*known);
      if (machine.name(level) == "node" && regions.largest() > 1 && model.publishing)
        best.take(*model.publishing);
    }
  }
  messages_ = std::max(messages_, spread(demand.widest(), 1, best));
  bytes_ = std::max(bytes_, static_cast<double>(demand.most()) * best.beta);
  latency_ = demand.most() > 0 ? best.latency : 0;
}

double LowerBound::operator()(std::int64_t unit_bytes) const {
  return start_ + std::max(messages_, latency_ + bytes_ * static_cast<double>(unit_bytes));
}

}  // namespace toccata
