#include "networks/network.h"

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include "networks/links.h"

namespace toccata {

Network::Network(int nodes, int vertices, std::vector<NetworkLink> links)
    : nodes_(nodes), vertices_(vertices) {
  if (nodes < 1 || vertices < nodes)
    throw std::invalid_argument("a network needs at least one node");
  std::map<std::pair<int, int>, std::int64_t> sums;
  for (const NetworkLink& each : links) {
    for (const int end : {each.from, each.to})
      if (end < 0 || end >= vertices)
        throw std::invalid_argument("a link ends at vertex " + std::to_string(end) + " of " +
                                    std::to_string(vertices));
    if (each.capacity < 0) throw std::invalid_argument("a link has a negative capacity");
    if (each.from != each.to) sums[{each.from, each.to}] += each.capacity;
  }
  for (const auto& [ends, capacity] : sums)
    if (capacity > 0) links_.push_back({ends.first, ends.second, capacity});
  index();
}

Network::Network(const Mesh& mesh) : nodes_(mesh.cells()), vertices_(mesh.cells()), mesh_(mesh) {
  const int ways = 2 * mesh.dimensions();
  link_of_mesh_.assign(static_cast<std::size_t>(ways) * mesh.cells(), -1);
  const Links numbers(mesh);
  std::vector<int> route;
  for (int cell = 0; cell < mesh.cells(); ++cell)
    for (const int neighbor : mesh.neighbors(cell)) {
      if (neighbor < 0 || neighbor == cell) continue;
      route.clear();
      numbers.route(cell, neighbor, true, route);
      if (route.size() != 1 || link_of_mesh_[route[0]] >= 0) continue;
      link_of_mesh_[route[0]] = static_cast<int>(links_.size());
      links_.push_back({cell, neighbor, 1});
    }
  index();
}

void Network::index() {
  first_out_.assign(vertices_ + 1, 0);
  for (const NetworkLink& each : links_) ++first_out_[each.from + 1];
  for (int i = 0; i < vertices_; ++i) first_out_[i + 1] += first_out_[i];
  out_.resize(links_.size());
  std::vector<int> next(first_out_.begin(), first_out_.end() - 1);
  for (std::size_t i = 0; i < links_.size(); ++i)
    out_[next[links_[i].from]++] = static_cast<int>(i);
}

Network Network::reversed() const {
  std::vector<NetworkLink> turned = links_;
  for (NetworkLink& each : turned) std::swap(each.from, each.to);
  return {nodes_, vertices_, std::move(turned)};
}

Network::Route Network::route(int from, int to) const {
  const Flow one{from, to, 1};
  const std::vector<double> shares = loads({&one, 1});
  Route result;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0) result.emplace_back(static_cast<int>(i), shares[i]);
  return result;
}

std::vector<double> Network::loads(std::span<const Flow> flows) const {
  std::vector<double> loads(links_.size());
  if (mesh_) {
    const Links numbers(*mesh_);
    std::vector<int> route;
    for (const Flow& each : flows)
      for (const bool upwards : {true, false}) {
        route.clear();
        const bool undecided = numbers.route(each.from, each.to, upwards, route);
        for (const int link : route)
          loads[link_of_mesh_[link]] += undecided ? each.bytes / 2 : each.bytes;
        if (!undecided) break;
      }
    return loads;
  }
  std::vector<Flow> ordered(flows.begin(), flows.end());
  std::ranges::stable_sort(ordered, {}, &Flow::from);
  std::vector<double> bytes(vertices_);
  for (std::size_t i = 0; i < ordered.size();) {
    std::ranges::fill(bytes, 0);
    const int from = ordered[i].from;
    for (; i < ordered.size() && ordered[i].from == from; ++i)
      if (ordered[i].to != from) bytes[ordered[i].to] += ordered[i].bytes;
    spread(from, bytes, loads);
  }
  return loads;
}

Network::Shortest Network::shortest(int from) const {
  Shortest result{.distance = std::vector<int>(vertices_, -1),
                  .order = {from},
                  .routes = std::vector<double>(vertices_),
                  .into = std::vector<std::vector<int>>(vertices_)};
  auto& [distance, order, routes, into] = result;
  distance[from] = 0;
  routes[from] = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int here = order[i];
    if (here < nodes_ && here != from && vertices_ > nodes_) continue;  // nodes do not forward
    for (const int link : out(here)) {
      const int next = links_[link].to;
      if (distance[next] < 0) {
        distance[next] = distance[here] + 1;
        order.push_back(next);
      }
      if (distance[next] != distance[here] + 1) continue;
      routes[next] += routes[here];
      into[next].push_back(link);
    }
  }
  return result;
}

void Network::spread(int from, std::vector<double>& bytes, std::vector<double>& loads) const {
  const auto [distance, order, routes, into] = shortest(from);
  for (int node = 0; node < vertices_; ++node)
    if (bytes[node] > 0 && distance[node] < 0)
      throw std::invalid_argument("no route leads from node " + std::to_string(from) + " to node " +
                                  std::to_string(node));
  // From the last vertex backwards: the data that reach or pass a vertex came over all its routes
  // in equal shares.
  for (std::size_t i = order.size(); i-- > 1;) {
    const int here = order[i];
    if (bytes[here] == 0) continue;
    for (const int link : into[here]) {
      const double share = bytes[here] * routes[links_[link].from] / routes[here];
      loads[link] += share;
      bytes[links_[link].from] += share;
    }
  }
}

std::vector<std::vector<int>> Network::one_route_each(int from) const {
  std::vector<std::vector<int>> result(vertices_);
  std::minstd_rand random(from + 1);
  if (mesh_) {
    const Links numbers(*mesh_);
    for (int to = 0; to < vertices_; ++to) {
      numbers.route(from, to, random() % 2 == 0, result[to]);
      for (int& link : result[to]) link = link_of_mesh_[link];
    }
    return result;
  }
  const auto [distance, order, routes, into] = shortest(from);
  for (const int to : order) {
    for (int here = to; here != from; here = links_[result[to].back()].from) {
      // The number of a route into `here`, in the order of their last links.
      double number = std::uniform_real_distribution<>(0, routes[here])(random);
      std::size_t i = 0;
      for (; i + 1 < into[here].size(); ++i)
        if ((number -= routes[links_[into[here][i]].from]) < 0) break;
      result[to].push_back(into[here][i]);
    }
    std::ranges::reverse(result[to]);
  }
  return result;
}

}  // namespace toccata
