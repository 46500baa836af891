#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace toccata {

// When a rank arrived at a call and when it left, in seconds of its clock. `awaited`: whether other
// ranks need its data.
struct TimedCall {
  double arrived = 0, left = 0;
  bool awaited = true;

  double seconds() const { return left - arrived; }
};

// Decides which of a few candidates serves the next call of one collective and size class on one
// communicator. The current one serves all calls except those of trials, which compare others with
// it. The clock of one rank decides nothing: in a trial, every rank times its calls; then all ranks
// agree on the times. Decisions depend on these and on the number of calls, which every rank knows.
//
//   calls       0 ... 63 | s s s s | ... | s a a s b b s | ... | s b b s b s s b | ... | b s s b s
//   served by      s        probe     s    first tries     s     a comparison     b     a recheck
//                                 agree                agree                 agree
//
// The time of a call is that from the last arrival of a rank whose data others need (in a
// broadcast, the root) until the last rank leaves, if the ranks have a common clock. It contains no
// waiting for late ranks, which no algorithm could avoid.
//
//   rank 0   |-------------------|
//   rank 1        |-----------|               rank 2 is late, and finds all its messages. Rank 0
//   rank 2               |--|                 needs that of rank 2, and leaves last.
//                        |=======| the time
//
// It is at least the time on the fastest rank and at most that on the slowest one. This limits the
// harm of a wrong clock, and helps if a rank is late for a broadcast: no other rank waits for it.
// If even the first of the other ranks arrives later than that after the root, all of them find
// their messages, whichever algorithm sent them. Such a call tells nothing, and does not count.
// Without a common clock, the time is that on the slowest rank, and a late rank adds to the time of
// every candidate. Therefore a candidate takes over only if its fastest call beats the other's
// fastest, its second fastest the other's second fastest, and so on. It must win two comparisons in
// a row, or up to four if only one call of each tells something; one is enough if all of its calls
// beat all of the other's. Programs repeat patterns of calls, so each candidate serves as many even
// calls as odd ones.
//
// Trials and their agreements cost at most `share` of the time of all calls so far, compared with
// the current candidate. First tries are exempt, because their times are unknown beforehand.
// One-time costs are exempt, too: the first agreement, and the additional time of a candidate's
// first call compared with its second. To find candidates costs at most `share` of the time of all
// calls, too, but with all waiting for late ranks: the program lasts that long in any case. To need
// few agreements, candidates are tried together, and the most promising one is compared first.
//
// Several Trials may share their budgets (Decisions). One of them may then begin a trial earlier,
// if all together have not spent their shares yet.
//
// For floating-point sums, another algorithm may give other bits. Their candidates are measured
// apart from the program's calls: after some of these, a candidate makes an additional call, whose
// result is discarded. Candidate 0, or that of a rule, serves the program throughout, and the
// winner is for later runs. Every such call is a cost of the trials, so candidates are tried one at
// a time. Ranks are close together after a call, so times are precise: a candidate wins in its
// first try if two of its three calls beat all of the current one's by far.
class Trials {
 public:
  static constexpr double share = 0.02;
  static constexpr std::int64_t first_probe = 64;  // calls
  static constexpr std::int64_t first_probe_late = 1024;

  // `setup`: seconds to find challengers; they are requested as soon as this is within the share.
  // `calls`: the number of calls so far.
  explicit Trials(double setup, std::int64_t calls = 0)
      : setup_(setup), candidates_(1), calls_(calls) {}
  // Candidates are measured apart.
  static Trials apart(double setup, std::int64_t calls) {
    Trials trials(setup, calls);
    trials.apart_ = true;
    return trials;
  }
  // Candidate 0 won in an earlier run, so the first trial comes late.
  static Trials late(double setup) {
    Trials trials(setup);
    trials.planned_ = trials.begins_ = first_probe_late;
    return trials;
  }
  // Candidate 1, the choice of a rule, is the current one from now on. Challengers of candidate 0
  // are wanted as usual; then candidate 0 challenges it, too.
  Trials of_rule() && {
    prefer(1);
    served_ = apart_ ? 1 : 0;
    return std::move(*this);
  }
  // Candidate 1 is the current one from the first call on, and candidate 0 challenges it.
  static Trials trusting() {
    Trials trials(10e-3);  // the same on all ranks
    trials.candidates_.resize(2);
    trials.current_ = 1;
    trials.probes_ = false;
    trials.try_candidates(std::array{0});
    return trials;
  }

  // Which candidate serves a call, and whether to time it.
  struct Start {
    int candidate = 0;
    bool timed = false;
    // serving() serves the call. Then time one of the candidate, whose result is discarded.
    bool apart = false;
    // For OpenTrials: the trial, and the call's place in it.
    std::size_t place = 0;
    std::int64_t trial = 0;
  };
  Start next() const {
    if (calls_ < begins_) return {serving()};
    return {trial_[calls_ - begins_], true, apart_ && !is_probe()};
  }
  // Call this after every call, with its times if timed. True if the ranks have to agree now.
  bool ended(const TimedCall& call = {}) {
    ++calls_;
    return calls_ > begins_ && ended_trial(call);
  }
  bool ended(double seconds) { return ended({.left = seconds}); }
  // From now on, the ranks have a common clock. Call this between trials.
  void use_common_clock() { times_per_call_ = times_by_common_clock; }
  bool has_common_clock() const { return times_per_call_ != 1; }
  // The candidates that serve the calls of the trial that is next, or goes on.
  std::span<const int> trial() const { return trial_; }
  // Counts all (untimed) calls up to the next trial as completed; returns their number.
  std::int64_t pass() { return next().timed ? 0 : begins_ - std::exchange(calls_, begins_); }
  // So many of the calls that pass() has counted have not taken place.
  void take_back(std::int64_t calls) { calls_ -= calls; }
  // This rank's numbers. agree() takes the minimum of each over all ranks.
  std::vector<double> ballot() const;
  // `agreement`: its seconds on this rank, which are part of the next ballot.
  void agree(std::span<const double> least, double agreement = 0);
  // Instead of agree(): the trial has no result, or its times are not comparable. It is repeated
  // when the number of calls has doubled.
  void put_off();

  // Whether it only times the current candidate, because challengers are not known yet.
  bool is_probe() const { return probes_; }
  // Whether challengers of candidate 0 are wanted (candidate 0 serves users without Toccata). After
  // challenge(), there are so many, as 1, 2, ..., the most promising first; there may be none. One
  // of them can be current from now on.
  bool wants_candidates() const { return wants_candidates_; }
  void challenge(int candidates, int current = 0);
  // Candidate 1 is current from now on, because it won elsewhere; candidate 0 challenges it later.
  // No other challengers are wanted.
  void inherit();
  // That candidate, which may be new, is current from now on, because it won among calls of another
  // form; candidate 0 challenges it. Has no effect if it was compared here. Call this between
  // trials.
  void prefer(int candidate);
  // From now on, it shares its budget with other Trials. After some numbers of calls, which all
  // ranks know, it asks for a part of it to begin a trial now. Then call answer() before the next
  // call.
  void share_budget() { shares_ = true; }
  bool asks() const { return shares_ && calls_ == begins_ && begins_ < planned_; }
  void answer(bool granted);
  // Whether it waits for the budget of a trial that is not a recheck.
  bool waits() const { return shares_ && may_ask_; }
  // The expected cost of that trial. The cost of all trials so far; a trial that has begun counts
  // as completed. In seconds.
  double price() const { return price_ * candidates_[current_].seconds; }
  double cost() const {
    const double calls = excess_ + (calls_ > begins_ ? price_ : 0);
    return found_in_ + calls * candidates_[current_].seconds;
  }

  // Seconds to find challengers, as before.
  void expect_setup(double seconds) { setup_ = seconds; }

  int current() const { return current_; }
  // Which candidate serves the program between trials.
  int serving() const { return apart_ ? served_ : current_; }
  bool are_apart() const { return apart_; }
  // Whether all candidates were compared with it, except those that were excluded.
  bool decided() const;
  // Whether current() is a result: it took over, here or elsewhere; or it is that of a rule, and
  // candidate 0 was compared with it; or all were.
  bool has_result() const {
    return took_over_ || (current_ != 0 && candidates_[0].compared) || decided();
  }
  std::int64_t calls() const { return calls_; }
  // Seconds per call of that candidate, from the last agreement; 0 if it was not timed.
  double seconds(int candidate) const { return candidates_[candidate].seconds; }
  // The additional cost of trials, compared with the current candidate, in calls of this candidate;
  // at least 0.
  double excess() const { return excess_; }

 private:
  struct Candidate {
    double seconds = 0;
    double ratio = 0;                     // to the time of the current one; 0: not tried
    int won = 0;                          // calls, in the last comparisons
    int unclear = 0, without_result = 0;  // comparisons
    bool compared = false, dropped = false;
  };

  static constexpr std::size_t times_by_common_clock = 5;
  static constexpr auto all_calls = static_cast<std::size_t>(-1);

  bool ended_trial(const TimedCall& call);
  std::vector<double> times(std::span<const double> least, int candidate,
                            std::size_t calls = all_calls) const;
  double judge(int challenger, int stood, std::span<const double> least);
  void take_over(int challenger);
  void set_current(int candidate);
  void plan();
  void begin(std::int64_t earliest, double price);
  void begin_at(std::int64_t call);
  void ask_later();
  double overhead() const;
  double cost_apart(std::span<const double> least) const;
  double cost_apart() const;
  void try_candidates(std::span<const int> candidates);
  void compare(int candidate);

  double setup_;         // seconds to find challengers
  double mean_ = 0;      // seconds of a call of the last trial, with all waiting for late ranks
  double found_in_ = 0;  // the same, after they were requested
  std::vector<Candidate> candidates_;
  int current_ = 0, served_ = 0;  // served_: see serving()
  std::int64_t calls_ = 0;
  std::int64_t planned_ = first_probe;     // the call at which a trial begins within our share
  std::int64_t begins_ = first_probe;      // the same, or the call before which it asks for more
  std::vector<int> trial_ = {0, 0, 0, 0};  // the candidates that serve its calls
  std::vector<TimedCall> timed_;           // those so far
  std::size_t times_per_call_ = 1;         // in a ballot
  double agreement_ = 0;                   // seconds of the last one on this rank; 0 for the first
  double agreeing_ = 0;                    // of an earlier one, on the slowest rank; 0: not known
  double excess_ = 0;
  double price_ = 0;    // of the next trial, in calls
  double granted_ = 0;  // calls, beyond our share
  std::int64_t recheck_ = 0;
  bool probes_ = true, apart_ = false, shares_ = false, took_over_ = false;
  bool may_ask_ = false;  // for budget: the next trial is not a recheck
  bool compares_ = false, agreed_ = false, wants_candidates_ = false;
};

}  // namespace toccata
