#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "topology/mesh.h"

namespace toccata {

// A directed link; a cable is two of them. Parallel cables are one link with their total capacity.
struct NetworkLink {
  int from = 0, to = 0;
  std::int64_t capacity = 1;  // in any unit
};

// Nodes, which send and receive, switches, which only forward, and the links between them.
//
// Messages take fixed routes. On a mesh with all its links, they follow the dimension order; if
// both directions round a ring are equally long, each carries half of the bytes. Elsewhere they use
// all shortest routes, in equal shares.
class Network {
 public:
  // Vertices below `nodes` are nodes, the others switches. Links without capacity are left out.
  // std::invalid_argument for vertices that do not exist.
  Network(int nodes, int vertices, std::vector<NetworkLink> links);
  // One node per cell, each link of capacity 1.
  explicit Network(const Mesh& mesh);

  int nodes() const { return nodes_; }
  int vertices() const { return vertices_; }
  const std::vector<NetworkLink>& links() const { return links_; }
  // The links that leave a vertex, by number.
  std::span<const int> out(int vertex) const {
    return {out_.data() + first_out_[vertex],
            static_cast<std::size_t>(first_out_[vertex + 1] - first_out_[vertex])};
  }

  // The network with every link reversed: a broadcast becomes a reduction.
  Network reversed() const;

  // The share of a message on each link. std::invalid_argument if there is no route.
  using Route = std::vector<std::pair<int, double>>;
  Route route(int from, int to) const;

  // The bytes on each link if that many bytes are sent from one node to another.
  struct Flow {
    int from, to;
    double bytes;
  };
  std::vector<double> loads(std::span<const Flow> flows) const;

  // One of the fixed routes from a node to each vertex, as links in their order; empty if there is
  // none. All routes are equally likely, but every call returns the same ones.
  std::vector<std::vector<int>> one_route_each(int from) const;

 private:
  void index();
  // The shortest routes from a node.
  struct Shortest {
    std::vector<int> distance;           // -1: there is no route
    std::vector<int> order;              // the reached vertices by distance
    std::vector<double> routes;          // their number
    std::vector<std::vector<int>> into;  // the last links of these routes
  };
  Shortest shortest(int from) const;
  // Adds to `loads` the bytes from one node to each vertex, over all shortest routes. Overwrites
  // `bytes`.
  void spread(int from, std::vector<double>& bytes, std::vector<double>& loads) const;

  int nodes_, vertices_;
  std::vector<NetworkLink> links_;
  std::vector<int> out_, first_out_;
  std::optional<Mesh> mesh_;       // set if routes are in dimension order
  std::vector<int> link_of_mesh_;  // by the numbers of `Links`
};

}  // namespace toccata
