#pragma once

#include "collectives/collective.h"
#include "networks/links.h"

namespace toccata {

// Lower bounds that hold for every algorithm. n is the number of bytes of the whole vector. It is
// the message of a broadcast, reduction or allreduce, and p blocks in other collectives.
struct Bounds {
  int rounds = 0;            // consecutive messages, times alpha
  double link_bytes = 0;     // over the busiest link, times beta
  double reduced_bytes = 0;  // by the busiest rank, times gamma
};

// The bounds of [chan2006, table 1], and bounds of barrier, scan and exscan that follow in the same
// way. Each of p nodes can send over `links` links at a time: 2N links on an N-dimensional torus.
// std::invalid_argument if no bounds of the collective are known.
Bounds table_bounds(const Collective& collective, int p, int links, double n);

// The same for the nodes of a mesh, some of which have fewer links than others. `rounds` is
// computed for the node with the most links, and `link_bytes` for the node with the most data per
// link. Messages between ranks of one node use no link. The result is that of table_bounds on a
// torus with one rank per node and at least three cells in each dimension.
Bounds lower_bounds(const Collective& collective, const Shape& shape, double n);

// The share of the whole vector's n bytes that the busiest link carries.
double link_share(const Algorithm& algorithm, const Shape& shape, const LinkTraffic& traffic);

}  // namespace toccata
