#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "choices/form.h"
#include "choices/network_kind.h"
#include "deciding/node_rule.h"
#include "deciding/results.h"
#include "deciding/rules.h"
#include "deciding/source.h"

namespace toccata {

// The edges of a neighbourhood: whether some rank has several edges from or to the same rank. In an
// all-to-all, MPI libraries receive the blocks of such edges in different orders, which must not
// change during a run (docs/design/0011).
enum class Edges : std::uint8_t { unknown, distinct, repeated };
inline bool depends_on_order_of_edges(const Collective& collective) {
  return &collective == &neighbor_alltoall || collective.vector_of == &neighbor_alltoall;
}

// How a communicator runs a candidate: known only to the implementation of Ranks.
struct Server;

// Known times in seconds per call, 0 if unknown: the prediction of the model for a candidate, its
// measured time, the time of the native algorithm, and the model's lower bound for all algorithms.
struct Evidence {
  int nodes = 0;
  double predicted = 0, measured = 0, native = 0, bound = 0;
};

// What all ranks of a communicator know about collectives between their nodes.
struct NetworkFacts {
  // The rows of the MPI library's own algorithms (RuleTable::Section::own) if its published
  // decision functions certainly serve these ranks: no other component, no rules of the user, and
  // no functions for devices do. Otherwise null.
  const RuleTable* own = nullptr;
  // Whether its collectives consist of messages, by any algorithm.
  bool sends_only_messages = false;
  NetworkKind network = NetworkKind::any;
};

// What the ranks of a communicator know from its first call on, without communication: the same on
// all of them.
struct Facts {
  int ranks = 1;
  bool obey_rules = false;       // all ranks are known to have the same rules
  bool on_one_node = false;      // all ranks are on one node with shared memory
  NodeKind node = {};            // the kind of its nodes
  Edges edges = Edges::unknown;  // of its topology, as far as they are known
};

// The ranks of one communicator, as an interface for decisions. src/mpi implements it, tests
// simulate it. Functions marked as collective: all ranks call them in the same call of the program,
// and get the same result.
class Ranks {
 public:
  virtual Facts facts() = 0;
  virtual const Rules& rules() const = 0;
  // This process's knowledge of communicators, by shape.
  virtual Results& results() = 0;
  // The version of the MPI library, for which rows of its own algorithms may differ.
  virtual int library_version() const { return newest_version; }
  // What is known about collectives between these nodes. Collective, and the same on all ranks. The
  // first answer for rounding sums stays, whenever others asked.
  virtual NetworkFacts network_facts(bool /*for_sums*/) { return {}; }

  // The number of nodes on which the ranks run; 0 if Toccata cannot discover it. Collective.
  virtual int nodes() = 0;
  // The same without communication: 0 if it was not discovered before.
  virtual int known_nodes() const = 0;
  // Whether the ranks are on one node and can publish blocks for each other there. Collective.
  virtual bool share_memory() { return false; }
  // Whether all ranks are on one node and can publish there, as far as they know without waiting.
  // The same on all ranks at the same call.
  virtual bool may_share_memory() { return false; }
  // The same for the ranks of each node, if there are several nodes. Collective.
  virtual bool share_memory_inside_nodes() { return false; }
  // The complete shape of the ranks for a collective, with that root. ChoiceError if Toccata cannot
  // discover it. Collective.
  virtual Shape shape(const Collective& collective, int root) = 0;
  // The part of the shape on which an algorithm or its reordering depends. Collective.
  virtual Shape shape(const Algorithm& algorithm, int root, bool reorders) = 0;

  // The digest of the shape, without communication. 0 if this rank does not know it, even if other
  // ranks do.
  virtual std::uint64_t known_shape() = 0;

  // The edges of the communicator's topology: never unknown, but collective; or without
  // communication, the same on all ranks at the same call.
  virtual Edges edges() { return Edges::distinct; }
  virtual Edges known_edges() { return Edges::distinct; }

  // The minimum of each number over all ranks. False if the communicator is broken. Collective.
  virtual bool agree(std::span<const double> mine, std::span<double> least) = 0;
  // This rank's clock, in seconds.
  virtual double now() const = 0;
  // Makes the clocks of all ranks show about the same time; false if that is impossible.
  // Collective.
  virtual bool set_clocks() { return false; }

  // The requests of this communicator's info: algorithms, and how to reorder ranks.
  virtual std::optional<SizedChoice> asked_by_info(const Collective& collective) = 0;
  virtual ReorderWish wish_for(const Collective& collective) = 0;

  // Prepares a candidate to serve calls of up to `bytes` (-1: of any size). Its address never
  // changes.
  virtual Server& prepare(const Collective& collective, const Choice& choice, Source source,
                          std::int64_t bytes, Form form) = 0;

  // Messages to the user (once each), to the report, and to the file of learned results.
  virtual void say_once(const std::string& line) = 0;
  virtual void report(const Server& server, const Evidence& times) = 0;
  // `saved`: the seconds that the point's choice saved on this communicator.
  virtual void learn(const Tuning::Point& point, double saved) = 0;

 protected:
  ~Ranks() = default;
};

}  // namespace toccata
