#include "writing/leader_blocks.h"

#include <algorithm>

namespace toccata {

LeaderBlocks::LeaderBlocks(const Lanes& lanes, int rank, ScheduleBuilder& schedule)
    : handed(lanes.size(lanes.node(rank))),
      given(handed.size()),
      taken(handed.size()),
      out(lanes.number(), BlockMap::table()),
      in(out) {
  const int here = lanes.node(rank), size = lanes.size(here), own = lanes.place(rank);
  const auto some = [&](int blocks) {  // all have the size of block 0
    return schedule.scratch({{Buffer::recv, 0, 1, 0, blocks}}).first;
  };
  for (int lane = own; lane < lanes.number(); lane += size) {
    const int destinations = lanes.served(lane), others = lanes.served(lane, here) - 1;
    int going = some(destinations * size), coming = some(std::max(0, others) * lanes.ranks());
    for (int i = 0; i < size; ++i)
      append(handed[i], {Buffer::scratch, going + i, 1, size, destinations});
    for (int node = 0; node < lanes.nodes(); ++node) {
      const BlockRange there{Buffer::scratch, going, lanes.served(lane, node) * size};
      going += there.count;
      out[lane].add(there);
      BlockRanges back = others < 0 ? BlockRanges{} : lanes.of_node(node);
      for (int i = 1; i <= others; ++i, coming += lanes.size(node)) {
        append(back, {Buffer::scratch, coming, lanes.size(node)});
        append(given[own + i * lanes.number()], {Buffer::scratch, coming, lanes.size(node)});
      }
      in[lane].add(back);
    }
  }
  if (own >= lanes.number())
    for (int node = 0; node < lanes.nodes(); ++node)
      for (const BlockRange& each : lanes.of_node(node)) append(taken[own % lanes.number()], each);
}

}  // namespace toccata
