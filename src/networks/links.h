#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "topology/mesh.h"
#include "writing/algorithm.h"

namespace toccata {

// The links of a mesh, one per direction: link 2N·cell + 2·dimension leads from that cell upwards
// in that dimension, the next one downwards. Some of these numbers do not belong to a link. A ring
// of two cells has one link per direction, upwards from the lower cell.
class Links {
 public:
  explicit Links(Mesh mesh) : mesh_(std::move(mesh)) {}

  const Mesh& mesh() const { return mesh_; }
  // The number of link numbers; not all are links.
  int numbers() const { return 2 * mesh_.dimensions() * mesh_.cells(); }
  // The number of links that leave a cell: 2N, except on a border or with a dimension of one or two
  // cells.
  int of_cell(int cell) const;
  int fewest_of_a_cell() const;
  int most_of_a_cell() const;

  // Appends the links from one cell to another in dimension order: first the whole distance in the
  // first dimension, in the shorter direction. If both directions are equally long, `upwards`
  // decides. Returns whether there are such dimensions.
  bool route(int from, int to, bool upwards, std::vector<int>& links) const;

 private:
  Mesh mesh_;
};

// The cell of each rank of a shape. The mesh is the network of the machine if the placement has
// one, otherwise the grid; one ring of all ranks if no mesh is known.
struct OnLinks {
  Links links;
  std::vector<int> cells;  // by rank

  explicit OnLinks(const Shape& shape);
};

// The traffic on the links when ranks execute their schedules. Messages between ranks of one cell
// use no link. If two directions are equally long, a message takes the one with fewer messages in
// that round.
struct LinkTraffic {
  std::vector<std::int64_t> bytes;  // by link
  std::int64_t largest = 0;
  std::int64_t total = 0;
  // By round: the maximum number of messages on one link. The paper calls them conflicts [chan2006,
  // section 2].
  std::vector<int> conflicts;
  // The number of rounds of the busiest rank if the messages per round are limited: in each
  // direction, a rank can have one message per link of a cell.
  int turns = 0;

  int most_conflicts() const;
};

// `bytes[d]` is the size of datum d; if empty, every block has one byte.
LinkTraffic link_traffic(const Collective& collective, const Shape& shape,
                         std::span<const Schedule> schedules,
                         std::span<const std::int64_t> bytes = {});

// For one algorithm in a possible and complete shape.
LinkTraffic link_traffic(const Algorithm& algorithm, const Shape& shape,
                         std::span<const std::int64_t> bytes = {});

// For each message, the number of messages (including itself) that share the busiest link of its
// path in its round. This is the k of alpha + k·n·beta, as in CostOptions. 1 within a cell.
std::function<double(int sender, int round, int message)> conflicts_on(
    const Shape& shape, std::span<const Schedule> schedules);

}  // namespace toccata
