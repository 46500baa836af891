// Measures the costs of messages between two ranks of each level of the machine, alone and in
// bursts, and between nodes with several pairs at once; the costs of blocks that two ranks of a
// node publish for each other; and the costs of local steps. Rank 0 prints one JSON object per
// line; `toccata calibrate` fits a model's parameters to them.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options.h"
#include "toccata/toccata.h"
#include "topology/hwloc.h"
#include "topology/whereabouts.h"

namespace toccata::bench {
namespace {

using nlohmann::json;

struct Pair {
  int a, b;
};

class Calibration {
 public:
  explicit Calibration(CalibrateOptions options) : options_(std::move(options)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    // Each message of a burst has its own memory.
    memory_.resize(std::max(options_.burst, 3) * std::ranges::max(options_.sizes));
  }

  void all() {
    const Placement placement = where();
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    say({{"event", "start"},
         {"ranks", size_},
         {"mpi", std::string(version).substr(0, std::string(version).find_first_of(",\n"))}});
    for (const auto& [level, pair] : pairs(placement)) {
      const std::string name = level < 0 ? "network" : std::string(placement.machine().name(level));
      for (const std::size_t bytes : options_.sizes) {
        tell("message", name, bytes, 1, time({pair}, bytes, 1, Back::same));
        tell("burst", name, bytes, options_.burst,
             time({pair}, bytes, options_.burst, Back::empty));
      }
    }
    injection(placement);
    publishing(placement);
    local_steps();
    say({{"event", "done"}});
  }

 private:
  void say(const json& line) const {
    if (rank_ != 0) return;
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }

  void tell(const char* event, const std::string& level, std::size_t bytes, int number,
            double seconds) const {
    say({{"event", event},
         {"level", level},
         {"bytes", bytes},
         {"number", number},
         {"seconds", seconds}});
  }

  Placement where() const {
    MPI_Comm node;
    if (options_.node > 0)
      MPI_Comm_split(MPI_COMM_WORLD, rank_ / options_.node, rank_, &node);
    else
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
    int first = rank_;
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    Whereabouts own;
    own.node = static_cast<std::uint64_t>(first);
    own.world = rank_;
    const NodeTopology here = NodeTopology::here();
    own.settle(here.machine(), here.binding());
    std::vector<Whereabouts> ranks(size_);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, ranks.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    return placement_of(ranks);
  }

  // For each level, the first pair of ranks whose innermost common level it is.
  std::map<int, Pair> pairs(const Placement& placement) const {
    std::map<int, Pair> found;
    for (int a = 0; a < size_; ++a)
      for (int b = a + 1; b < size_; ++b)
        found.try_emplace(placement.common_level(a, b), Pair{a, b});
    return found;
  }

  // Messages from ranks of one node to ranks of another, with an increasing number of pairs.
  void injection(const Placement& placement) {
    const int level = placement.machine().find("node");
    if (level < 0 || placement.regions(level).number() < 2) return;
    const auto from = placement.regions(level).members(0);
    const auto to = placement.regions(level).members(1);
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
      pairs.push_back({from[i], to[i]});
      for (const std::size_t bytes : options_.sizes)
        tell("pairs", "node", bytes, static_cast<int>(pairs.size()),
             time(pairs, bytes, 1, Back::empty));
    }
  }

  // Allgathers between the first two ranks of a node: each writes a block and reads the other's.
  // Several calls in a row, because the ranks leave the barrier before the first one at different
  // times. If they share no memory, published blocks are messages, and so these are their costs.
  void publishing(const Placement& placement) {
    const int level = placement.machine().find("node");
    if (level < 0) return;
    const Regions& nodes = placement.regions(level);
    int node = 0;
    while (node < nodes.number() && nodes.size(node) < 2) ++node;
    if (node == nodes.number()) return;
    const auto ranks = nodes.members(node);
    const bool acts = rank_ == ranks[0] || rank_ == ranks[1];
    // The first call on all ranks prepares the library for other communicators.
    toccata_barrier(MPI_COMM_WORLD, "dissemination");
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, acts ? 0 : MPI_UNDEFINED, rank_, &pair);
    for (const std::size_t bytes : options_.sizes) {
      const auto exchange = [&, count = static_cast<int>(bytes)] {
        for (int i = 0; i < options_.burst; ++i)
          toccata_allgather(memory_.data(), count, MPI_BYTE, memory_.data() + bytes, count,
                            MPI_BYTE, pair, "shared");
      };
      tell("publishing", "node", bytes, options_.burst, time(acts, exchange) / options_.burst);
    }
    if (acts) MPI_Comm_free(&pair);
  }

  // The answer to a burst. A message of the same size takes half of the total time; the time
  // includes an empty message.
  enum class Back : std::uint8_t { same, empty };

  // Seconds until `number` messages from the first to the second rank of all pairs have arrived.
  // All pairs send in the same direction only if answers are empty.
  double time(const std::vector<Pair>& pairs, std::size_t bytes, int number, Back back) {
    int peer = -1;
    bool first = false;
    for (const Pair& pair : pairs)
      if (rank_ == pair.a || rank_ == pair.b) {
        first = rank_ == pair.a;
        peer = first ? pair.b : pair.a;
      }
    const double seconds =
        time(peer >= 0, [&] { there_and_back(first, peer, bytes, number, back); });
    return back == Back::same ? seconds / 2 : seconds;
  }

  // The seconds of some work on the ranks that take part: the lower decile of the repetitions,
  // because other activity of the machine only adds time, and the maximum of the ranks.
  template <typename Work>
  double time(bool takes_part, Work&& work) {
    std::vector<double> times;
    double spent = 0;
    for (int i = -5; i < options_.repetitions; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      if (takes_part) work();
      double seconds = takes_part ? MPI_Wtime() - start : 0;
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (i >= 0) times.push_back(seconds);
      spent += seconds;
      if (spent > options_.limit && times.size() >= 5) break;
    }
    const auto decile = static_cast<std::ptrdiff_t>(times.size() / 10);
    std::ranges::nth_element(times, times.begin() + decile);
    return times[decile];
  }

  void there_and_back(bool first, int peer, std::size_t bytes, int number, Back answer) {
    const int back = answer == Back::same ? static_cast<int>(bytes) : 0;
    if (first) {
      messages(peer, bytes, number, true);
      MPI_Recv(memory_.data(), back, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      messages(peer, bytes, number, false);
      MPI_Send(memory_.data(), back, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
  }

  void messages(int peer, std::size_t bytes, int number, bool send) {
    std::vector<MPI_Request> requests(number);
    for (int i = 0; i < number; ++i) {
      char* const memory = memory_.data() + i * bytes;
      const int count = static_cast<int>(bytes);
      if (send)
        MPI_Isend(memory, count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
      else
        MPI_Irecv(memory, count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(number, requests.data(), MPI_STATUSES_IGNORE);
  }

  // The costs of local steps, on data that fits into a cache.
  void local_steps() {
    constexpr std::size_t bytes = 256 << 10, piece = 64;
    std::vector<char> from(2 * bytes), into(2 * bytes);
    const auto step = [&](const char* what, auto&& work) {
      double best = 1;
      for (int i = 0; i < 50; ++i) {
        const double start = MPI_Wtime();
        work();
        best = std::min(best, MPI_Wtime() - start);
      }
      tell("step", what, bytes, 1, best);
    };
    step("copy", [&] { std::memcpy(into.data(), from.data(), bytes); });
    step("pack", [&] {
      for (std::size_t i = 0; i < bytes; i += piece)
        std::memcpy(into.data() + i, from.data() + 2 * i, piece);
    });
    step("gamma", [&] {
      MPI_Reduce_local(from.data(), into.data(), bytes / sizeof(double), MPI_DOUBLE, MPI_SUM);
    });
  }

  CalibrateOptions options_;
  int rank_ = 0, size_ = 0;
  std::vector<char> memory_;
};

int run(int argc, char** argv) {
  CalibrateOptions options;
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (const auto end = parse(argc, argv, rank == 0, options)) return *end;
  if (size < 2) {
    std::fputs("toccata_calibrate: 1 rank has no peer; start at least 2\n", stderr);
    return 2;
  }
  Calibration(options).all();
  return 0;
}

}  // namespace
}  // namespace toccata::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = toccata::bench::run(argc, argv);
  MPI_Finalize();
  return code;
}
