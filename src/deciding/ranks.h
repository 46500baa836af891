#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "deciding/results.h"
#include "deciding/rules.h"

namespace toccata {

// How a communicator runs a candidate: known only to the implementation of Ranks.
struct Server;

// What is known of the times of a candidate; 0 is not known. Seconds are of a call: predicted by
// the model, as measured, by the MPI library's own, and that no algorithm is below by the model.
struct Evidence {
  int nodes = 0;
  double predicted = 0, measured = 0, native = 0, bound = 0;
};

// The ranks of one communicator, as decisions see them. src/mpi implements them, tests simulate
// them. Whatever says so is collective: all ranks call it at the same call of the program's, and
// get the same result.
class Ranks {
 public:
  virtual int size() const = 0;
  virtual const Rules& rules() const = 0;
  // What this rank's process knows by shape.
  virtual Results& results() = 0;
  // Whether all ranks are known to have the same rules. The same on all ranks.
  virtual bool obey_rules() = 0;

  // On how many nodes the ranks run; 0 if that cannot be found out. Collective.
  virtual int nodes() = 0;
  // The same without asking: 0 unless somebody asked before.
  virtual int known_nodes() const = 0;
  // Whether all ranks are on one node that has memory to share and a core for each: what this rank
  // knows without asking, the same on all ranks.
  virtual bool are_on_one_node() { return false; }
  // Whether they can publish blocks for each other there. Collective.
  virtual bool share_memory() { return false; }
  // All that is known of the ranks, with that root. ChoiceError if that cannot be found out.
  // Collective.
  virtual Shape shape(int root) = 0;
  // As much of it as an algorithm depends on, or its reordering. Collective.
  virtual Shape shape(const Algorithm& algorithm, int root, bool reorders) = 0;

  // The digest of the shape without asking: 0 if this rank does not know it, whatever others do.
  virtual std::uint64_t known_shape() = 0;

  // The least of each number among all ranks. False if the communicator is broken. Collective.
  virtual bool agree(std::span<const double> mine, std::span<double> least) = 0;
  // This rank's clock, in seconds.
  virtual double now() const = 0;

  // What this communicator's info asks for, and how its ranks are to be reordered.
  virtual std::optional<SizedChoice> asked_by_info(const Collective& collective) = 0;
  virtual ReorderWish wish_for(const Collective& collective) = 0;

  // Makes a candidate ready to serve calls of up to `bytes` (-1: of any size). It stays where it
  // is.
  virtual Server& prepare(const Collective& collective, const Choice& choice,
                          const std::string& reason, std::int64_t bytes) = 0;

  // To the user, once; to the report; and to the file of what was learned.
  virtual void say_once(const std::string& line) = 0;
  virtual void report(const Server& server, const Evidence& times) = 0;
  virtual void learn(const Tuning::Point& point) = 0;

 protected:
  ~Ranks() = default;
};

}  // namespace toccata
