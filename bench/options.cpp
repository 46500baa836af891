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
  app.add_option("--collective", options.collective, "collective to time")->capture_default_str();
  app.add_option("--algorithms", options.algorithms, "separated by ;")->delimiter(';');
  app.add_option("--sizes", options.sizes,
                 "bytes per block, or of the message: a comma-separated list")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{1}, most_of_message));
  app.add_option("--distribution", options.distribution,
                 "how bytes are spread over the blocks of a vector collective")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(distributions), std::end(distributions))))
      ->capture_default_str();
  app.add_option("--device", options.device, "location of the buffers: cuda, hip or level_zero");
  app.add_option("--late", options.late_ranks, "ranks that arrive late in each timed call")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  app.add_option("--delays", options.delays,
                 "seconds of delay per late rank; times start at the last arrival")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--repetitions", options.repetitions, "timed calls per size")
      ->check(CLI::Range(1, most_repetitions));
  app.add_option("--trials", options.trials,
                 "calls before the warm-up, except native's, for a preloaded library's trials")
      ->check(CLI::Range(0, most_repetitions));
  app.add_option("--warmup", options.warmup, "untimed calls per size")
      ->check(CLI::Range(0, most_repetitions));
  app.add_option("--limit", options.limit, "approximate seconds per size; cuts repetitions")
      ->check(CLI::Range(0.001, 1e6));
  app.add_flag("--race", options.race,
               "drop algorithms that are clearly slower, so that the others get more time");
  app.add_flag("!--no-validate", options.validate, "do not check the data");
  return parse(app, argc, argv, speaks);
}

std::optional<int> parse(int argc, char** argv, bool speaks, CalibrateOptions& options) {
  CLI::App app("Measures messages for toccata calibrate; needs at least two ranks.",
               "toccata_calibrate");
  app.add_option("--sizes", options.sizes, "bytes per message: a comma-separated list")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 30));
  app.add_option("--repetitions", options.repetitions, "timed messages per size")
      ->check(CLI::Range(5, 1 << 20));
  app.add_option("--limit", options.limit, "approximate seconds per measurement");
  app.add_option("--burst", options.burst, "messages at once")->check(CLI::Range(2, 1 << 10));
  app.add_option("--node", options.node, "number of ranks per node");
  return parse(app, argc, argv, speaks);
}

std::optional<int> parse(int argc, char** argv, bool speaks, CheckOptions& options) {
  CLI::App app("Measures hosts and the links between them, for toccata check.", "toccata_check");
  app.add_option("--work", options.work,
                 "pieces per core, of about a millisecond; 0: do not measure hosts")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("--pings", options.pings, "short messages per pair and round")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--messages", options.messages, "long messages per pair, in each direction")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--bytes", options.bytes, "of a long message; 0: automatic")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 30));
  app.add_option("--patience", options.patience, "seconds until a silent rank is reported");
  app.add_option("--limit", options.limit, "approximate seconds per measurement");
  app.add_option("--lifetime", options.lifetime, "seconds until every rank ends itself")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--rounds", options.rounds, "only these rounds: a comma-separated list of numbers")
      ->delimiter(',');
  app.add_option("--mesh", options.mesh, "dimensions, such as 4x4")
      ->delimiter('x')
      ->check(CLI::Range(1, 1 << 12));
  app.add_option("--periodic", options.periodic, "per dimension, 1 if periodic, such as 1x0")
      ->delimiter('x');
  app.add_option("--cells", options.cells, "cell of each host, such as 0-3,7")->delimiter(',');
  app.add_flag("--names", options.names, "print the hosts only");
  app.add_flag("--backwards", options.backwards, "run the rounds in the opposite order");
  return parse(app, argc, argv, speaks);
}

std::optional<int> parse(int argc, char** argv, bool speaks, LinksOptions& options) {
  CLI::App app("Times messages over several links at once; `toccata bench links` runs this.",
               "links");
  app.add_option("--machine", options.machine, "torus:4x4; default: rank 0 linked to all");
  app.add_option("--sizes", options.sizes, "bytes per message: a comma-separated list")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--repetitions", options.repetitions, "timed calls per size")
      ->check(CLI::Range(1, most_repetitions));
  app.add_option("--warmup", options.warmup, "untimed calls per size")
      ->check(CLI::Range(0, most_repetitions));
  return parse(app, argc, argv, speaks);
}

}  // namespace toccata::bench
