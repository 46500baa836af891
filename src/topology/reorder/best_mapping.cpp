#include "topology/reorder/best_mapping.h"

#include "topology/placements.h"
#include "topology/reorder/halving.h"

namespace toccata {

BestMapping::BestMapping(const Placement& placement, const Flows& flows)
    : placement_(placement),
      flows_(flows),
      mapping_(identity(placement.p())),
      least_(hop_bytes(placement, flows, mapping_)),
      between_(between_nodes(mapping_)) {}

double BestMapping::between_nodes(const Mapping& mapping) const {
  const int level = node_level(placement_.machine());
  double result = 0;
  if (level < 0) return result;
  const Regions& nodes = placement_.regions(level);
  for (int rank = 0; rank < flows_.p(); ++rank)
    flows_.for_each(rank, [&](int peer, double bytes) {
      if (nodes.of(mapping[rank]) != nodes.of(mapping[peer])) result += bytes;
    });
  return result;
}

void BestMapping::offer(Mapping mapping) {
  const double sum = hop_bytes(placement_, flows_, mapping);
  if (sum >= least_ || between_nodes(mapping) > between_) return;
  least_ = sum;
  mapping_ = std::move(mapping);
}

void BestMapping::offer_usual_ones() {
  constexpr int few = 4096;  // halving them takes 0.1 s
  offer(map_flows(placement_, flows_));
  if (placement_.p() <= few && flows_.p() == placement_.p())
    offer(map_by_halving(placement_, flows_, 0));
}

}  // namespace toccata
