// All-to-all by nodes: ranks hand what they have to the leaders of their node, leaders exchange it
// with those of the other nodes by any flat all-to-all, and give it to the ranks it is for. With
// all ranks as leaders nothing is left to give: that is the all-to-all in lanes. [traff2020;
// kandalla2009]   r nodes of s ranks, l leaders a node, exchange in pairs: rounds 1 + (r-1) + 1
// messages of a leader (s-1) + (r-1) + (s/l-1)
//
//   4 ranks on nodes 0 1 | 2 3, all leaders; what b sends to c is bc
//                                 rank 0 (a)         1 (b)              2 (c)         3 (d)
//     at first                    aa ab ac ad        ba bb bc bd        ca cb cc cd   ...
//     leader i gets what is for   aa ba | ac bc      ab bb | ad bd      ca da | cc dc
//     the i-th rank of each node
//     exchange with other nodes   aa ba ca da        ab bb cb db        ac bc cc dc   ...
//
// Leader i is for the ranks whose number on their node is i, i + l, i + 2l, ... A node with fewer
// ranks than leaders has several leaders on one rank, who have nobody there to give to.
//
// No rank knows how large the blocks are that pass through it, so that they have to be alike.

#include <algorithm>
#include <array>

#include "algorithms/flat.h"
#include "algorithms/region_blocks.h"
#include "patterns/arithmetic.h"
#include "schedule/combinators.h"
#include "topology/division.h"

namespace toccata::algorithms::alltoall {

static const Parameter leaders = [] {
  Parameter made = choice("leaders", "how many ranks of each node talk to others",
                          {"all", "one", "two", "four", "eight"});
  made.samples = {0, 1, 2};
  return made;
}();
static const Parameter exchange =
    choice("exchange", "the all-to-all among leaders", {"pairwise", "linear", "bruck"});

namespace {

class Nodes {
 public:
  explicit Nodes(const Shape& shape)
      : shared_(node_regions(shape.placement, shape.p)),
        between_(toccata::alltoall, exchange.words[shape.parameters[exchange]]) {
    static constexpr std::array numbers{0, 1, 2, 4, 8};
    const int asked = numbers[shape.parameters[leaders]];
    number_ = asked == 0 ? regions_.largest() : std::min(asked, regions_.largest());
  }

  std::string why_impossible() const {
    return between_.algorithm().name == "bruck" && !regions_.even()
               ? "needs as many ranks on every node for exchange=bruck"
               : "";
  }

  Schedule schedule(int rank) const;

 private:
  int nodes() const { return regions_.number(); }
  // How many ranks of a node a leader is for, and which is the i-th of them.
  int served(int leader, int node) const {
    const int size = regions_.size(node);
    return leader < size ? (size - 1 - leader) / number_ + 1 : 0;
  }
  int rank_served(int leader, int node, int i) const {
    return regions_.members(node)[leader + i * number_];
  }

  std::shared_ptr<const Regions> shared_;
  const Regions& regions_ = *shared_;
  Flat between_;
  int number_ = 1;  // leaders a node
};

Schedule Nodes::schedule(int rank) const {
  if (!regions_.divide()) return between_.schedule(nodes(), rank);
  const int node = regions_.of(rank), own = regions_.local(rank), size = regions_.size(node);
  const auto members = regions_.members(node);
  const int p = regions_.ranks();

  std::vector<BlockRanges> toward(number_);  // blocks for all whom a leader is for, by node
  for (int each = 0; each < nodes(); ++each) {
    for (int leader = 0; leader < number_; ++leader)
      for (int i = 0; i < served(leader, each); ++i)
        append(toward[leader], send(rank_served(leader, each, i)));
  }

  // The leaders that this rank is, and their scratch: what goes out, by destination and then by
  // source, and what comes in for others, by node, destination and source.
  struct Leader {
    int number, destinations, out, in;
    // What the i-th rank of this node has for them.
    BlockRanges from(int i, int size) const {
      return {{Buffer::scratch, out + i, 1, size, destinations}};
    }
  };
  std::vector<Leader> leading;
  ScheduleBuilder schedule;
  int scratch = 0;  // blocks
  for (int leader = own; leader < number_; leader += size) {
    const auto destinations = static_cast<int>(blocks(toward[leader]));
    const auto some = [&](int count) {  // all blocks are alike: one stands for all
      scratch += count;
      return schedule.scratch({{Buffer::recv, 0, 1, 0, count}}).first;
    };
    const int out = some(destinations * size);
    leading.push_back({leader, destinations, out, some(p * std::max(0, served(leader, node) - 1))});
  }

  schedule.round();
  for (int i = 1; i < size; ++i) {
    const int above = wrap(own + i, size), below = wrap(own - i, size);
    BlockRanges sent, received;
    for (int leader = above; leader < number_; leader += size)
      for (const BlockRange& range : toward[leader]) append(sent, range);
    for (const Leader& leader : leading)
      for (const BlockRange& range : leader.from(below, size)) append(received, range);
    if (!sent.empty()) schedule.send(members[above], sent);
    if (!received.empty()) schedule.recv(members[below], received);
  }
  for (const Leader& leader : leading) schedule.copy(toward[leader.number], leader.from(own, size));

  // What is for the leader's own rank comes in where it belongs.
  std::vector<Schedule> exchanges;
  for (const Leader& leader : leading) {
    std::vector<int> group;
    std::vector<BlockRanges> out(nodes()), in(nodes());
    int next_out = leader.out, next_in = leader.in;
    for (int each = 0; each < nodes(); ++each) {
      group.push_back(regions_.members(each)[leader.number % regions_.size(each)]);
      const int going = served(leader.number, each) * size;
      append(out[each], {Buffer::scratch, next_out, going});
      next_out += going;
      if (const int here = served(leader.number, node); here > 0) {
        in[each] = blocks_of(regions_, each, 1);
        const int coming = (here - 1) * regions_.size(each);
        append(in[each], {Buffer::scratch, next_in, coming});
        next_in += coming;
      }
    }
    const int here = served(leader.number, node), going = here * size;
    const bool alike = regions_.even();  // ranges then, rather than a table
    exchanges.push_back(on(
        group, between_.schedule(nodes(), node),
        alike ? BlockMap::affine(Buffer::scratch, leader.out, going, going) : BlockMap::table(out),
        alike && here == 1 && regions_.consecutive() ? BlockMap::affine(Buffer::recv, 0, size, size)
                                                     : BlockMap::table(in),
        scratch));
  }
  const Schedule exchanged = abreast(exchanges);
  ScheduleBuilder giving;
  for (int i = exchanged.rounds(); i < between_.rounds(nodes()); ++i) giving.round();
  giving.round();
  if (own >= number_) {
    BlockRanges from_all;
    for (int each = 0; each < nodes(); ++each)
      for (const BlockRange& range : blocks_of(regions_, each, 1)) append(from_all, range);
    giving.recv(members[own % number_], from_all);
  } else if (size > number_) {
    const int others = served(own, node) - 1;
    for (int i = 0; i < others; ++i) {
      BlockRanges theirs;
      int next = leading.front().in;
      for (int each = 0; each < nodes(); ++each) {
        const int count = regions_.size(each);
        append(theirs, {Buffer::scratch, next + i * count, count});
        next += others * count;
      }
      giving.send(rank_served(own, node, i + 1), theirs);
    }
  }
  Schedule all =
      going_on(going_on(std::move(schedule).build(), exchanged), std::move(giving).build());
  // Sender and receiver have the blocks in different buffers, and so in different ranges.
  all.set_travel(Travel::packed);
  return all;
}

}  // namespace

extern const Algorithm hierarchical{
    .name = "hierarchical",
    .collective = toccata::alltoall,
    .summary = "gathered by leaders on each node, exchanged among nodes, given out",
    .citation = "traff2020",
    .parameters = {leaders, exchange},
    .blocks_alike = true,
    .by_placement = true,
    .impossible = [](const Shape& shape) { return Nodes(shape).why_impossible(); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { schedule.then(Nodes(shape).schedule(rank)); },
};

}  // namespace toccata::algorithms::alltoall
