#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "topology/mesh.h"

namespace toccata {

// The links of a mesh, each way one of its own: link 2N·cell + 2·dimension leads from that cell
// upwards in that dimension, the next one downwards. Where there is no link there is a number all
// the same. A ring of two cells has one link each way, upwards from the lower cell.
class Links {
 public:
  explicit Links(Mesh mesh) : mesh_(std::move(mesh)) {}

  const Mesh& mesh() const { return mesh_; }
  // As many numbers as there are; not all are links.
  int numbers() const { return 2 * mesh_.dimensions() * mesh_.cells(); }
  // Links that leave a cell: 2N inside of a torus.
  int of_cell(int cell) const;
  int fewest_of_a_cell() const;
  int most_of_a_cell() const;

  // Appends the links from one cell to another in dimension order: first all the way in the first
  // dimension, the shorter way round; where both are equally long upwards, or downwards. Returns
  // whether there are such dimensions.
  bool route(int from, int to, bool upwards, std::vector<int>& links) const;

 private:
  Mesh mesh_;
};

// Where the ranks of a shape are: the cell of each. The mesh is the network of the machine where
// the placement knows one, else the grid; one ring of all ranks if no mesh is known.
struct OnLinks {
  Links links;
  std::vector<int> cells;  // by rank

  explicit OnLinks(const Shape& shape);
};

// What goes over the links when ranks do what their schedules say. Ranks of one cell need none. Of
// two ways round that are equally long a message takes the one with fewer messages in that round.
struct LinkTraffic {
  std::vector<std::int64_t> bytes;  // by link
  std::int64_t largest = 0;
  std::int64_t total = 0;
  // By round: the most messages on one link, the paper's number of conflicts [chan2006, section 2].
  std::vector<int> conflicts;
  // Of the busiest rank, the rounds it takes where in each no more messages can leave or enter a
  // rank than a cell has links.
  int turns = 0;

  int most_conflicts() const;
};

// `bytes[d]` is the size of datum d; none given, every block has one byte.
LinkTraffic link_traffic(const Collective& collective, const Shape& shape,
                         std::span<const Schedule> schedules,
                         std::span<const std::int64_t> bytes = {});

// For one algorithm in a possible and complete shape.
LinkTraffic link_traffic(const Algorithm& algorithm, const Shape& shape,
                         std::span<const std::int64_t> bytes = {});

// For each message how many share the busiest link of its way in its round, itself included: the k
// of alpha + k·n·beta, as CostOptions takes it. 1 within a cell.
std::function<double(int sender, int round, int message)> conflicts_on(
    const Shape& shape, std::span<const Schedule> schedules);

// The time of `links` simultaneous messages of n bytes over as many links of a node [chan2006,
// section 5.1.1]. With tau = 0, each additional message is free; with tau = 1, nothing is gained.
constexpr double simultaneous(double alpha, double beta, double tau, int links, double n) {
  return (alpha + n * beta) * (1 + (links - 1) * tau);
}

}  // namespace toccata
