#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "deciding/trials.h"

namespace toccata {

// Trials of calls that end some time after their start: nonblocking calls, and the starts of a
// persistent one. No start waits for another rank. All ranks know the number of a start, but not
// when another rank gets there, or when a call ends. So the ranks agree on the times of a trial
// later:
//
//   starts    s s s | s a a s | s s | a a a ...       persistent, with a lag of 2
//                     a trial   ^     ^
//                               |     from here on, a start waits for the agreement; the program
//                               |     does not: the rounds of that start wait
//                               each rank begins to agree, without waiting
//
//   starts    s s s | s a a s | s s s s s s s X a a a      nonblocking, without a lag
//                     a trial                 ^
//                                             the program itself calls a function that may wait
//                                             for all ranks, and there they agree
//
// The current candidate serves the starts in between. A late rank delays only the decision.
class OpenTrials {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  // Starts of a persistent call during which the ranks agree.
  static constexpr std::int64_t starts_while_agreeing = 2;
  // A trial may have three calls of each candidate, and one or two more.
  static constexpr std::size_t most_candidates = 10, most_calls = 32;

  // `trials` decides. `lag`: the number of starts after a trial that do not wait for the agreement.
  OpenTrials(Trials& trials, std::int64_t lag) : trials_(&trials), lag_(lag) {}

  using Start = Trials::Start;
  // Call this when a call starts. Returns nothing if the ranks have to agree first; then call it
  // again after agree().
  std::optional<Start> start();
  // The number of next starts that the current candidate serves untimed. They need not call
  // start(), and count as started. If a trial awaits an agreement, the number is unlimited until
  // agree(). Only without a lag.
  std::int64_t lend();
  // Of these starts, so many will not take place as lent ones.
  void take_back(std::int64_t starts) {
    if (!is_under_way()) trials_->take_back(starts);
  }
  // Takes back the last start: MPI rejected its arguments.
  void rejected(const Start& call) {
    if (call.trial == trial_) --started_;
  }
  // A timed call has ended here, perhaps in another thread. Calls of former trials do not count.
  void ended(const Start& call, double seconds);

  // Whether calls of a trial have started on which the ranks have not agreed.
  bool is_under_way() const { return started_ > 0; }
  // Whether all calls of a trial have started, and no ballot was cast on it. The same on all ranks
  // at the same start.
  bool is_due() const { return is_over() && !cast_; }
  // This rank's numbers, once per trial. agree() takes the minimum of each over all ranks. If calls
  // have not ended on a rank, the trial has no result, and is repeated later.
  std::vector<double> ballot();
  void agree(std::span<const double> least, double agreement = 0);
  // The number of trials on which the ranks have agreed, and that count.
  std::int64_t concluded() const { return trial_; }

 private:
  bool is_over() const { return started_ == trials_->trial().size(); }
  void conclude(double agreement = 0);

  Trials* trials_;
  std::int64_t lag_;
  bool cast_ = false;                                       // the ballot
  std::vector<double> agreed_;                              // the agreement that does not count yet
  std::int64_t since_ = 0;                                  // starts since the trial
  std::atomic<std::int64_t> trial_ = 0;                     // number of the trial
  std::size_t started_ = 0;                                 // calls of the trial
  std::array<std::atomic<double>, most_calls> times_ = {};  // of these calls; negative: not ended
};

}  // namespace toccata
