#pragma once

#include <span>
#include <string_view>

#include "collectives/shape.h"
#include "schedule/block_range.h"

namespace toccata {

// What a block holds, by the name of its origin. Each collective numbers its data: allgather's
// datum r is what rank r contributes. A block always has the size of the datum it is meant for.
// 64 bits: an alltoall has p² data, more than 2³¹ from 46 341 ranks on.
using Datum = std::int64_t;
inline constexpr Datum nothing = -1;

// What a collective promises, as data: any schedule can be held to it.
struct Collective {
  std::string_view name;      // as MPI spells it, in lower case
  std::string_view variable;  // the environment's variable that asks for an algorithm

  // Blocks of send and of recv that a rank has.
  int (*blocks)(const Shape& shape, int rank, Buffer buffer);
  Datum (*data)(const Shape& shape);  // how many data there are

  // The datum whose size block `block` of send or recv has, on `rank`; told of blocks that only
  // other ranks have as well, so that scratch can be like them.
  Datum (*sized)(const Shape& shape, int rank, Buffer buffer, int block);
  // What it holds before the call, `nothing` if undefined, and must hold afterwards.
  Datum (*before)(const Shape& shape, int rank, Buffer buffer, int block);
  Datum (*after)(const Shape& shape, int rank, Buffer buffer, int block);

  // Under MPI_IN_PLACE, the recv block that send block `block` is; `nothing` if it is none, as on
  // ranks where that is not allowed. Null where recv blocks would be overwritten before they are
  // sent: there, send is a copy of what was in recv.
  int (*in_place)(const Shape& shape, int rank, int block) = nullptr;

  // Whether one rank has a part of its own; Shape::root then says which.
  bool rooted = false;

  // Whether what ranks hold before the call are contributions, to be combined with those of all
  // ranks to the datum that `after` names.
  bool reduces = false;

  // Where not all of them are combined on every rank: those of how many ranks, from rank 0 on.
  int (*contributors)(const Shape& shape, int rank) = nullptr;

  // Whether no rank may leave before all have come.
  bool synchronizes = false;

  // Whether ranks have blocks for, and of, their neighbours; Shape::neighborhood then says which.
  bool among_neighbors = false;

  // Where it is the vector form of another, which then has the algorithms.
  const Collective* vector_of = nullptr;

  const Collective& regular() const { return vector_of != nullptr ? *vector_of : *this; }
};

extern const Collective allgather;
extern const Collective allreduce;
extern const Collective alltoall;
extern const Collective alltoallv;
extern const Collective barrier;
extern const Collective bcast;
extern const Collective exscan;
extern const Collective gather;
extern const Collective gatherv;
extern const Collective neighbor_allgather;
extern const Collective neighbor_allgatherv;
extern const Collective neighbor_alltoall;
extern const Collective neighbor_alltoallv;
extern const Collective reduce;
extern const Collective reduce_scatter;
extern const Collective scan;
extern const Collective scatter;
extern const Collective scatterv;

std::span<const Collective* const> collectives();

// The collective of that name; null if there is none.
const Collective* find_collective(std::string_view name);

}  // namespace toccata
