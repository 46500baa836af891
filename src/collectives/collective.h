#pragma once

#include <span>
#include <string_view>

#include "collectives/shape.h"
#include "schedule/block_range.h"

namespace toccata {

// The content of a block, named by its origin. Each collective numbers its data: allgather's datum
// r is the contribution of rank r. A block always has the size of the datum that belongs in it. 64
// bits are necessary, because an alltoall has p² data: more than 2³¹ from 46 341 ranks on.
using Datum = std::int64_t;
inline constexpr Datum nothing = -1;

// The definition of a collective, as data. Any schedule can be checked against it.
struct Collective {
  std::string_view name;      // as MPI spells it, in lower case
  std::string_view variable;  // the environment variable that names an algorithm

  // The number of send and recv blocks of a rank.
  int (*blocks)(const Shape& shape, int rank, Buffer buffer);
  Datum (*data)(const Shape& shape);  // the number of data

  // The datum that gives block `block` of send or recv its size on `rank`. It is also defined for
  // blocks that only other ranks have, so that scratch blocks can have their sizes.
  Datum (*sized)(const Shape& shape, int rank, Buffer buffer, int block);
  // The datum in a block before the call (`nothing` if undefined), and the required one afterwards.
  Datum (*before)(const Shape& shape, int rank, Buffer buffer, int block);
  Datum (*after)(const Shape& shape, int rank, Buffer buffer, int block);

  // With MPI_IN_PLACE, the recv block that replaces send block `block`; `nothing` if there is none,
  // for example on ranks that must not pass MPI_IN_PLACE. The function is null if recv blocks would
  // be overwritten before they are sent. In this case, send is a copy of the contents of recv.
  int (*in_place)(const Shape& shape, int rank, int block) = nullptr;

  // Whether MPI_IN_PLACE means that recv is a part of send, which is never written. Otherwise it
  // means that send blocks are in recv.
  bool recv_is_in_send = false;

  // Whether one rank has a special role; Shape::root is that rank.
  bool rooted = false;

  // Whether each rank has one buffer, recv, which is the input on the root. Its blocks then belong
  // to no rank.
  bool one_buffer = false;

  // Whether the data before the call are contributions. Those of all ranks are combined into the
  // datum that `after` returns.
  bool reduces = false;

  // For a reduction: whether each rank receives one block of the result, and contributes to those
  // of all ranks.
  bool scatters_result = false;

  // If a rank's result does not combine the contributions of all ranks: the number of ranks, from
  // rank 0 on, whose contributions it combines.
  int (*contributors)(const Shape& shape, int rank) = nullptr;

  // Whether no rank may leave before all ranks have entered.
  bool synchronizes = false;

  // Whether ranks exchange blocks with their neighbours only; Shape::neighborhood lists these.
  bool among_neighbors = false;

  // For a vector form: the regular collective, which has the algorithms.
  const Collective* vector_of = nullptr;

  const Collective& regular() const { return vector_of != nullptr ? *vector_of : *this; }
  // Whether ranks need only data of the root.
  bool comes_from_root() const;
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
