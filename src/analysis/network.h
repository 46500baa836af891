#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "topology/mesh.h"

namespace toccata {

// A link leads one way; a cable is two of them. Parallel cables are one link of their sum.
struct NetworkLink {
  int from = 0, to = 0;
  std::int64_t capacity = 1;  // in any unit
};

// Nodes, which send and receive, switches, which only pass on, and the links between them.
//
// Messages take fixed routes: on a mesh with all its links in dimension order, of two equally long
// ways round a ring half of the bytes each; elsewhere all shortest routes, shared evenly.
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

  // Every link turned round: a broadcast becomes a reduction.
  Network reversed() const;

  // Which share of a message takes which link. std::invalid_argument where no route leads there.
  using Route = std::vector<std::pair<int, double>>;
  Route route(int from, int to) const;

  // What goes over each link if so many bytes go from a node to another.
  struct Flow {
    int from, to;
    double bytes;
  };
  std::vector<double> loads(std::span<const Flow> flows) const;

 private:
  void index();
  // Over all shortest routes from one node, `bytes` by vertex.
  void spread(int from, std::vector<double>& bytes, std::vector<double>& loads) const;

  int nodes_, vertices_;
  std::vector<NetworkLink> links_;
  std::vector<int> out_, first_out_;
  std::optional<Mesh> mesh_;       // where routes are in dimension order
  std::vector<int> link_of_mesh_;  // by the numbers of `Links`
};

}  // namespace toccata
