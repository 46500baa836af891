#pragma once

#include "topology/reorder/flows.h"

namespace toccata {

// The mapping with the fewest hop-bytes among those offered that do not have more bytes between
// nodes than the ranks as they are. There may be more ranks than roles in the traffic: those after
// the last role have none.
class BestMapping {
 public:
  BestMapping(const Placement& placement, const Flows& flows);

  void offer(Mapping mapping);
  // Those for any traffic: map_flows, and for up to 4096 ranks map_by_halving.
  void offer_usual_ones();
  Mapping result() && { return std::move(mapping_); }

 private:
  double between_nodes(const Mapping& mapping) const;

  const Placement& placement_;
  const Flows& flows_;
  Mapping mapping_;
  double least_, between_;
};

}  // namespace toccata
