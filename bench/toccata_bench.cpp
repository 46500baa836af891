// Times collectives on MPI_COMM_WORLD: all algorithms interleaved in one run, so that whatever else
// the machine does hits all of them alike. Rank 0 prints one JSON object a line; `toccata bench`
// makes tables and pictures of them.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "benchmark.h"
#include "selection/choice.h"

namespace toccata::bench {
namespace {

using nlohmann::json;

struct Options {
  std::string collective = "allgather";
  std::vector<std::string> algorithms = {"native"};
  std::vector<std::size_t> sizes = {1024};
  std::string distribution = "uniform";
  int repetitions = 100;
  int warmup = 10;
  double limit = 10;  // seconds for one size, about
  bool validate = true;
};

using Maker = std::function<std::unique_ptr<Benchmark>(std::size_t bytes, const Options& options)>;

// A maker that no option matters to, and one of a vector form.
template <auto make>
std::unique_ptr<Benchmark> plain(std::size_t bytes, const Options&) {
  return make(bytes);
}
template <auto make>
std::unique_ptr<Benchmark> uneven(std::size_t bytes, const Options& options) {
  return make(bytes, options.distribution);
}

const std::map<std::string, Maker> benchmarks{
    {"allgather", plain<make_allgather>},
    {"allreduce", plain<make_allreduce>},
    {"alltoall", plain<make_alltoall>},
    {"alltoallv", uneven<make_alltoallv>},
    {"bcast", plain<make_bcast>},
    {"gather", plain<make_gather>},
    {"gatherv", uneven<make_gatherv>},
    {"reduce", plain<make_reduce>},
    {"reduce_scatter", plain<make_reduce_scatter>},
    {"scatter", plain<make_scatter>},
    {"scatterv", uneven<make_scatterv>},
};

class Run {
 public:
  explicit Run(Options options) : options_(std::move(options)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  // Exit code: 0, or 1 where data was wrong.
  int all() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    say({{"event", "start"},
         {"collective", options_.collective},
         {"ranks", size_},
         {"mpi", std::string(version).substr(0, std::string(version).find_first_of(",\n"))}});
    drop_impossible();
    bool all_right = true;
    for (const std::size_t bytes : options_.sizes) all_right &= one_size(bytes);
    say({{"event", "done"}});
    return all_right ? 0 : 1;
  }

 private:
  void say(const json& line) const {
    if (rank_ != 0) return;
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }

  void drop_impossible() {
    const Collective& collective = *find_collective(options_.collective);
    std::erase_if(options_.algorithms, [&](const std::string& algorithm) {
      const Choice choice = parse_choice(collective, algorithm);
      const std::string reason =
          choice.native() ? "" : choice.algorithm->why_impossible({size_, choice.parameters});
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
    std::vector<bool> right(count, true);
    if (options_.validate)
      for (std::size_t i = 0; i < count; ++i) right[i] = validate(*benchmark, i);

    std::vector<std::vector<double>> seconds(count);
    const double started = MPI_Wtime();
    for (int i = 0; i < options_.warmup; ++i) repeat(*benchmark, i, seconds);
    const int repetitions = affordable(MPI_Wtime() - started);
    for (std::vector<double>& each : seconds) each.clear();
    for (int i = 0; i < repetitions; ++i) repeat(*benchmark, i, seconds);
    for (std::size_t i = 0; i < count; ++i) report(i, bytes, seconds[i], right[i]);
    return std::ranges::all_of(right, std::identity{});
  }

  // Every algorithm once; each comes after each other one equally often.
  void repeat(Benchmark& benchmark, int repetition, std::vector<std::vector<double>>& seconds) {
    const std::size_t count = options_.algorithms.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t which = (i + static_cast<std::size_t>(repetition)) % count;
      MPI_Barrier(MPI_COMM_WORLD);
      const double started = MPI_Wtime();
      benchmark.call(options_.algorithms[which]);
      seconds[which].push_back(MPI_Wtime() - started);
    }
  }

  // The repetitions that the limit allows, going by what those before took on rank 0: more ranks
  // than cores can be a thousand times as slow, and nobody wants to wait for days.
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

  bool validate(Benchmark& benchmark, std::size_t which) const {
    benchmark.spoil();
    benchmark.call(options_.algorithms[which]);
    int right = benchmark.right() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return right != 0;
  }

  // Minimum, average and maximum are over the ranks, of each rank's mean, as OSU has them. Median
  // and quartiles are over the repetitions, of the slowest rank's time.
  void report(std::size_t which, std::size_t bytes, const std::vector<double>& seconds,
              bool right) const {
    const auto repetitions = static_cast<int>(seconds.size());
    const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / repetitions;
    double least, most, sum;
    MPI_Reduce(&mean, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mean, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mean, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    std::vector<double> slowest(seconds.size());
    MPI_Reduce(seconds.data(), slowest.data(), repetitions, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    std::ranges::sort(slowest);
    const auto quantile = [&](double part) {
      return slowest[static_cast<std::size_t>(part * (repetitions - 1) + 0.5)];
    };
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
         {"valid", right}});
  }

  Options options_;
  int rank_ = 0;
  int size_ = 1;
};

// What CLI11 cannot check: one line, or nothing where all is well.
std::string complaint(const Options& options) {
  if (!benchmarks.contains(options.collective)) {
    std::string known;
    for (const auto& [name, make] : benchmarks) known += " " + name;
    return "there is no benchmark of '" + options.collective + "'; known are" + known;
  }
  for (const std::string& algorithm : options.algorithms) try {
      parse_choice(*find_collective(options.collective), algorithm);
    } catch (const ChoiceError& error) {
      return error.what();
    }
  return "";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  Options options;
  CLI::App app("Times the algorithms of a collective; `toccata bench` runs this under mpirun.");
  app.add_option("--collective", options.collective)->capture_default_str();
  app.add_option("--algorithms", options.algorithms, "separated by ;")->delimiter(';');
  app.add_option("--sizes", options.sizes, "bytes that each rank contributes, separated by ,")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--distribution", options.distribution,
                 "of the bytes over the blocks of a vector form")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(distributions), std::end(distributions))))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions)->check(CLI::Range(1, 1000000));
  app.add_option("--warmup", options.warmup)->check(CLI::Range(0, 1000000));
  app.add_option("--limit", options.limit, "seconds for one size, about; cuts repetitions")
      ->check(CLI::Range(0.001, 1e6));
  app.add_flag("!--no-validate", options.validate, "do not check the data");

  int code = 0;
  try {
    app.parse(argc, argv);
    if (const std::string text = complaint(options); !text.empty())
      throw CLI::ValidationError(text);
    code = Run(options).all();
  } catch (const CLI::ParseError& error) {
    if (rank == 0) {
      if (error.get_exit_code() == 0)
        app.exit(error);  // --help
      else
        std::fprintf(stderr, "toccata_bench: %s\n", error.what());
    }
    code = error.get_exit_code() == 0 ? 0 : 2;
  }
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace toccata::bench

int main(int argc, char** argv) { return toccata::bench::main(argc, argv); }
