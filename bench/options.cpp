#include "options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iterator>

namespace toccata::bench {
namespace {

constexpr int most_repetitions = 1000000;

std::optional<int> parse(CLI::App& app, int argc, char** argv, bool speaks) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    const bool help = error.get_exit_code() == 0;
    if (speaks && help) app.exit(error);
    if (speaks && !help) std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    return help ? 0 : 2;
  }
}

}  // namespace

std::optional<int> parse(int argc, char** argv, bool speaks, BenchOptions& options) {
  CLI::App app("Times the algorithms of a collective; `toccata bench` runs this under mpirun.",
               "toccata_bench");
  app.add_option("--collective", options.collective)->capture_default_str();
  app.add_option("--algorithms", options.algorithms, "separated by ;")->delimiter(';');
  app.add_option("--sizes", options.sizes,
                 "bytes per block, or of the message: a comma-separated list")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{1}, most_of_message));
  app.add_option("--distribution", options.distribution,
                 "of the bytes over the blocks of a vector form")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(distributions), std::end(distributions))))
      ->capture_default_str();
  app.add_option("--device", options.device, "location of the buffers: cuda, hip or level_zero");
  app.add_option("--late", options.late_ranks, "ranks that arrive late in each timed call")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  app.add_option(
         "--delays", options.delays,
         "seconds by which each of them is late; the times are those after the last arrival")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--repetitions", options.repetitions)->check(CLI::Range(1, most_repetitions));
  app.add_option("--trials", options.trials,
                 "calls before the warm-up, not of native, in which a preloaded library makes its "
                 "trials")
      ->check(CLI::Range(0, most_repetitions));
  app.add_option("--warmup", options.warmup)->check(CLI::Range(0, most_repetitions));
  app.add_option("--limit", options.limit, "seconds for one size, about; cuts repetitions")
      ->check(CLI::Range(0.001, 1e6));
  app.add_flag("--race", options.race,
               "drop algorithms that are clearly slower, so that the others get more time");
  app.add_flag("!--no-validate", options.validate, "do not check the data");
  return parse(app, argc, argv, speaks);
}

std::optional<int> parse(int argc, char** argv, bool speaks, CalibrateOptions& options) {
  CLI::App app("Measures messages for toccata calibrate; wants at least two ranks.",
               "toccata_calibrate");
  app.add_option("--sizes", options.sizes, "bytes, with commas between")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 30));
  app.add_option("--repetitions", options.repetitions)->check(CLI::Range(5, 1 << 20));
  app.add_option("--limit", options.limit, "approximate seconds per measurement");
  app.add_option("--burst", options.burst, "messages at once")->check(CLI::Range(2, 1 << 10));
  app.add_option("--node", options.node, "number of ranks per node");
  return parse(app, argc, argv, speaks);
}

std::optional<int> parse(int argc, char** argv, bool speaks, CheckOptions& options) {
  CLI::App app("Measures hosts and the links between them, for toccata check.", "toccata_check");
  app.add_option("--work", options.work)->check(CLI::Range(0, 1 << 20));
  app.add_option("--pings", options.pings)->check(CLI::Range(1, 1 << 20));
  app.add_option("--messages", options.messages)->check(CLI::Range(1, 1 << 20));
  app.add_option("--bytes", options.bytes, "of a long message; 0: chosen")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 30));
  app.add_option("--patience", options.patience, "seconds");
  app.add_option("--limit", options.limit, "approximate seconds per measurement");
  app.add_option("--lifetime", options.lifetime, "seconds")->check(CLI::Range(1, 1 << 20));
  app.add_option("--rounds", options.rounds, "with commas between")->delimiter(',');
  app.add_option("--mesh", options.mesh, "dimensions")
      ->delimiter('x')
      ->check(CLI::Range(1, 1 << 12));
  app.add_option("--periodic", options.periodic, "by dimension, 0 or 1")->delimiter('x');
  app.add_option("--cells", options.cells, "of the hosts, as ranges")->delimiter(',');
  app.add_flag("--names", options.names, "print the hosts only");
  app.add_flag("--backwards", options.backwards);
  return parse(app, argc, argv, speaks);
}

std::optional<int> parse(int argc, char** argv, bool speaks, LinksOptions& options) {
  CLI::App app("Times messages over several links at once; `toccata bench links` runs this.",
               "links");
  app.add_option("--machine", options.machine, "torus:4x4; none: rank 0 in the middle of all");
  app.add_option("--sizes", options.sizes, "bytes per message: a comma-separated list")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--repetitions", options.repetitions)->check(CLI::Range(1, most_repetitions));
  app.add_option("--warmup", options.warmup)->check(CLI::Range(0, most_repetitions));
  return parse(app, argc, argv, speaks);
}

}  // namespace toccata::bench
