#pragma once

#include <vector>

#include "writing/lanes.h"

namespace toccata {

// The places of blocks in an all-to-all by leaders, for one rank. A leader is a lane: it collects
// the blocks for the ranks that it serves on all nodes: its own place, and every l-th one after it,
// with l leaders per node. On a node with fewer ranks, a rank plays several leaders, and these
// deliver to no other rank. A leader exchanges the blocks with the same lane of other nodes, and
// delivers the incoming blocks. Scratch blocks are added to the schedule. All blocks have the same
// size.
//
//   4 ranks on nodes 0 1 | 2 3, one leader per node; bc is the block from b to c
//   leader 0   handed by 0    aa ab ac ad          handed by 1    ba bb bc bd
//              out, by node   aa ba ab bb | ac bc ad bd       (by destination, then by source)
//              in, by node    into recv of 0: aa ba | ca da        into scratch: ab bb | cb db
//              given to 1     ab bb cb db
//   rank 1     taken from 0   ab bb cb db, into recv
struct LeaderBlocks {
  LeaderBlocks(const Lanes& lanes, int rank, ScheduleBuilder& schedule);

  // By place on the node: the blocks that each rank hands to the lanes of this rank, and the blocks
  // that this rank delivers and that are delivered to it.
  std::vector<BlockRanges> handed, given, taken;
  // By lane: the outgoing blocks, by node, destination and source; and the incoming ones, in their
  // final places if they are for this rank.
  std::vector<BlockMap> out, in;
};

}  // namespace toccata
