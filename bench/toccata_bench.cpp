// Times collectives on MPI_COMM_WORLD: all algorithms interleaved in one run, so that other
// activity of the machine affects all of them equally. Rank 0 prints one JSON object per line;
// `toccata bench` makes tables and figures from them.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "benchmark.h"
#include "choices/choice.h"
#include "choices/sign_test.h"
#include "mpi/communicator/communicator.h"
#include "mpi/devices/device_support.h"
#include "mpi/settings/settings.h"
#include "options.h"
#include "starting_line.h"
#include "tables/schedule_file.h"
#include "topology/placements.h"
#include "turns.h"
#ifdef TOCCATA_SIMULATED
#include "mpi/data/without_data.h"
#endif

namespace toccata::bench {
namespace {

using nlohmann::json;

using Maker =
    std::function<std::unique_ptr<Benchmark>(std::size_t bytes, const BenchOptions& options)>;

// Makers of benchmarks: one that needs no options, and one for vector forms.
template <auto make>
std::unique_ptr<Benchmark> plain(std::size_t bytes, const BenchOptions&) {
  return make(bytes);
}
template <auto make>
std::unique_ptr<Benchmark> uneven(std::size_t bytes, const BenchOptions& options) {
  return make(bytes, options.distribution);
}

const std::map<std::string, Maker> benchmarks{
    {"allgather", plain<make_allgather>},
    {"allreduce", plain<make_allreduce>},
    {"alltoall", plain<make_alltoall>},
    {"alltoallv", uneven<make_alltoallv>},
    {"barrier", plain<make_barrier>},
    {"bcast", plain<make_bcast>},
    {"exscan", plain<make_exscan>},
    {"gather", plain<make_gather>},
    {"gatherv", uneven<make_gatherv>},
    {"neighbor_allgather", plain<make_neighbor_allgather>},
    {"neighbor_allgatherv", uneven<make_neighbor_allgatherv>},
    {"neighbor_alltoall", plain<make_neighbor_alltoall>},
    {"neighbor_alltoallv", uneven<make_neighbor_alltoallv>},
    {"reduce", plain<make_reduce>},
    {"reduce_scatter", plain<make_reduce_scatter>},
    {"scan", plain<make_scan>},
    {"scatter", plain<make_scatter>},
    {"scatterv", uneven<make_scatterv>},
};

// The collectives that count larger elements than bytes; their messages may be longer than a block.
constexpr const char* of_one_message[] = {"allreduce", "bcast", "reduce"};

// The number of hosts: each has one first rank among those that share memory.
int count_nodes() {
#ifdef TOCCATA_SIMULATED
  return 0;  // each rank has its own host; only the platform has nodes
#else
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank, nodes;
  MPI_Comm_rank(node, &rank);
  const int first = rank == 0 ? 1 : 0;
  MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  return nodes;
#endif
}

// Why the MPI library cannot serve calls with buffers on the device; empty if it can.
std::string why_not_on_device() {
  if (placement() == nullptr || Settings::get().sends_from_devices() ||
      !support_of_mpi(*placement()).empty())
    return "";
  return "the MPI library may not accept device memory";
}

// The reason why the MPI library does not have this collective; empty if it does.
std::string why_not_native([[maybe_unused]] const Collective& collective) {
#ifdef TOCCATA_SIMULATED
  if (collective.among_neighbors) return "does not exist in SimGrid 4.1";
#endif
  return why_not_on_device();
}

class Run {
 public:
  explicit Run(BenchOptions options) : options_(std::move(options)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    for (std::size_t i = 0; i < options_.late_ranks.size(); ++i)
      if (options_.late_ranks[i] == rank_) own_delay_ = options_.delays[i];
    longest_delay_ = own_delay_;
    find_largest({&longest_delay_, 1});
  }

  // Exit code: 0, or 1 if data was wrong.
  int all() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    const auto [nodes, machine] = place();
    say({{"event", "start"},
         {"collective", options_.collective},
         {"ranks", size_},
         {"nodes", nodes},
         {"machine", machine},
         {"mpi", std::string(version).substr(0, std::string(version).find_first_of(",\n"))}});
    drop_impossible();
    bool all_right = true;
    for (const std::size_t bytes : options_.sizes) all_right &= one_size(bytes);
    say({{"event", "done"}});
    return all_right ? 0 : 1;
  }

 private:
  // The number of nodes and the machine, for a tuning file. The library finds a file by hwloc's
  // description of its node, so the text is that description, even if ranks are unbound: if there
  // are more ranks than cores, their placement knows only the node.
  std::pair<int, std::string> place() const {
    if (!options_.race) return {count_nodes(), ""};
    const auto placement = Communicator::of(MPI_COMM_WORLD)->placement();
    if (placement == nullptr) return {1, ""};
    const int node = node_level(placement->machine());
    const int nodes = node < 0 ? 1 : placement->regions(node).number();
    const std::string inside = node_text();
    return {nodes, "node:" + std::to_string(nodes) + (inside.empty() ? "" : " ") + inside};
  }

  void say(const json& line) const {
    if (rank_ != 0) return;
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }

  std::string why_not(const Choice& choice) const {
    Shape shape{.p = size_, .parameters = choice.parameters};
    if (choice.algorithm->by_placement)
      shape.placement = Communicator::of(MPI_COMM_WORLD)->placement();
    return choice.algorithm->why_impossible(shape);
  }

  void drop_impossible() {
    const Collective& collective = *find_collective(options_.collective);
    std::erase_if(options_.algorithms, [&](const std::string& algorithm) {
      const bool is_auto = algorithm == "auto";
      const Choice choice = is_auto ? Choice{} : parse_choice(collective, algorithm);
      const std::string reason = is_auto           ? why_not_on_device()
                                 : choice.native() ? why_not_native(collective)
                                                   : why_not(choice);
      if (!reason.empty())
        say({{"event", "impossible"},
             {"algorithm", algorithm},
             {"ranks", size_},
             {"reason", reason}});
      return !reason.empty();
    });
  }

  bool one_size(std::size_t bytes) {
    const auto benchmark = benchmarks.at(options_.collective)(bytes, options_);
    const std::size_t count = options_.algorithms.size();
    right_.assign(count, true);
    if (options_.validate && !looks_at_timed())
      for (std::size_t i = 0; i < count; ++i) {
        benchmark->spoil();
        benchmark->call(options_.algorithms[i]);
        look(*benchmark, i);
      }
    else
      meet(*benchmark);

    starting_line_.synchronize();
    Ways running(count);
    std::iota(running.begin(), running.end(), 0);
    Times seconds(count);
    if (options_.trials > 0) {
      Ways tried = running;
      std::erase_if(tried, [&](std::size_t way) { return options_.algorithms[way] == "native"; });
      Times in_trials(count);
      for (int i = 0; i < options_.trials; ++i) repeat(*benchmark, i, tried, in_trials);
    }
    const double started = MPI_Wtime();
    for (int i = 0; i < options_.warmup; ++i) repeat(*benchmark, i, running, seconds);
    const double warmup_seconds = MPI_Wtime() - started;
    if (options_.race && options_.warmup > 0) drop(outclassed(slowest(seconds), running), running);
    Times warm(count);
    warm.swap(seconds);
    Final last;
    if (options_.race) {
      race(*benchmark, running, seconds);
      last = final_of(*benchmark, running, seconds);
    } else {
      for (int i = affordable(warmup_seconds); i > 0; --i) repeat(*benchmark, i, running, seconds);
    }
    for (std::size_t i = 0; i < count; ++i)
      if (seconds[i].empty()) seconds[i] = warm[i];  // dropped after the warm-up
    report(bytes, seconds, last);
    return std::ranges::all_of(right_, std::identity{});
  }

  // Whether to check the data of the first timed call. Without warm-up calls, a simulation takes
  // half the time.
  bool looks_at_timed() const { return options_.validate && options_.warmup == 0; }

  // Records whether the last call, of this algorithm, produced the right data on all ranks.
  void look(const Benchmark& benchmark, std::size_t which) {
    double wrong = benchmark.right() ? 0 : 1;
    find_largest({&wrong, 1});
    right_[which] = wrong == 0;
  }

  // Makes first calls, in which ranks connect and discover where they run. Empty messages suffice,
  // except for the native algorithm, and for benchmarks with neighbours, which have their own
  // communicators.
  void meet(Benchmark& benchmark) const {
    const bool own = find_collective(options_.collective)->among_neighbors;
    const auto empty = own ? nullptr : benchmarks.at(options_.collective)(0, options_);
    for (const std::string& each : options_.algorithms)
      (own || each == "native" ? benchmark : *empty).call(each);
  }

  using Ways = std::vector<std::size_t>;

  // Runs batches of repetitions. After each batch, slower algorithms are dropped, and the others
  // get their remaining time. All ranks have the same times, so they drop the same algorithms.
  void race(Benchmark& benchmark, Ways& running, Times& seconds) {
    const double started = MPI_Wtime();
    const int looks = (options_.repetitions + batch - 1) / batch;
    for (int done = 0, goes_on = 1; goes_on != 0;) {
      const int end = std::min(done + batch, options_.repetitions);
      for (; done < end; ++done) repeat(benchmark, done, running, seconds);
      drop(losers(slowest(seconds), running, looks), running);
      starting_line_.synchronize();
      goes_on = done < options_.repetitions && running.size() > 1 &&
                MPI_Wtime() - started < options_.limit;
      MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
  }
  static constexpr int batch = 10;

  // After a race, the candidate with the lowest median runs against native again. The times of the
  // race do not count here, because the first of many candidates may have been lucky.
  struct Final {
    std::size_t candidate = SIZE_MAX;  // none: native has the lowest median
    Pairs pairs;
  };
  Final final_of(Benchmark& benchmark, const Ways& running, const Times& seconds) {
    const auto native = std::ranges::find(options_.algorithms, "native");
    if (native == options_.algorithms.end()) return {};
    const auto baseline = static_cast<std::size_t>(native - options_.algorithms.begin());
    const Times all = slowest(seconds);
    const std::size_t first =
        *std::ranges::min_element(running, {}, [&](std::size_t way) { return median(all[way]); });
    if (first == baseline) return {};
    Times again(seconds.size());
    const double possible = options_.limit / (median(all[first]) + median(all[baseline]));
    const int pairs = static_cast<int>(std::clamp<double>(possible, fewest_pairs, most_pairs));
    for (int i = 0; i < pairs; ++i) repeat(benchmark, i, {first, baseline}, again);
    again = slowest(again);
    return {first, compare(again[first], again[baseline])};
  }
  // Of the fewest pairs, a winner may lose one.
  static constexpr double fewest_pairs = 9, most_pairs = 20;

  // The native algorithm remains: all are compared with it.
  void drop(const Ways& out, Ways& running) const {
    std::erase_if(running, [&](std::size_t way) {
      return options_.algorithms[way] != "native" && std::ranges::find(out, way) != out.end();
    });
  }

  // The time of the slowest rank in each repetition.
  static Times slowest(Times seconds) {
    for (std::vector<double>& each : seconds) find_largest(each);
    return seconds;
  }

  // Runs each remaining algorithm once.
  void repeat(Benchmark& benchmark, int repetition, const Ways& running, Times& seconds) {
    for (std::size_t i = 0; i < running.size(); ++i) {
      const std::size_t which =
          running[turn(i, static_cast<std::size_t>(repetition), running.size())];
      const bool looked_at = looks_at_timed() && seconds[which].empty();
      if (looked_at) benchmark.spoil();
      const double started = starting_line_.line_up();
      starting_line_.wait_until(started + own_delay_);
      benchmark.call(options_.algorithms[which]);
      // A rank that needs no data of late ones may leave before these arrive.
      seconds[which].push_back(std::max(0.0, starting_line_.now() - started - longest_delay_));
      if (looked_at) look(benchmark, which);
    }
  }

  // The number of repetitions within the limit, estimated on rank 0 from the warm-up. With more
  // ranks than cores, calls can be a thousand times slower, so the benchmark could take days.
  int affordable(double warmup_seconds) const {
    static constexpr double fewest = 5;
    int repetitions = options_.repetitions;
    if (options_.warmup > 0) {
      const double possible = options_.limit / (warmup_seconds / options_.warmup);
      repetitions = static_cast<int>(std::min<double>(repetitions, std::max(fewest, possible)));
    }
    MPI_Bcast(&repetitions, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return repetitions;
  }

  // Minimum, average and maximum are over the ranks' means, as in the OSU benchmarks. Median and
  // quartiles are over the repetitions, of the slowest rank's times. `wins` is the number of
  // repetitions, out of `pairs`, in which an algorithm took less time than the native one;
  // `final_wins` and `final_pairs` are those of the final.
  void report(std::size_t bytes, const Times& seconds, const Final& last) const {
    const Times all = slowest(seconds);
    const auto native = std::ranges::find(options_.algorithms, "native");
    for (std::size_t which = 0; which < all.size(); ++which) {
      const auto repetitions = static_cast<int>(seconds[which].size());
      const double mean =
          std::accumulate(seconds[which].begin(), seconds[which].end(), 0.0) / repetitions;
      double least, most, sum;
      MPI_Reduce(&mean, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
      MPI_Reduce(&mean, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      MPI_Reduce(&mean, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      std::vector<double> sorted = all[which];
      std::ranges::sort(sorted);
      const auto quantile = [&](double part) {
        return sorted[static_cast<std::size_t>(part * (repetitions - 1) + 0.5)];
      };
      Pairs pairs;
      if (native != options_.algorithms.end())
        pairs = compare(all[which], all[native - options_.algorithms.begin()]);
      const Pairs in_final = which == last.candidate ? last.pairs : Pairs();
      say({{"event", "result"},
           {"algorithm", options_.algorithms[which]},
           {"bytes", bytes},
           {"ranks", size_},
           {"repetitions", repetitions},
           {"min", least},
           {"avg", sum / size_},
           {"max", most},
           {"median", quantile(0.5)},
           {"q25", quantile(0.25)},
           {"q75", quantile(0.75)},
           {"wins", pairs.wins},
           {"pairs", pairs.trials},
           {"final_wins", in_final.wins},
           {"final_pairs", in_final.trials},
           {"valid", static_cast<bool>(right_[which])}});
    }
  }

  BenchOptions options_;
  StartingLine starting_line_;
  int rank_ = 0;
  int size_ = 1;
  double own_delay_ = 0, longest_delay_ = 0;
  std::vector<bool> right_;  // by algorithm, at the current size
};

// The file in "file:PATH" or "file:PATH:travel=packed". Every rank reads it.
void read_schedules(const std::string& algorithm) {
  constexpr std::string_view prefix = "file:";
  if (!algorithm.starts_with(prefix)) return;
  const std::string path =
      algorithm.substr(prefix.size(), algorithm.find(':', prefix.size()) - prefix.size());
  try {
    schedule_file::add(schedule_file::read(path), std::string(prefix) + path);
  } catch (const schedule_file::Error& error) {
    throw ChoiceError(error.what());
  }
}

// The checks that parse() cannot make. Returns one line, or "" if all options are valid.
std::string complaint(const BenchOptions& options) {
  if (!benchmarks.contains(options.collective)) {
    std::string known;
    for (const auto& [name, make] : benchmarks) known += " " + name;
    return "there is no benchmark of '" + options.collective + "'; expected one of" + known;
  }
  const bool is_message =
      std::ranges::find(of_one_message, options.collective) != std::end(of_one_message);
  for (const std::size_t bytes : options.sizes)
    if (bytes > most_of_block && (!is_message || bytes % sizeof(double) != 0))
      return "--sizes " + std::to_string(bytes) +
             ": sizes above 1 GiB require bcast, reduce or allreduce, and a multiple of 8 bytes";
  if (options.late_ranks.size() != options.delays.size())
    return "--delays needs one value per rank of --late";
  for (const std::string& algorithm : options.algorithms) try {
      read_schedules(algorithm);
      if (algorithm != "auto") parse_choice(*find_collective(options.collective), algorithm);
    } catch (const ChoiceError& error) {
      return error.what();
    }
  return "";
}

// Puts buffers on the device. Returns an error of any rank in one line, the same on all ranks; ""
// if there is none.
std::string complaint_of_device(const std::string& device) {
  if (device.empty()) return "";
  std::string mine = place_on(device);
  int rank, first;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int failed = mine.empty() ? std::numeric_limits<int>::max() : rank;
  MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == std::numeric_limits<int>::max()) return "";
  mine.resize(200);
  MPI_Bcast(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, first, MPI_COMM_WORLD);
  return "--device " + device + ": " + mine.c_str();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  BenchOptions options;
  if (const auto end = parse(argc, argv, rank == 0, options)) {
    MPI_Finalize();
    return *end;
  }
  std::string wrong = complaint(options);
  if (wrong.empty()) wrong = complaint_of_device(options.device);
  int code = 2;
  if (wrong.empty()) {
#ifdef TOCCATA_SIMULATED
    if (!options.validate) simulate_without_data();
#endif
    code = Run(options).all();
  } else if (rank == 0) {
    std::fprintf(stderr, "toccata_bench: %s\n", wrong.c_str());
  }
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace toccata::bench

int main(int argc, char** argv) { return toccata::bench::main(argc, argv); }
