#pragma once

#include <span>
#include <vector>

namespace toccata {

struct Collective;
struct Shape;

// One rank's neighbours, as a collective among neighbours sees them: those that it hears of (in),
// and those that it tells (out).
struct Neighbors {
  // To or from `peer`, of the block of that number here, and of that one at the other end, which is
  // -1 if unknown.
  struct Edge {
    int peer = 0;
    int block = 0;
    int there = -1;
  };
  // The k-th edge out to a peer is the k-th edge in from us there.
  std::vector<Edge> in, out;
  // Blocks, those of edges to no rank included, which stay as they are.
  int blocks_in = 0, blocks_out = 0;

  // Of a graph: peers in the order of their blocks; no rank is -1.
  static Neighbors in_graph(std::span<const int> sources, std::span<const int> destinations);

  // On a mesh: of each dimension the peer below, and the one above. A block sent to the negative
  // neighbour is received from the positive one [MPI 4.0, section 8.6], which matters on rings of
  // one or two ranks, where both are the same:
  //
  //   2 ranks on a ring, rank 0 sends a b      rank 1 gets b a      (one block down, one up)
  static Neighbors on_mesh(std::span<const int> peers);
};

// The neighbours: of all ranks, or as one of them sees it.
class Neighborhood {
 public:
  explicit Neighborhood(std::vector<Neighbors> all) : Neighborhood(0, std::move(all)) {}
  // What a rank knows by itself.
  Neighborhood(int rank, const Neighbors& own) : Neighborhood(rank, std::vector{own}) {}

  // A ring of rings as MPI_Dims_create makes it: what a five-point stencil on p ranks talks over.
  static Neighborhood stencil(int p);

  int ranks() const { return static_cast<int>(all_.size()); }
  const Neighbors& of(int rank) const { return all_[rank - first_]; }
  // Whether every edge has its other end.
  bool matches() const { return matches_; }

  // The edge by which a block comes in; null where there is none.
  const Neighbors::Edge* into(int rank, int block) const;
  // The blocks that go out are numbered rank after rank: all of them, and those of lower ranks.
  int blocks_out() const { return first_out_.back(); }
  int first_out(int rank) const { return first_out_[rank - first_]; }

 private:
  Neighborhood(int first, std::vector<Neighbors> some);
  void match();

  int first_;  // the lowest rank that is known
  std::vector<Neighbors> all_;
  std::vector<std::vector<int>> into_;  // by rank and block: the place in Neighbors::in, or -1
  std::vector<int> first_out_;
  bool matches_ = true;
};

// The shape, with a stencil's neighbours where the collective is among neighbours and no caller
// says which.
Shape with_neighbors(const Collective& collective, Shape shape);

}  // namespace toccata
