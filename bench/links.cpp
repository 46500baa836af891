// Times messages over several links of a node at the same time: the benchmark of [chan2006, section
// 5.1.1]. Every second node of a mesh (a centre) sends to its first l neighbours at once, receives
// from them, or exchanges with them. The nodes between the centres are these neighbours, so all
// nodes take part, and the l messages use l links. Rank 0 prints one JSON object per line;
// `toccata bench links` makes a table, a fit and a figure from them.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options.h"
#include "patterns/torus.h"
#include "topology/error.h"
#include "topology/synthetic.h"

namespace toccata::bench {
namespace {

using nlohmann::json;

// The pairs: `centre` ranks and their neighbours, which exchange with them only.
struct Neighbours {
  bool centre = false;
  // By direction; -1 at the end of the mesh. Neighbour i of a centre has the centre as its own
  // neighbour i.
  std::vector<int> peers = {};
};

// One centre; all other ranks are its neighbours.
Neighbours star(int rank, int size) {
  Neighbours result{rank == 0, std::vector<int>(size - 1, -1)};
  for (int i = 0; i < size - 1; ++i)
    if (rank == 0)
      result.peers[i] = i + 1;
    else if (rank == i + 1)
      result.peers[i] = 0;
  return result;
}

// Cells whose coordinates have an even sum are centres. On a ring of odd length, both of its ends
// would be centres, so that link is left out.
Neighbours on_mesh(const Mesh& mesh, int cell) {
  const std::vector<int> at = mesh.coordinates(cell);
  int sum = 0;
  for (const int each : at) sum += each;
  Neighbours result{sum % 2 == 0, {}};
  for (int i = 0; i < mesh.dimensions(); ++i) {
    const int size = mesh.dims[i];
    const bool ring = mesh.periodic[i] && size > 2 && size % 2 == 0;
    const bool above = ring || at[i] + 1 < size;
    const bool below = ring || at[i] > 0;
    const int up = above ? toward(mesh, cell, i, +1) : -1;
    const int down = below ? toward(mesh, cell, i, -1) : -1;
    // The rank above a centre has the centre below itself, so it uses the opposite direction.
    result.peers.push_back(result.centre ? up : down);
    result.peers.push_back(result.centre ? down : up);
  }
  return result;
}

class Run {
 public:
  Run(LinksOptions options, Neighbours neighbours)
      : options_(std::move(options)), neighbours_(std::move(neighbours)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    number_links();
  }

  void all() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    // The maximum number of links of a centre.
    const auto directions = static_cast<int>(neighbours_.peers.size());
    int most = static_cast<int>(
        std::ranges::count_if(neighbours_.peers, [](int peer) { return peer >= 0; }));
    if (!neighbours_.centre) most = 0;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    say({{"event", "start"},
         {"ranks", size_},
         {"links", most},
         {"mpi", std::string(version).substr(0, std::string(version).find_first_of(",\n"))}});
    for (const std::size_t bytes : options_.sizes) {
      out_.assign(bytes * directions, '\1');
      in_.assign(bytes * directions, '\0');
      for (int links = 1; links <= most; ++links)
        for (const char* way : {"send", "receive", "exchange"}) one(way, links, bytes);
    }
    say({{"event", "done"}});
  }

 private:
  void say(const json& line) const {
    if (rank_ != 0) return;
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }

  void one(const std::string& way, int links, std::size_t bytes) {
    const bool sends = way == "exchange" || neighbours_.centre == (way == "send");
    const bool receives = way == "exchange" || neighbours_.centre != (way == "send");
    std::vector<double> seconds;
    for (int i = 0; i < options_.warmup + options_.repetitions; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double started = MPI_Wtime();
      exchange(sends, receives, links, bytes);
      if (i >= options_.warmup) seconds.push_back(MPI_Wtime() - started);
    }
    const auto number = static_cast<int>(seconds.size());
    int busy = requests_.empty() ? 0 : 1;  // of this rank; later the number of busy ranks
    const bool idle = busy == 0;
    MPI_Allreduce(MPI_IN_PLACE, &busy, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    std::vector<double> longest(number), shortest(number), sum(number);
    const auto reduce = [&](std::vector<double>& into, MPI_Op op, double of_idle) {
      if (idle) std::ranges::fill(seconds, of_idle);
      MPI_Reduce(seconds.data(), into.data(), number, MPI_DOUBLE, op, 0, MPI_COMM_WORLD);
    };
    reduce(longest, MPI_MAX, 0);
    reduce(sum, MPI_SUM, 0);
    reduce(shortest, MPI_MIN, std::numeric_limits<double>::infinity());
    const auto median = [&](std::vector<double>& each) {
      std::ranges::nth_element(each, each.begin() + number / 2);
      return each[number / 2];
    };
    say({{"event", "result"},
         {"way", way},
         {"links", links},
         {"bytes", bytes},
         {"repetitions", number},
         {"longest", median(longest)},
         {"shortest", median(shortest)},
         {"average", median(sum) / busy}});
  }

  // Sends and receives all messages of this rank at once: those over the first `links` links of a
  // centre.
  void exchange(bool sends, bool receives, int links, std::size_t bytes) {
    requests_.clear();
    for (std::size_t i = 0; i < neighbours_.peers.size(); ++i) {
      if (neighbours_.peers[i] < 0 || number_[i] >= links) continue;
      const auto tag = static_cast<int>(i);
      const auto count = static_cast<int>(bytes);
      if (receives)
        MPI_Irecv(in_.data() + i * bytes, count, MPI_CHAR, neighbours_.peers[i], tag,
                  MPI_COMM_WORLD, &requests_.emplace_back());
      if (sends)
        MPI_Isend(out_.data() + i * bytes, count, MPI_CHAR, neighbours_.peers[i], tag,
                  MPI_COMM_WORLD, &requests_.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  // Numbers the links of a centre: the number of a link is that of the links in earlier directions.
  void number_links() {
    number_.assign(neighbours_.peers.size(), 0);
    int number = 0;
    requests_.clear();
    for (std::size_t i = 0; i < number_.size(); ++i) {
      const int peer = neighbours_.peers[i];
      if (peer < 0) continue;
      const auto tag = static_cast<int>(i);
      if (neighbours_.centre) {
        number_[i] = number++;
        MPI_Isend(&number_[i], 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests_.emplace_back());
      } else {
        MPI_Irecv(&number_[i], 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests_.emplace_back());
      }
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  LinksOptions options_;
  Neighbours neighbours_;
  std::vector<int> number_;  // of the link in each direction
  int rank_ = 0;
  int size_ = 1;
  std::vector<char> out_, in_;
  std::vector<MPI_Request> requests_;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  LinksOptions options;
  if (const auto end = parse(argc, argv, rank == 0, options)) {
    MPI_Finalize();
    return *end;
  }
  const auto refuse = [&](const std::string& why) {
    if (rank == 0) std::fprintf(stderr, "links: %s\n", why.c_str());
    MPI_Finalize();
    return 2;
  };
  try {
    if (size < 2) return refuse("1 rank has no neighbours; start at least 2");
    Neighbours neighbours = star(rank, size);
    if (!options.machine.empty()) {
      const Machine machine = parse_machine(options.machine);
      if (!machine.network() || machine.network()->cells() != size)
        return refuse("'" + options.machine + "' is not a mesh of " + std::to_string(size) +
                      " cells, one per rank");
      neighbours = on_mesh(*machine.network(), rank);
    }
    Run(std::move(options), std::move(neighbours)).all();
  } catch (const TopologyError& error) {
    return refuse(error.what());
  }
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace toccata::bench

int main(int argc, char** argv) { return toccata::bench::main(argc, argv); }
