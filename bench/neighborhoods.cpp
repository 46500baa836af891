// The time of collectives among neighbours. This MPI program does not use Toccata: run it with the
// library preloaded. Calls of MPI_* alternate with calls of PMPI_*, which the library does not
// intercept. Rank 0 prints one line per cell:
//
//   GRAPH FORM BYTES NATIVE QUARTILE QUARTILE OURS QUARTILE QUARTILE   (bytes of a block; us)
//
//   neighborhoods [-m MILLISECONDS] [-b BYTES,...] [-g GRAPH,...] [-f FORM,...]
//
// -m: approximate milliseconds per cell and side (8). A form that begins with i is nonblocking, and
// one that ends with _init is persistent.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "turns_in_time.h"

namespace {

using Edges = std::set<std::pair<int, int>>;  // from, to

// A mesh without wrap-around; with `corners`, a rank also has its diagonal neighbours.
Edges stencil(int p, int dimensions, bool corners) {
  std::vector<int> dims(dimensions, 0);
  MPI_Dims_create(p, dimensions, dims.data());
  const auto places = [&](int rank) {
    std::vector<int> result;
    for (const int each : dims) result.push_back(rank % each), rank /= each;
    return result;
  };
  Edges edges;
  for (int a = 0; a < p; ++a)
    for (int b = 0; b < p; ++b) {
      const std::vector<int> at = places(a), other = places(b);
      int farthest = 0, sum = 0;
      for (int i = 0; i < dimensions; ++i) {
        farthest = std::max(farthest, std::abs(at[i] - other[i]));
        sum += std::abs(at[i] - other[i]);
      }
      if (farthest == 1 && (corners || sum == 1)) edges.emplace(a, b);
    }
  return edges;
}

Edges random_graph(int p, int degree) {
  std::mt19937 random(12);
  Edges edges;
  for (int from = 0; from < p; ++from) {
    std::vector<int> others(p);
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + from);
    std::ranges::shuffle(others, random);
    for (int i = 0; i < std::min(degree, p - 1); ++i) edges.emplace(from, others[i]);
  }
  return edges;
}

// Rank r exchanges blocks with about p / (r + 1) others.
Edges power_law(int p) {
  std::mt19937 random(3);
  Edges edges;
  for (int a = 0; a < p; ++a)
    for (int i = 0; i < std::max(p / (a + 1), 1); ++i) {
      const int b = static_cast<int>(random() % p);
      if (a != b) edges.emplace(a, b), edges.emplace(b, a);
    }
  return edges;
}

using Points = std::vector<std::array<double, 2>>;

// Numbers points in stripes, as a simple partitioner would.
void in_stripes(Points::iterator first, Points::iterator end) {
  std::sort(first, end, [](const auto& a, const auto& b) {
    return std::pair(std::floor(a[0] * 4), a[1]) < std::pair(std::floor(b[0] * 4), b[1]);
  });
}

// Numbers points by recursive bisection across the longer side, as common partitioners do.
void by_bisection(Points::iterator first, Points::iterator end) {
  if (end - first < 2) return;
  const auto middle = first + (end - first) / 2;
  const auto side = [&](int axis) {
    const auto [least, most] = std::minmax_element(
        first, end, [&](const auto& a, const auto& b) { return a[axis] < b[axis]; });
    return (*most)[axis] - (*least)[axis];
  };
  const int axis = side(0) < side(1) ? 1 : 0;
  std::sort(first, end, [&](const auto& a, const auto& b) { return a[axis] < b[axis]; });
  by_bisection(first, middle);
  by_bisection(middle, end);
}

// The parts of an unstructured mesh: points in a square, each with its six nearest ones.
template <typename Number>
Edges mesh(int p, Number&& number) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> coordinate(0, 1);
  Points points(p);
  for (auto& [x, y] : points) x = coordinate(random), y = coordinate(random);
  number(points.begin(), points.end());
  Edges edges;
  for (int a = 0; a < p; ++a) {
    std::vector<std::pair<double, int>> others;
    for (int b = 0; b < p; ++b)
      if (b != a)
        others.emplace_back(std::hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]),
                            b);
    std::ranges::sort(others);
    for (int i = 0; i < std::min(6, p - 1); ++i)
      edges.emplace(a, others[i].second), edges.emplace(others[i].second, a);
  }
  return edges;
}

MPI_Comm torus(int p, int dimensions) {
  std::vector<int> dims(dimensions, 0);
  const std::vector<int> periods(dimensions, 1);
  MPI_Dims_create(p, dimensions, dims.data());
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims.data(), periods.data(), 0, &made);
  return made;
}

MPI_Comm graph_of(const Edges& edges, int rank) {
  std::vector<int> sources, destinations;
  for (const auto& [from, to] : edges) {
    if (to == rank) sources.push_back(from);
    if (from == rank) destinations.push_back(to);
  }
  sources.reserve(1), destinations.reserve(1);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                                 destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  return made;
}

const std::vector<std::pair<std::string, std::function<MPI_Comm(int p, int rank)>>> graphs{
    {"torus2d", [](int p, int) { return torus(p, 2); }},
    {"torus3d", [](int p, int) { return torus(p, 3); }},
    {"corners2d", [](int p, int rank) { return graph_of(stencil(p, 2, true), rank); }},
    {"corners3d", [](int p, int rank) { return graph_of(stencil(p, 3, true), rank); }},
    {"random", [](int p, int rank) { return graph_of(random_graph(p, 12), rank); }},
    {"power_law", [](int p, int rank) { return graph_of(power_law(p), rank); }},
    {"unstructured", [](int p, int rank) { return graph_of(mesh(p, in_stripes), rank); }},
    {"bisected", [](int p, int rank) { return graph_of(mesh(p, by_bisection), rank); }},
};

// The buffers and arguments of one rank's calls.
struct Arguments {
  Arguments(MPI_Comm graph, int bytes) : comm(graph), n(bytes) {
    int kind = MPI_UNDEFINED, weighted = 0;
    MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
      MPI_Cartdim_get(comm, &in);
      in = out = 2 * in;
    } else {
      MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    }
    const int most = std::max({in, out, 1});
    sent.assign(static_cast<std::size_t>(most) * n, 'a');
    received.assign(sent.size(), 'b');
    counts.assign(most, n);
    for (int i = 0; i < most; ++i) places.push_back(i * n);
  }
  MPI_Comm comm;
  int n, in = 0, out = 0;
  std::vector<char> sent, received;
  std::vector<int> counts, places;

  const char* from() const { return sent.data(); }
  char* to() { return received.data(); }
};

const MPI_Datatype byte = MPI_CHAR;
using Form = std::function<std::function<void()>(Arguments&)>;

// The calls of MPI_NAME and PMPI_NAME, of their nonblocking and their persistent forms.
struct Forms {
  std::string name;
  Form ours, native;
};

#define BLOCKING(name, ...) [](Arguments& a) { return [&a] { name(__VA_ARGS__, a.comm); }; }
#define NONBLOCKING(p, name, ...)               \
  [](Arguments& a) {                            \
    return [&a] {                               \
      MPI_Request request;                      \
      p##name(__VA_ARGS__, a.comm, &request);   \
      p##MPI_Wait(&request, MPI_STATUS_IGNORE); \
    };                                          \
  }
#define PERSISTENT(p, name, ...)                                                   \
  [](Arguments& a) {                                                               \
    const std::shared_ptr<MPI_Request> made(new MPI_Request, [](MPI_Request* it) { \
      p##MPI_Request_free(it);                                                     \
      delete it;                                                                   \
    });                                                                            \
    p##name(__VA_ARGS__, a.comm, MPI_INFO_NULL, made.get());                       \
    return [made] {                                                                \
      p##MPI_Start(made.get());                                                    \
      p##MPI_Wait(made.get(), MPI_STATUS_IGNORE);                                  \
    };                                                                             \
  }
#define ALLGATHER a.from(), a.n, byte, a.to(), a.n, byte
#define ALLGATHERV a.from(), a.n, byte, a.to(), a.counts.data(), a.places.data(), byte
#define ALLTOALL ALLGATHER
#define ALLTOALLV \
  a.from(), a.counts.data(), a.places.data(), byte, a.to(), a.counts.data(), a.places.data(), byte

const std::vector<Forms> forms {
  {"allgather", BLOCKING(MPI_Neighbor_allgather, ALLGATHER),
   BLOCKING(PMPI_Neighbor_allgather, ALLGATHER)},
      {"allgatherv", BLOCKING(MPI_Neighbor_allgatherv, ALLGATHERV),
       BLOCKING(PMPI_Neighbor_allgatherv, ALLGATHERV)},
      {"alltoall", BLOCKING(MPI_Neighbor_alltoall, ALLTOALL),
       BLOCKING(PMPI_Neighbor_alltoall, ALLTOALL)},
      {"alltoallv", BLOCKING(MPI_Neighbor_alltoallv, ALLTOALLV),
       BLOCKING(PMPI_Neighbor_alltoallv, ALLTOALLV)},
      {"iallgather", NONBLOCKING(, MPI_Ineighbor_allgather, ALLGATHER),
       NONBLOCKING(P, MPI_Ineighbor_allgather, ALLGATHER)},
      {"ialltoallv", NONBLOCKING(, MPI_Ineighbor_alltoallv, ALLTOALLV),
       NONBLOCKING(P, MPI_Ineighbor_alltoallv, ALLTOALLV)},
#if MPI_VERSION >= 4
      {"allgather_init", PERSISTENT(, MPI_Neighbor_allgather_init, ALLGATHER),
       PERSISTENT(P, MPI_Neighbor_allgather_init, ALLGATHER)},
      {"alltoallv_init", PERSISTENT(, MPI_Neighbor_alltoallv_init, ALLTOALLV),
       PERSISTENT(P, MPI_Neighbor_alltoallv_init, ALLTOALLV)},
#endif
};

bool is_wanted(const std::string& names, const std::string& name) {
  return names.empty() || ("," + names + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double milliseconds = 8;
  std::vector<int> sizes;
  std::string wanted_graphs, wanted_forms;
  for (int option; (option = getopt(argc, argv, "m:b:g:f:")) != -1;) {
    if (option == 'm') milliseconds = std::atof(optarg);
    if (option == 'g') wanted_graphs = optarg;
    if (option == 'f') wanted_forms = optarg;
    std::stringstream list(option == 'b' ? optarg : "");
    for (std::string each; std::getline(list, each, ',');) sizes.push_back(std::atoi(each.c_str()));
  }
  if (sizes.empty()) sizes = {8, 64, 512, 4 << 10, 64 << 10};
  int p = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  toccata::bench::TurnsInTime turns(milliseconds);
  for (const auto& [graph, make] : graphs) {
    if (!is_wanted(wanted_graphs, graph)) continue;
    for (const Forms& form : forms) {
      if (!is_wanted(wanted_forms, form.name)) continue;
      for (const int bytes : sizes) {
        MPI_Comm comm = make(p, rank);  // programs seldom use one graph with several sizes
        const auto times = [&] {
          Arguments native(comm, bytes), ours(comm, bytes);
          const auto native_calls = form.native(native), our_calls = form.ours(ours);
          return turns.measure(native_calls, our_calls);
        }();
        MPI_Comm_free(&comm);
        if (!times) continue;
        std::printf("%s %s %d", graph.c_str(), form.name.c_str(), bytes);
        for (const auto* side : {&times->native, &times->ours})
          for (const double each : *side) std::printf(" %.4f", each);
        std::printf("\n");
        std::fflush(stdout);
      }
    }
  }
  MPI_Finalize();
}
