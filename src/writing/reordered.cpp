#include "writing/reordered.h"

#include "schedule/combinators.h"
#include "topology/placement.h"
#include "topology/reorder/heuristics.h"

namespace toccata {

namespace {

// The properties of a collective's buffer, found from a communicator of two ranks.
struct Role {
  bool block_a_rank = false;  // some rank has a block for, or from, each rank
  bool own = false;           // the contents belong to the rank itself
};

Role role_of(const Collective& collective, Buffer buffer) {
  const Shape two{.p = 2};
  const auto blocks = [&](int rank) { return collective.blocks(two, rank, buffer); };
  const auto datum = [&](int rank) {
    return (buffer == Buffer::send ? collective.before : collective.after)(two, rank, buffer, 0);
  };
  return {.block_a_rank = blocks(0) == 2,
          .own = blocks(0) > 0 && blocks(1) > 0 && datum(0) != datum(1)};
}

// Our blocks that have the sizes of another rank's blocks: the blocks of our other buffer that go
// to or come from that rank, or, in reductions, our own blocks.
BlockRange like(const Collective& collective, Buffer buffer, int rank, const Shape& shape) {
  if (buffer == Buffer::send && collective.reduces)
    return {Buffer::send, 0, collective.blocks(shape, rank, Buffer::send)};
  return {buffer == Buffer::send ? Buffer::recv : Buffer::send, rank * shape.parts, shape.parts};
}

// In place, the own block of a scatter's root is input: it must not come back from elsewhere.
bool has_own_block(const Collective& collective, const Shape& shape, int rank) {
  return collective.recv_is_in_send && rank == shape.root;
}
BlockRange own_block(const Shape& shape, int rank) {
  return {Buffer::send, rank * shape.parts, shape.parts};
}

// Our contribution goes to the rank that plays our role, and this rank sends us the result.
Schedule exchanged(const Algorithm& algorithm, const Shape& shape, int rank) {
  const Collective& collective = algorithm.collective;
  const Reordering& who = *shape.reordering;
  const int role = who.roles[rank], player = who.players[rank];
  const bool plays_itself = role == rank;
  const bool before =
      role_of(collective, Buffer::send).own || (collective.reduces && algorithm.ordered);
  const bool after = role_of(collective, Buffer::recv).own;

  BlockMap send = BlockMap::affine(Buffer::send, 0), recv = BlockMap::affine(Buffer::recv, 0);
  ScheduleBuilder exchange;
  int scratch = 0;
  if (before && !plays_itself) {
    const BlockRange played = exchange.scratch({like(collective, Buffer::send, role, shape)});
    scratch += played.count;
    exchange.round()
        .send(player, toccata::send(0, collective.blocks(shape, rank, Buffer::send)))
        .recv(role, played);
    send = BlockMap::affine(Buffer::scratch, played.first);
  }
  BlockRange result;
  if (after && !plays_itself) {
    result = exchange.scratch({like(collective, Buffer::recv, role, shape)});
    scratch += result.count;
    recv = BlockMap::affine(Buffer::scratch, result.first);
  }
  const Schedule own = algorithm.schedule(who.played, role);
  ScheduleBuilder all;
  if (before && plays_itself) all.round();  // a round in which other ranks swap
  all.then(going_on(std::move(exchange).build(), on(who.players, own, send, recv, scratch)));
  // The schedules of some roles are longer, so ranks exchange their results in different rounds.
  // Published messages must be in the same round, so these have another kind of travel, which is
  // like `whole` for a block range.
  if (after && !plays_itself) {
    all.round();
    if (!has_own_block(collective, shape, role)) all.send(role, result, Travel::datatype);
    const BlockRange into = toccata::recv(0, result.count);
    if (has_own_block(collective, shape, rank))
      all.copy(own_block(shape, rank), into);
    else
      all.recv(player, into, Travel::datatype);
  }
  return std::move(all).build();
}

// Blocks are in scratch in the order of the roles. They are copied from their places at first, and
// to their places at the end.
Schedule shuffled(const Algorithm& algorithm, const Shape& shape, int rank) {
  const Collective& collective = algorithm.collective;
  const Reordering& who = *shape.reordering;
  ScheduleBuilder copies;
  int scratch = 0;
  BlockRanges ours;
  const auto in_scratch = [&](Buffer buffer) {
    const int blocks = collective.blocks(shape, rank, buffer);
    if (!role_of(collective, buffer).block_a_rank) return BlockMap::affine(buffer, 0);
    // A rank other than the root has no such blocks, but scratch blocks of their sizes.
    if (blocks == 0) return BlockMap::permuted(buffer, who.players, shape.parts);
    ours.clear();
    BlockMap::permuted(buffer, who.players, shape.parts).map({buffer, 0, blocks}, ours);
    const BlockRange played = copies.scratch(ours);
    scratch += blocks;
    if (buffer == Buffer::send) copies.round().copy(ours, {played});
    return BlockMap::affine(Buffer::scratch, played.first);
  };
  const BlockMap send = in_scratch(Buffer::send);
  const int first = scratch;
  BlockMap recv = in_scratch(Buffer::recv);
  const bool has_own = has_own_block(collective, shape, rank);
  if (has_own) {
    recv = BlockMap::affine(Buffer::scratch, copies.scratch({own_block(shape, rank)}).first);
    scratch += shape.parts;
  }
  const Schedule own = algorithm.schedule(who.played, who.roles[rank]);
  ScheduleBuilder all;
  if (first == 0 && role_of(collective, Buffer::send).block_a_rank) all.round();  // the root copies
  all.then(going_on(std::move(copies).build(), on(who.players, own, send, recv, scratch)));
  if (has_own)
    all.round().copy(own_block(shape, rank), toccata::recv(0, shape.parts));
  else if (scratch > first)
    all.round().copy({{Buffer::scratch, first, scratch - first}}, ours);
  return std::move(all).build();
}

Schedule straight(const Algorithm& algorithm, const Shape& shape, int rank) {
  const Reordering& who = *shape.reordering;
  const Schedule own = algorithm.schedule(who.played, who.roles[rank]);
  const bool send = role_of(algorithm.collective, Buffer::send).block_a_rank;
  const bool recv = role_of(algorithm.collective, Buffer::recv).block_a_rank;
  if (send && recv) return relabel(who.players, own, {Buffer::send, Buffer::recv}, shape.parts);
  if (send) return relabel(who.players, own, {Buffer::send}, shape.parts);
  if (recv) return relabel(who.players, own, {Buffer::recv}, shape.parts);
  return relabel(who.players, own, {});
}

}  // namespace

std::string why_impossible(const Algorithm& algorithm, Order order) {
  const Collective& collective = algorithm.collective;
  if (collective.contributors != nullptr)
    return "cannot be reordered: its results depend on the order of the ranks";
  if (collective.among_neighbors)
    return "cannot be reordered: MPI reorders a topology when it creates it";
  if (order == Order::exchange && role_of(collective, Buffer::send).block_a_rank &&
      role_of(collective, Buffer::send).own)
    return "cannot be reordered with exchange, because all its blocks would move three times";
  return "";
}

bool keeps_order_of_ranks(const Algorithm& algorithm, Order order) {
  return algorithm.ordered && order == Order::exchange;
}

Shape reordered(const Algorithm& algorithm, Shape known, std::vector<int> players, Order order) {
  Reordering who{.players = std::move(players),
                 .roles = {},
                 .order = order,
                 .write = reordered,
                 .played = known};
  who.roles = inverse(who.players);
  if (algorithm.collective.rooted) who.played.root = who.roles[known.root];
  if (known.placement != nullptr)
    who.played.placement = std::make_shared<const Placement>(known.placement->among(who.players));
  if (known.grid != nullptr) {
    Grid grid = *known.grid;
    grid.ranks.resize(known.p);
    for (int cell = 0; cell < known.p; ++cell)
      grid.ranks[cell] = who.roles[known.grid->rank_at(cell)];
    who.played.grid = std::make_shared<const Grid>(std::move(grid));
  }
  who.played = algorithm.complete(std::move(who.played));
  known.parameters = who.played.parameters;
  known.parts = who.played.parts;
  known.reordering = std::make_shared<const Reordering>(std::move(who));
  return known;
}

Schedule reordered(const Algorithm& algorithm, const Shape& shape, int rank) {
  switch (shape.reordering->order) {
    case Order::exchange:
      return exchanged(algorithm, shape, rank);
    case Order::shuffle:
      return shuffled(algorithm, shape, rank);
    case Order::straight:
      break;
  }
  return straight(algorithm, shape, rank);
}

}  // namespace toccata
