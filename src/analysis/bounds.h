#pragma once

#include "analysis/links.h"
#include "collectives/collective.h"

namespace toccata {

// What no algorithm can do with less, n being the bytes of the whole vector: the message of a
// broadcast, reduction or allreduce; all that the others move, p blocks.
struct Bounds {
  int rounds = 0;            // messages one after the other, times alpha
  double link_bytes = 0;     // over the busiest link, times beta
  double reduced_bytes = 0;  // by the busiest rank, times gamma
};

// [chan2006, table 1], and barrier, scan and exscan by the same reasons: p nodes, each able to send
// over `links` links at a time; 2N of them on an N-dimensional torus. std::invalid_argument for a
// collective that has no row there.
Bounds table_bounds(const Collective& collective, int p, int links, double n);

// The same for the nodes of a mesh, of which some have fewer links: as many messages at a time as
// the node with the most can send, bytes as over the links of the node that has to move most over
// fewest. What ranks of one node tell each other takes no link. On a torus of one rank a node,
// without dimensions of one or two, that is the table.
Bounds lower_bounds(const Collective& collective, const Shape& shape, double n);

// Which share of the whole vector's n bytes the busiest link carries.
double link_share(const Algorithm& algorithm, const Shape& shape, const LinkTraffic& traffic);

}  // namespace toccata
