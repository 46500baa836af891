#pragma once

#include <span>
#include <vector>

namespace toccata {

struct Collective;
struct Shape;

// One rank's neighbours in a neighbourhood collective: the ranks from which it receives (in), and
// those to which it sends (out).
struct Neighbors {
  // An edge from or to `peer`: the number of its block here, and the number at the other end, which
  // is -1 if unknown.
  struct Edge {
    int peer = 0;
    int block = 0;
    int there = -1;
  };
  // The k-th outgoing edge to a peer matches the k-th incoming edge from this rank on the peer.
  std::vector<Edge> in, out;
  // The number of blocks, including those of edges without a rank; these blocks remain unchanged.
  int blocks_in = 0, blocks_out = 0;

  // In a graph: peers in the order of their blocks; -1 for an edge without a rank.
  static Neighbors in_graph(std::span<const int> sources, std::span<const int> destinations);

  // On a mesh: for each dimension, the negative and the positive neighbour. A block sent to the
  // negative neighbour is received from the positive one [MPI 4.0, section 8.6]. This matters on
  // rings of one or two ranks, where both neighbours are the same rank:
  //
  //   2 ranks on a ring, rank 0 sends a b      rank 1 gets b a      (one block down, one up)
  static Neighbors on_mesh(std::span<const int> peers);

  // Whether several edges come from the same rank, or go to the same one.
  bool repeat() const;
};

// The neighbours of all ranks, or only those of one rank.
class Neighborhood {
 public:
  explicit Neighborhood(std::vector<Neighbors> all) : Neighborhood(0, std::move(all)) {}
  // The neighbours of one rank, which are available without communication.
  Neighborhood(int rank, const Neighbors& own) : Neighborhood(rank, std::vector{own}) {}

  // The neighbours of a five-point stencil, on the torus that MPI_Dims_create makes of p ranks.
  static Neighborhood stencil(int p);

  const std::vector<Neighbors>& known() const { return all_; }
  int ranks() const { return static_cast<int>(all_.size()); }
  const Neighbors& of(int rank) const { return all_[rank - first_]; }
  // Whether every edge has a matching edge at the other end.
  bool matches() const { return matches_; }

  // The edge through which a block arrives; null if there is none.
  const Neighbors::Edge* into(int rank, int block) const;
  // Outgoing blocks are numbered rank after rank: the number of all blocks, and the number of the
  // blocks of lower ranks.
  int blocks_out() const { return first_out_.back(); }
  int first_out(int rank) const { return first_out_[rank - first_]; }

 private:
  Neighborhood(int first, std::vector<Neighbors> some);
  void match();

  int first_;  // the lowest rank whose neighbours are known
  std::vector<Neighbors> all_;
  std::vector<std::vector<int>> into_;  // by rank and block: the index in Neighbors::in, or -1
  std::vector<int> first_out_;
  bool matches_ = true;
};

// The shape, with the neighbours of a stencil if the collective needs neighbours and the caller
// specified none.
Shape with_neighbors(const Collective& collective, Shape shape);

}  // namespace toccata
