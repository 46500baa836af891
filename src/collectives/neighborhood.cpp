#include "collectives/neighborhood.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace toccata {

namespace {

std::vector<Neighbors::Edge> edges(std::span<const int> peers) {
  std::vector<Neighbors::Edge> result;
  for (int block = 0; block < static_cast<int>(peers.size()); ++block)
    if (peers[block] >= 0) result.push_back({peers[block], block});
  return result;
}

// One end of an edge. A pair of ranks may have several edges, which match in the order of posting.
struct End {
  int from, to, place;
  Neighbors::Edge* edge;

  auto key() const { return std::tuple(from, to, place); }
  bool meets(const End& other) const { return from == other.from && to == other.to; }
};

}  // namespace

Neighbors Neighbors::in_graph(std::span<const int> sources, std::span<const int> destinations) {
  return {edges(sources), edges(destinations), static_cast<int>(sources.size()),
          static_cast<int>(destinations.size())};
}

Neighbors Neighbors::on_mesh(std::span<const int> peers) {
  Neighbors result = in_graph(peers, peers);
  std::ranges::sort(result.in, {}, [](const Edge& each) { return each.block ^ 1; });
  return result;
}

bool Neighbors::repeat() const {
  return std::ranges::any_of(std::array{&in, &out}, [](const std::vector<Edge>* edges) {
    std::vector<int> peers;
    for (const Edge& each : *edges) peers.push_back(each.peer);
    std::ranges::sort(peers);
    return std::ranges::adjacent_find(peers) != peers.end();
  });
}

Neighborhood::Neighborhood(int first, std::vector<Neighbors> some)
    : first_(first), all_(std::move(some)), first_out_{0} {
  for (const Neighbors& each : all_) {
    first_out_.push_back(first_out_.back() + each.blocks_out);
    std::vector<int>& into = into_.emplace_back(each.blocks_in, -1);
    for (int i = 0; i < static_cast<int>(each.in.size()); ++i) into[each.in[i].block] = i;
  }
  match();
}

void Neighborhood::match() {
  std::vector<End> out, in;
  for (int i = 0; i < ranks(); ++i) {
    const int rank = first_ + i;
    const auto is_known = [&](int peer) { return peer >= first_ && peer < first_ + ranks(); };
    int place = 0;
    for (Neighbors::Edge& each : all_[i].out)
      if (is_known(each.peer)) out.push_back({rank, each.peer, place++, &each});
    for (Neighbors::Edge& each : all_[i].in)
      if (is_known(each.peer)) in.push_back({each.peer, rank, place++, &each});
  }
  std::ranges::sort(out, {}, &End::key);
  std::ranges::sort(in, {}, &End::key);
  matches_ = std::ranges::equal(out, in, &End::meets);
  if (!matches_) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].edge->there = in[i].edge->block;
    in[i].edge->there = out[i].edge->block;
  }
}

Neighborhood Neighborhood::stencil(int p) {
  int columns = 1;
  for (int each = 1; each * each <= p; ++each)
    if (p % each == 0) columns = each;
  std::vector<Neighbors> all;
  for (int rank = 0; rank < p; ++rank) {
    const int column = rank % columns, row = rank - column;
    const int peers[] = {(rank - columns + p) % p, (rank + columns) % p,
                         row + (column + columns - 1) % columns, row + (column + 1) % columns};
    all.push_back(Neighbors::on_mesh(peers));
  }
  return Neighborhood(std::move(all));
}

const Neighbors::Edge* Neighborhood::into(int rank, int block) const {
  const std::vector<int>& places = into_[rank - first_];
  if (block >= static_cast<int>(places.size()) || places[block] < 0) return nullptr;
  return &of(rank).in[places[block]];
}

}  // namespace toccata
