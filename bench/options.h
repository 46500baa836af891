#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// The options of the programs. They are in a file of their own, without MPI, because it takes long
// to compile and is the same for every MPI.
namespace toccata::bench {

// How the bytes of a vector form are distributed over its blocks:
//   even       all equal
//   uniform    from 0 to twice the mean
//   power_law  few large blocks, many small ones
//   silent     uniform, but the last rank sends nothing
inline constexpr const char* distributions[] = {"even", "uniform", "power_law", "silent"};

// Bytes of a benchmark: of a block, and of a message.
inline constexpr std::size_t most_of_block = std::size_t{1} << 30;
inline constexpr std::size_t most_of_message = std::size_t{1} << 32;

struct BenchOptions {
  std::string collective = "allgather";
  std::vector<std::string> algorithms = {"native"};
  std::vector<std::size_t> sizes = {1024};
  std::string distribution = "uniform";
  std::string device = {};  // where buffers lie; "": on the host
  std::vector<int> late_ranks = {};
  std::vector<double> delays = {};  // of the late ranks, in seconds
  int repetitions = 100;
  int trials = 0;
  int warmup = 10;
  double limit = 10;  // approximate seconds for one size
  bool validate = true;
  bool race = false;
};

struct CalibrateOptions {
  std::vector<std::size_t> sizes = {1, 1024};
  int repetitions = 200;
  double limit = 1;  // approximate seconds for one time
  int burst = 16;    // messages at once
  int node = 0;      // ranks per node, which are consecutive; 0: ranks that share memory
};

struct CheckOptions {
  int work = 100;     // pieces for each core, of about a millisecond; 0: no measurement of hosts
  int pings = 600;    // short messages per pair and round
  int messages = 12;  // long ones, in each direction
  std::size_t bytes = 0;   // of a long message; 0: chosen by measurement
  double patience = 20;    // seconds until a silent rank is reported
  double limit = 1;        // approximate seconds of the long messages of a pair, in each direction
  int lifetime = 600;      // seconds after which every rank ends itself
  bool backwards = false;  // the rounds in the opposite order
  bool names = false;      // print the hosts only
  std::vector<int> rounds = {};  // only these; none: all
  // A mesh as dimensions, of which the last is the fastest, whether each is periodic, and the cell
  // of each host, as ranges such as 0-7. Empty: unknown.
  std::vector<int> mesh = {}, periodic = {};
  std::vector<std::string> cells = {};
};

struct LinksOptions {
  std::string machine = {};
  std::vector<std::size_t> sizes = {8, 1024, 65536};
  int repetitions = 100;
  int warmup = 10;
};

// Each reads the command line, and returns an exit status if the program has to end: 0 after
// --help, 2 after wrong options. Only a rank that `speaks` prints the help, or what is wrong, in
// one line.
std::optional<int> parse(int argc, char** argv, bool speaks, BenchOptions& options);
std::optional<int> parse(int argc, char** argv, bool speaks, CalibrateOptions& options);
std::optional<int> parse(int argc, char** argv, bool speaks, CheckOptions& options);
std::optional<int> parse(int argc, char** argv, bool speaks, LinksOptions& options);

}  // namespace toccata::bench
