// All-to-all for nodes with many cores. The ranks of a node form groups, which gather their blocks
// at leaders. Leaders at the same place of all nodes exchange blocks for whole nodes. Then the
// leaders of a node exchange blocks for groups, and scatter them.
// [kinkead2026]   r nodes of s ranks, l leaders per node for g = s/l ranks each, exchange in pairs:
//                 rounds 1 + (r-1) + 1 + 1   messages of a leader (r-1) + (l-1) + (g-1)
//
//   4 ranks on nodes 0 1 | 2 3, two leaders per node; bc is the block from b to c
//                          rank 0 (a)         1 (b)              2 (c)         3 (d)
//     exchange for nodes   aa ab ca cb        ba bb da db        ac ad cc cd   bc bd dc dd
//     inside the node      aa ba ca da        ab bb cb db        ac bc cc dc   ad bd cd dd
//
// In alltoall/hierarchical, each rank sends to all leaders of its node, here to one. Blocks must
// have the same size, because leaders forward them. (Derived from the paper's abstract.)

#include "writing/node_groups.h"

namespace toccata::algorithms::alltoall {

static const Parameter leaders = number(
    "leaders", "leaders per node, each for an equal share of its ranks", 1, 1024, 8, {1, 2, 8});
static const Parameter exchange =
    choice("exchange", "all-to-all between nodes", {"pairwise", "bruck", "linear"});
static Flat between_nodes(const Shape& shape) {
  return {toccata::alltoall, exchange.words[shape.parameters[exchange]]};
}

static NodeGroups groups_of(const Shape& shape, int rank) {
  return {node_regions(shape.placement, shape.p), rank, shape.parameters[leaders]};
}
static BlockRange scratch(int from, int count, int stride = 0, int repeat = 1) {
  return {Buffer::scratch, from, count, stride, repeat};
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const NodeGroups all = groups_of(shape, rank);
  const Flat between = between_nodes(shape), inside(toccata::alltoall, "linear");
  if (!all.nodes->divide()) return void(schedule.then(between.schedule(shape.p, rank)));
  const int p = shape.p, r = all.number(), s = all.size, g = all.members(all.own);
  const bool leads = all.leads();
  // Blocks by node, destination there, and source in the group; at last by source group, node, ...
  const int out = 0, in = g * p, sorted = 2 * g * p;
  ScheduleBuilder steps;
  if (leads) steps.scratch({{Buffer::recv, 0, 1, 0, 3 * g * p}});

  const BlockRanges given = all.by_node(Buffer::send), taken = all.by_group(Buffer::recv);
  steps.round();
  if (!leads) steps.send(all.leader(), given);
  if (leads) steps.copy(given, {scratch(out, 1, g, p)});
  for (int i = 1; i < g && leads; ++i)
    steps.recv(all.rank_at(all.here, all.lead + i), scratch(out + i, 1, g, p));

  BlockMap outwards = BlockMap::table(), inwards = outwards;
  for (int group = 0; group < all.groups; ++group) {
    outwards.add(scratch(in + all.first(group) * g, all.members(group) * g, s * g, r));
    inwards.add(scratch(sorted + all.first(group) * g * r, all.members(group) * g * r));
  }
  all.among(all.leaders_beyond(), all.here, between, steps,
            BlockMap::affine(Buffer::scratch, out, s * g, s * g),
            BlockMap::affine(Buffer::scratch, in, s * g, s * g));
  all.among(all.leaders_here(), all.own, inside, steps, outwards, inwards);

  steps.round();
  if (!leads) steps.recv(all.leader(), taken);
  for (int i = 0; i < g && leads; ++i) {
    BlockRanges for_it;
    for (int group = 0; group < all.groups; ++group) {
      const int first = sorted + all.first(group) * g * r, sources = all.members(group);
      append_any(for_it, scratch(first + i * sources, sources, sources * g, r));
    }
    i == 0 ? steps.copy(for_it, taken) : steps.send(all.rank_at(all.here, all.lead + i), for_it);
  }
  Schedule packed = std::move(steps).build();
  packed.set_travel(Travel::packed);
  schedule.then(std::move(packed));
}

static std::optional<Cost> claim(const Shape& shape) {
  const NodeGroups all = groups_of(shape, 0);
  const Flat between = between_nodes(shape), inside(toccata::alltoall, "linear");
  if (!all.nodes->divide()) return between.claim(shape.p);
  if (all.size % all.groups != 0) return {};
  const std::int64_t p = shape.p, g = all.members(0), r = all.number();
  return between.claim(all.number()).of(all.size * g) + inside.claim(all.groups).of(r * g * g) +
         Cost{.rounds = g > 1 ? 2 : 0, .messages = g - 1, .sent = (g - 1) * p, .copied = 2 * p};
}

extern const Algorithm multi_leader{
    .name = "multi_leader",
    .collective = toccata::alltoall,
    .summary = "groups gather at their leaders, which exchange between nodes, then inside them",
    .citation = "kinkead2026",
    .claim = claim,
    .parameters = {leaders, exchange},
    .blocks_alike = true,
    .by_placement = true,
    .impossible = NodeGroups::why_impossible,
    .write = write,
};

}  // namespace toccata::algorithms::alltoall
