#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mpi/communicator.h"
#include "mpi/operation.h"
#include "selection/guard.h"

namespace toccata {

// How calls of one collective and of about one size are served on one communicator, where the
// library chooses by itself. In order of authority: a tuning file, what earlier runs learned, the
// MPI library's own, which a guard then tries others beside that the model names.
//
// The result of a reduction that rounds depends on the algorithm: it stays the one that was decided
// on before the first call, so that a program that runs twice gives the same bits.
class Bucket {
 public:
  // That for calls as this one, of up to `bytes`; -1 where ranks do not know of each other. All
  // ranks have to come here. Null where the MPI library serves them for good.
  static std::unique_ptr<Bucket> make(Communicator& communicator, const Operation& call,
                                      std::int64_t bytes, bool rounds);
  // That for calls of up to `bytes`, for which the user named an algorithm.
  static std::unique_ptr<Bucket> forced(Communicator& communicator, const Collective& collective,
                                        const Choice& choice, std::int64_t bytes);

  // Who serves the call that comes, and whether it has to be timed.
  Guard::Turn turn() const { return guard_ ? guard_->turn() : Guard::Turn{0, false}; }
  // How many calls that come next are the MPI library's, up to the next trial; they count as ended.
  std::int64_t lend();
  Communicator::Used& used(int way) { return *ways_[way].used; }
  Communicator::Used& stands() { return used(guard_ ? guard_->stands() : 0); }

  // After each call. Where it is time for that, all ranks agree on what they measured.
  void ended(const Operation& call, double seconds) {
    if (guard_ && guard_->ended(seconds)) agree(call);
  }

  // To the report, and to what is learned.
  void tell();

 private:
  Bucket(Communicator& communicator, const Collective& collective, std::int64_t bytes)
      : communicator_(communicator), collective_(collective), bytes_(bytes) {}

  void add(const Choice& choice, const std::string& reason, double predicted = 0);
  bool go_by(const Tuning& tuning, const std::string& reason, bool rounds);
  double setup() const;  // seconds
  void challenge(const Operation& call);
  void agree(const Operation& call);

  Communicator& communicator_;
  const Collective& collective_;
  std::int64_t bytes_;  // the most of the bucket
  struct Way {
    Communicator::Used* used;
    double predicted;  // seconds; 0 where nobody knows
  };
  std::vector<Way> ways_;  // where there is a guard, the first is the MPI library's own
  std::optional<Guard> guard_;
  double bound_ = 0;  // seconds that no algorithm is below by the model; 0 where nobody asked
};

}  // namespace toccata
