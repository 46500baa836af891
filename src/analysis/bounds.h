#pragma once

#include "analysis/links.h"
#include "collectives/collective.h"

namespace toccata {

// Lower bounds for every algorithm. n is the bytes of the whole vector: the message of a broadcast,
// reduction or allreduce; p blocks in other collectives.
struct Bounds {
  int rounds = 0;            // consecutive messages, times alpha
  double link_bytes = 0;     // over the busiest link, times beta
  double reduced_bytes = 0;  // by the busiest rank, times gamma
};

// [chan2006, table 1], with barrier, scan and exscan added for the same reasons. p nodes can each
// send over `links` links at a time; 2N of them on an N-dimensional torus. std::invalid_argument
// for a collective without a row there.
Bounds table_bounds(const Collective& collective, int p, int links, double n);

// The same for the nodes of a mesh, some of which have fewer links. The number of simultaneous
// messages is that of the node with the most links; the bytes are those of the node with the
// highest ratio of data to links. Messages between ranks of one node use no link. On a torus with
// one rank per node and without dimensions of one or two cells, this is the table.
Bounds lower_bounds(const Collective& collective, const Shape& shape, double n);

// The share of the whole vector's n bytes that the busiest link carries.
double link_share(const Algorithm& algorithm, const Shape& shape, const LinkTraffic& traffic);

}  // namespace toccata
