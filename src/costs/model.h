#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace toccata {

// The cost of a message between two ranks, for one protocol.
//
//   sender    |o|= n·beta =|                     o      seconds of processor time, at either end
//   network       |-- alpha --|= n·beta =|       alpha  seconds of latency
//   receiver                             |o|     beta   seconds per byte
//
// If a rank has several messages in one round, the overheads and the bytes queue up, but latencies
// overlap. So alpha, beta, o and g are L, G, o and g of LogGP [alexandrov1995]. With g = alpha and
// o = 0, every message costs alpha + n·beta, as in the postal models of the papers [hockney1994].
struct Protocol {
  double alpha = 0;
  double beta = 0;
  double o = 0;
  double g = 0;  // seconds between two messages of a rank: its link is busy for g + n·beta
  // The share of its n·beta by which each message delays the next one of the same rank and round. 1
  // if the rank has one link; 0 if there is one link per message [chan2006, section 7].
  double tau = 1;

  bool operator==(const Protocol&) const = default;
};

// The costs of communication on a machine, level by level.
struct Model {
  struct Level {
    // The name of a level of the machine. Its costs hold for ranks that share an object of this
    // level, but none further in. levels[0] is "network", for ranks that share no object.
    std::string name = {};
    std::int64_t threshold = std::numeric_limits<std::int64_t>::max();
    Protocol eager = {};       // below `threshold` bytes: the sender does not wait for the receiver
    Protocol rendezvous = {};  // from there on: both must have reached the message
    // Bytes per second that leave, and that enter, one object of this level: the limit of the
    // max-rate model [gropp2016], shared by all messages of a round. Infinite for the network.
    double injection = std::numeric_limits<double>::infinity();

    bool operator==(const Level&) const = default;
  };

  // The costs of blocks that ranks publish for others of their node (Travel::published):
  //
  //   publisher   |= n·write =|                       once for all readers
  //   memory                  |-- latency --|
  //   reader                                |= n·read =|
  struct Publishing {
    double latency = 0;  // seconds until another core sees the flag
    double write = 0;    // seconds per byte
    double read = 0;     // seconds per byte

    bool operator==(const Publishing&) const = default;
  };

  std::string name = {};
  std::string origin = {};         // the source of the parameters
  std::vector<Level> levels = {};  // outermost first, at least one
  double gamma = 0;                // seconds per reduced byte
  double copy = 0;                 // seconds per byte copied by a local step
  double pack = 0;                 // seconds per byte of a message of several pieces, at either end
  double start = 0;                // seconds of any call before its first message
  // Seconds per byte of scratch of a rank that has more than `kept` bytes of it. The library
  // returns such memory after each call, so the system must clear and map it again.
  double fresh = 0;
  std::int64_t kept = 0;
  std::optional<Publishing> publishing = {};  // if not set, published blocks cost as messages do

  bool operator==(const Model&) const = default;
};

// One level, one protocol: alpha + n·beta per message, one message at a time.
Model hockney(double alpha, double beta);

// A time is a sum of terms: each parameter of the model is multiplied by the number of times that
// it lies on the critical path. These are the indices of the parameters in the list.
class Terms {
 public:
  explicit Terms(const Model& model) : levels_(static_cast<int>(model.levels.size())) {}

  int number() const { return levels_ * a_level + 8; }
  int alpha(int level, bool rendezvous) const { return level * a_level + (rendezvous ? 4 : 0); }
  int beta(int level, bool rendezvous) const { return alpha(level, rendezvous) + 1; }
  int o(int level, bool rendezvous) const { return alpha(level, rendezvous) + 2; }
  int g(int level, bool rendezvous) const { return alpha(level, rendezvous) + 3; }
  int injection(int level) const { return level * a_level + 8; }
  int gamma() const { return levels_ * a_level; }
  int copy() const { return gamma() + 1; }
  int pack() const { return gamma() + 2; }
  int start() const { return gamma() + 3; }
  int fresh() const { return gamma() + 4; }
  int publishing() const { return gamma() + 5; }  // the latency
  int write() const { return gamma() + 6; }
  int read() const { return gamma() + 7; }

 private:
  static constexpr int a_level = 9;
  int levels_;
};

// By term: its name ("network.eager.alpha", "node.injection", "gamma"), and the parameter's value
// (for an injection limit, seconds per byte).
std::vector<std::string> term_names(const Model& model);
std::vector<double> coefficients(const Model& model);

}  // namespace toccata
