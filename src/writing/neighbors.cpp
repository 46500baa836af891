#include "writing/neighbors.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "collectives/neighborhood.h"
#include "topology/division.h"

namespace toccata {

namespace {

BlockRange outgoing_block(Outgoing outgoing, int block) {
  return send(outgoing == Outgoing::one_for_all ? 0 : block);
}

// One message per peer, with all its blocks.
struct Messages {
  std::map<int, BlockRanges> out, in;
  void post(ScheduleBuilder& schedule) const {
    for (const auto& [peer, blocks] : out) schedule.send(peer, blocks);
    for (const auto& [peer, blocks] : in) schedule.recv(peer, blocks);
  }
};

// Adds to the open round: copies for edges to the rank itself, and one message for all edges to a
// peer for which `takes(peer)` is true. A block for all ranks is sent to a peer once, and copied
// there.
template <typename Takes>
void talk(const Neighbors& own, int rank, Outgoing outgoing, ScheduleBuilder& schedule,
          Takes&& takes) {
  const bool once = outgoing == Outgoing::one_for_all;
  Messages messages;
  std::vector<std::pair<BlockRange, BlockRange>> copies;
  std::map<int, int> first_from;  // the first block that a peer's block reaches
  for (const Neighbors::Edge& each : own.out)
    if (each.peer != rank && takes(each.peer) && !(once && messages.out.contains(each.peer)))
      append(messages.out[each.peer], outgoing_block(outgoing, each.block));
  for (const Neighbors::Edge& each : own.in) {
    if (each.peer == rank) {
      copies.emplace_back(outgoing_block(outgoing, each.there), recv(each.block));
    } else if (takes(each.peer)) {
      const auto [first, is_first] = first_from.try_emplace(each.peer, each.block);
      if (once && !is_first)
        copies.emplace_back(recv(first->second), recv(each.block));
      else
        append(messages.in[each.peer], recv(each.block));
    }
  }
  messages.post(schedule);
  for (const auto& [from, into] : copies) schedule.copy(from, into);
}

// The number of edges to or from other ranks, and of these ranks.
struct Degree {
  std::int64_t edges = 0, peers = 0;
};

Degree degree_of(const std::vector<Neighbors::Edge>& edges, int rank) {
  std::set<int> peers;
  Degree result;
  for (const Neighbors::Edge& each : edges)
    if (each.peer != rank) peers.insert(each.peer), ++result.edges;
  result.peers = std::ssize(peers);
  return result;
}

// A message per pair of neighbours, with one block, or with one per edge.
Cost cost_of_one_message_per_peer(const Neighborhood& neighborhood, Outgoing outgoing) {
  const bool once = outgoing == Outgoing::one_for_all;
  Cost cost;
  for (int rank = 0; rank < neighborhood.ranks(); ++rank) {
    const Neighbors& own = neighborhood.of(rank);
    const Degree to = degree_of(own.out, rank), from = degree_of(own.in, rank);
    cost.messages = std::max(cost.messages, to.peers);
    cost.sent = std::max(cost.sent, once ? to.peers : to.edges);
    cost.copied = std::max(cost.copied, std::ssize(own.in) - (once ? from.peers : from.edges));
  }
  cost.rounds = cost.messages > 0 ? 1 : 0;
  return cost;
}

}  // namespace

std::optional<Cost> claim_of_direct_talk(const Shape& shape, Outgoing outgoing) {
  if (shape.neighborhood->ranks() < shape.p) return {};
  return cost_of_one_message_per_peer(*shape.neighborhood, outgoing);
}

namespace {

// An edge from one node to another: a block of send, and one of recv.
struct Crossing {
  int from, sent;
  int to, into;

  // The data that travel once, even if several edges use them.
  std::pair<int, int> block() const { return {from, sent}; }
  auto operator<=>(const Crossing&) const = default;
};

// All edges from one node to another, in the same order on both sides. The edges of a block follow
// each other.
class Crossings {
 public:
  Crossings(std::vector<Crossing> edges, int from_node, int to_node) : edges_(std::move(edges)) {
    std::ranges::sort(edges_);
    const auto pick = [&](int Crossing::*end, int turn) {
      std::vector<int> ranks;
      for (const Crossing& each : edges_) ranks.push_back(each.*end);
      std::ranges::sort(ranks);
      const auto again = std::ranges::unique(ranks);
      ranks.erase(again.begin(), again.end());
      return ranks[turn % static_cast<int>(ranks.size())];
    };
    collector = pick(&Crossing::from, to_node);
    distributor = pick(&Crossing::to, from_node);
  }

  // Calls visit(edge) for the first edge of every block.
  template <typename Visit>
  void for_each_block(Visit&& visit) const {
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (i == 0 || edges_[i].block() != edges_[i - 1].block()) visit(edges_[i]);
  }
  // Calls visit(edge, is_first) for every edge: whether it is the first edge of its block to that
  // rank.
  template <typename Visit>
  void for_each_edge(Visit&& visit) const {
    for (std::size_t i = 0; i < edges_.size(); ++i)
      visit(edges_[i], i == 0 || edges_[i].block() != edges_[i - 1].block() ||
                           edges_[i].to != edges_[i - 1].to);
  }

  // The rank that sends to the other node, and the one that receives there. The number of the other
  // node selects one of the possible ranks, so that they share the work.
  int collector = 0, distributor = 0;

 private:
  std::vector<Crossing> edges_;
};

class ByNodes {
 public:
  ByNodes(const Shape& shape, int rank, Outgoing outgoing)
      : neighborhood_(*shape.neighborhood),
        nodes_(node_regions(shape.placement, shape.p)),
        rank_(rank),
        outgoing_(outgoing) {
    std::map<int, std::vector<Crossing>> out, in;  // by the other node
    for (const int member : nodes_->members(node_of(rank))) {
      for (const Neighbors::Edge& each : neighborhood_.of(member).out)
        add(out[node_of(each.peer)], member, each.block, each.peer, each.there);
      for (const Neighbors::Edge& each : neighborhood_.of(member).in)
        add(in[node_of(each.peer)], each.peer, each.there, member, each.block);
    }
    const int here = node_of(rank);
    for (auto& [node, edges] : out)
      if (node != here) out_.emplace_back(std::move(edges), here, node);
    for (auto& [node, edges] : in)
      if (node != here) in_.emplace_back(std::move(edges), node, here);
  }

  void write(ScheduleBuilder& schedule) {
    collect(schedule.round());
    cross(schedule.round());
    distribute(schedule.round());
  }

 private:
  int node_of(int rank) const { return nodes_->of(rank); }
  void add(std::vector<Crossing>& edges, int from, int sent, int to, int into) const {
    edges.push_back({from, outgoing_block(outgoing_, sent).first, to, into});
  }

  void collect(ScheduleBuilder& schedule) {
    Messages messages;
    for (const Crossings& each : out_) {
      BlockRanges& collected = collected_.emplace_back();
      each.for_each_block([&](const Crossing& edge) {
        if (edge.from == rank_) {
          append(each.collector == rank_ ? collected : messages.out[each.collector],
                 send(edge.sent));
        } else if (each.collector == rank_) {
          const BlockRange parked = schedule.scratch({send(0)});
          append(collected, parked);
          append(messages.in[edge.from], parked);
        }
      });
    }
    messages.post(schedule);
  }

  void cross(ScheduleBuilder& schedule) {
    talk(neighborhood_.of(rank_), rank_, outgoing_, schedule,
         [&](int peer) { return node_of(peer) == node_of(rank_); });
    for (std::size_t i = 0; i < out_.size(); ++i)
      if (out_[i].collector == rank_) schedule.send(out_[i].distributor, collected_[i]);
    for (const Crossings& each : in_) {
      if (each.distributor != rank_) continue;
      std::map<std::pair<int, int>, BlockRange> places;
      each.for_each_edge([&](const Crossing& edge, bool) {
        if (edge.to == rank_) places.emplace(edge.block(), recv(edge.into));
      });
      BlockRanges arrived;
      each.for_each_block([&](const Crossing& edge) {
        const auto [place, is_parked] = places.try_emplace(edge.block());
        if (is_parked) place->second = schedule.scratch({recv(0)});
        append(arrived, place->second);
      });
      schedule.recv(each.collector, arrived);
      distributed_.emplace(&each, std::move(places));
    }
  }

  void distribute(ScheduleBuilder& schedule) {
    Messages messages;
    std::vector<std::pair<int, int>> copies;
    for (const Crossings& each : in_) {
      int first = 0;
      each.for_each_edge([&](const Crossing& edge, bool is_first) {
        if (edge.to == rank_) {
          if (is_first) first = edge.into;
          if (!is_first) copies.emplace_back(first, edge.into);
          if (is_first && each.distributor != rank_)
            append(messages.in[each.distributor], recv(edge.into));
        } else if (each.distributor == rank_ && is_first) {
          append(messages.out[edge.to], distributed_.at(&each).at(edge.block()));
        }
      });
    }
    messages.post(schedule);
    for (const auto& [from, into] : copies) schedule.copy(recv(from), recv(into));
  }

  const Neighborhood& neighborhood_;
  const std::shared_ptr<const Regions> nodes_;
  const int rank_;
  const Outgoing outgoing_;
  std::vector<Crossings> out_, in_;     // of our node, by the other node
  std::vector<BlockRanges> collected_;  // for each of out_, if we send it
  // For each of in_ that we receive, the location of each of its blocks.
  std::map<const Crossings*, std::map<std::pair<int, int>, BlockRange>> distributed_;
};

}  // namespace

void talk_directly(const Shape& shape, int rank, Outgoing outgoing, ScheduleBuilder& schedule) {
  talk(shape.neighborhood->of(rank), rank, outgoing, schedule.round(), [](int) { return true; });
}

void talk_by_nodes(const Shape& shape, int rank, Outgoing outgoing, ScheduleBuilder& schedule) {
  ByNodes(shape, rank, outgoing).write(schedule);
}

std::optional<Cost> claim_of_talk_by_nodes(const Shape& shape, Outgoing outgoing) {
  const bool known = shape.neighborhood != nullptr && shape.neighborhood->ranks() == shape.p;
  if (!known || node_regions(shape.placement, shape.p)->number() < shape.p) return {};
  return cost_of_one_message_per_peer(*shape.neighborhood, outgoing);
}

std::string why_not_by_nodes(const Shape& shape) {
  const Neighborhood* const known = shape.neighborhood.get();
  return known == nullptr || (known->ranks() == shape.p && known->matches())
             ? ""
             : "needs matching edges at both ends";
}

}  // namespace toccata
