#include "topology/reorder/halving.h"

#include <array>
#include <gtest/gtest.h>
#include <map>

#include "../../support.h"
#include "topology/placements.h"
#include "topology/reorder/fold.h"
#include "topology/reorder/refine.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

using Row = std::map<int, double>;

Flows flows_of(int p, const auto& row_of) {
  Flows flows;
  for (int rank = 0; rank < p; ++rank) {
    Row row = row_of(rank);
    row.erase(rank);
    flows.add_row({row.begin(), row.end()});
  }
  return flows;
}

// A torus whose ranks send to their neighbours, also to the diagonal ones: 64 KiB through a face, a
// 64th of that through an edge.
Flows halos(const std::vector<int>& dims) {
  const Mesh mesh{dims, std::vector<bool>(dims.size(), true)};
  const Mesh steps{std::vector<int>(dims.size(), 3), {}};
  return flows_of(mesh.cells(), [&](int rank) {
    Row row;
    for (int step = 0; step < steps.cells(); ++step) {
      std::vector<int> at = mesh.coordinates(rank);
      const std::vector<int> by = steps.coordinates(step);
      int away = 0;
      for (int i = 0; i < mesh.dimensions(); ++i) {
        at[i] = (at[i] + by[i] - 1 + dims[i]) % dims[i];
        away += by[i] != 1 ? 1 : 0;
      }
      if (away > 0) row[mesh.cell(at)] += 65536 >> (6 * (away - 1));
    }
    return row;
  });
}

// Ranks send to the nearest of random points in a cube, as in an unstructured mesh.
Flows unstructured(int p) {
  test::Random random(1);
  std::vector<std::array<int, 3>> points(p);
  for (auto& point : points)
    for (int& each : point) each = random.number(0, 1000);
  return flows_of(p, [&](int rank) {
    std::vector<std::pair<int, int>> others;
    for (int other = 0; other < p; ++other) {
      int square = 0;
      for (int i = 0; i < 3; ++i)
        square += (points[rank][i] - points[other][i]) * (points[rank][i] - points[other][i]);
      others.emplace_back(square, other);
    }
    std::ranges::sort(others);
    Row row;
    for (int k = 1; k <= 12; ++k) row[others[k].second] += 1000.0 / k;
    return row;
  });
}

// Rows and columns of a matrix of ranks, which exchange their blocks.
Flows transpositions(int rows, int columns) {
  return flows_of(rows * columns, [&](int rank) {
    Row row;
    for (int i = 0; i < columns; ++i) row[rank / columns * columns + i] += 1000;
    for (int i = 0; i < rows; ++i) row[i * columns + rank % columns] += 300;
    return row;
  });
}

// Random partners; `hubs` have many of them.
Flows random_partners(int p, bool hubs) {
  test::Random random(1);
  return flows_of(p, [&](int) {
    Row row;
    for (int i = 0; i < 8; ++i) {
      int end = p - 1;
      if (hubs)
        for (int j = 0; j < 2; ++j) end = random.number(0, end);
      row[random.number(0, end)] += random.number(100, 1100);
    }
    return row;
  });
}

Flows doubling(int p) {
  return flows_of(p, [&](int rank) {
    Row row;
    for (int bit = 1; bit < p; bit *= 2) row[rank ^ bit] = 1000.0 * bit;
    return row;
  });
}

Placement placed(std::string_view machine, std::string_view name) {
  const auto parsed = std::make_shared<const Machine>(parse_machine(machine));
  return place(parsed, parsed->objects(parsed->innermost()), name);
}

// The fewest hop-bytes after 16 halvings and, if these are more than `enough`, refinements of the
// best four mappings. So does `toccata place`.
double fewest(const Placement& placement, const Flows& flows, double enough) {
  const auto cost = [&](const Mapping& each) { return hop_bytes(placement, flows, each); };
  std::vector<Mapping> found;
  for (unsigned seed = 0; seed < 16; ++seed)
    found.push_back(map_by_halving(placement, flows, seed));
  std::ranges::sort(found, {}, cost);
  double least = cost(found.front());
  for (int i = 0; i < 4 && least > enough; ++i)
    least = std::min(least, cost(refine(placement, flows, found[i], 10)));
  return least;
}

// On trees and meshes of any shape, also if ranks are not bound to cores, with any traffic.
TEST(Halving, EveryCoreHasOneRank) {
  const auto counts = [](test::Random& random, int number) {
    std::string text;
    for (int i = 0; i < number; ++i)
      text += (i > 0 ? "," : "") + std::to_string(random.number(1, 4));
    return text;
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    test::Random random(seed);
    const int outer = random.number(1, 5);
    std::string machine;
    if (random.coin())
      machine = "leaf:" + std::to_string(outer) + " node:" + counts(random, outer) +
                " core:" + std::to_string(random.number(1, 5));
    else
      machine = std::string(random.coin() ? "torus:" : "mesh:") + std::to_string(outer) + "x" +
                std::to_string(random.number(1, 6)) +
                " core:" + std::to_string(random.number(1, 3));
    const auto parsed = std::make_shared<const Machine>(parse_machine(machine));
    const int p = random.number(1, parsed->objects(parsed->innermost()));
    std::vector<Place> places = {};
    const Placement in_cores = place(parsed, p, "random:" + std::to_string(seed));
    for (int rank = 0; rank < p; ++rank) {
      Place there = in_cores.place(rank);
      if (seed % 3 == 0)  // unbound
        there = {there.level - 1, parsed->outer(there.level, there.object)};
      places.push_back(there);
    }
    const Placement placement(parsed, places);
    const Flows flows = flows_of(p, [&](int) {
      Row row;
      for (int i = random.number(0, 6); i > 0; --i)
        row[random.number(0, random.coin() ? 0 : p - 1)] = random.number(0, 1000);
      return row;
    });
    Mapping mapping = map_by_halving(placement, flows, seed);
    std::ranges::sort(mapping);
    EXPECT_EQ(mapping, identity(p)) << machine << ", " << p << " ranks, seed " << seed;
  }
}

// For ranks in random places, the hop-bytes of the best of Scotch 7.0.3 and of two simulated
// annealings with 20 000 steps per rank.
const std::array machines{"node:16 socket:2 core:8", "leaf:3 node:5,7,4 core:16",
                          "torus:4x4x4 core:4"};
const std::map<std::string_view, std::array<double, machines.size()>> references{
    {"ring", {608, 550, 644}},
    {"2-D", {1702, 1392, 1536}},
    {"2-D with corners", {111222784, 88645632, 102760448}},
    {"3-D", {2816, 2272, 2560}},
    {"3-D with corners", {191975424, 154833920, 175210496}},
    {"unstructured", {1252826, 1023310, 1409939}},
    {"transpositions", {9344000, 6940800, 11708800}},
    {"random", {3031282, 2604524, 3622504}},
    {"hubs", {3068137, 2624231, 3677765}},
    {"doubling", {77056000, 70048000, 81792000}},
};

Flows traffic_of(std::string_view program) {
  const auto torus = [](const std::vector<int>& dims) {
    return flows_between_neighbours({dims, std::vector<bool>(dims.size(), true)});
  };
  if (program == "ring") return torus({256});
  if (program == "2-D") return torus({16, 16});
  if (program == "2-D with corners") return halos({32, 8});
  if (program == "3-D") return torus({8, 8, 4});
  if (program == "3-D with corners") return halos({8, 8, 4});
  if (program == "unstructured") return unstructured(256);
  if (program == "transpositions") return transpositions(16, 16);
  if (program == "random") return random_partners(256, false);
  if (program == "hubs") return random_partners(256, true);
  return doubling(256);
}

TEST(Halving, IsAsGoodAsScotchAndALongAnnealing) {
  for (const auto& [program, least] : references) {
    const Flows flows = traffic_of(program);
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const Placement placement = placed(machines[i], "random:1");
      EXPECT_LE(fewest(placement, flows, 1.03 * least[i]), 1.035 * least[i])
          << program << " on " << machines[i];
    }
  }
}

// In a program with 4096 ranks, every halving has few levels and little traffic to cut.
TEST(Halving, EndsInTime) {
  const Flows flows = halos({16, 16, 16});
  const Placement placement = placed("node:64 socket:2 core:32", "random:1");
  Mapping mapping;
  EXPECT_LT(test::processor_seconds([&] { mapping = map_by_halving(placement, flows, 1); }),
            test::sanitized ? 60 : 5);  // usually 0.12 s
  EXPECT_LT(hop_bytes(placement, flows, mapping),
            0.6 * hop_bytes(placement, flows, identity(4096)));
}

}  // namespace
}  // namespace toccata
