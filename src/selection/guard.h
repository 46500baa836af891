#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace toccata {

// Which of a few ways serves the next call of one collective, of one size, on one communicator: the
// one that stands, but for trials now and then of those that challenge it. No clock of one rank
// decides anything: in a trial every rank times its calls; behind it all ranks agree on the times,
// and go on from these and from the number of calls, which are alike everywhere.
//
//   calls       0 ... 63 | s s s s | ... | s a a s b b s | ... | s b b s b s s b | ... | b s s b s
//   served by      s        probe     s    first tries     s     a comparison     b     a recheck
//                                 agree                agree                 agree
//
// What a call is said to take: the most of the ranks' times. The least, that of the rank that came
// last, has no waiting for others in it, but says too little: in recursive doubling the last rank
// finds all messages there and is through at once, while the others wait for its own. So a rank
// that comes late counts, whichever way serves. Therefore a way takes over only where the best of
// its calls is ahead of the other's best, its second of the second, and so on, in two comparisons
// in a row; or in one, where all of its calls are ahead of all of the other's. Programs have
// rhythms, too: either way has as many of the even calls as of the odd ones.
//
// What trials cost more than the way that stands, less what they gain, agreeing included, is held
// to `share` of all calls so far; but for a first try, which cannot be judged beforehand, and for
// what is set up once: the first agreement, and what a way's first call takes longer than its
// second. So that few agreements do, ways are tried together, and the most promising is compared
// first.
class Guard {
 public:
  static constexpr double share = 0.02;
  static constexpr std::int64_t first_probe = 64;  // calls

  // `setup`: seconds that it takes to find ways that challenge, which are asked for once they are
  // within the share. `calls`: that were before.
  explicit Guard(double setup, std::int64_t calls = 0) : setup_(setup), ways_(1), calls_(calls) {}
  // Way 1 stands from the first call on, and way 0 challenges it.
  static Guard trusting(double setup) {
    Guard guard(setup);
    guard.ways_.resize(2);
    guard.stands_ = 1;
    guard.asked_ = true;
    guard.try_ways(std::array{0});
    return guard;
  }

  struct Turn {
    int way;
    bool timed;
  };
  // Who serves the call that comes, and whether it is to be timed.
  Turn turn() const {
    return calls_ < next_ ? Turn{stands_, false} : Turn{trial_[calls_ - next_], true};
  }
  // After every call: that it is over, in so many seconds if timed. True where ranks have to agree.
  bool ended(double seconds = 0) {
    ++calls_;
    return calls_ > next_ && ended_trial(seconds);
  }
  // All calls up to the next trial are over, none of them timed; how many they are.
  std::int64_t pass() { return next_ - std::exchange(calls_, next_); }
  // What this rank has to say there. Of each, the least among all ranks is to be given to agree().
  std::vector<double> ballot() const;
  // `agreement`: seconds that this rank took for it, which it says in the next ballot.
  void agree(std::span<const double> least, double agreement = 0);

  // Ways that challenge way 0 are wanted, which is what users have without us. They come as 1, 2,
  // ..., the most promising first; none may. Their first call comes later.
  bool wants_ways() const { return wants_ways_; }
  void challenge(int ways);
  // A way turned out not to serve at all; on all ranks alike.
  void drop(int way) { ways_[way].dropped = true; }

  int stands() const { return stands_; }
  // Whether all ways were compared with it, but for those that were cut off.
  bool decided() const;
  std::int64_t calls() const { return calls_; }
  // Seconds of a call by that way, as agreed last; 0 where it was not timed.
  double seconds(int way) const { return ways_[way].seconds; }
  // What trials have cost more than the way that stands would, in calls of it; not below 0.
  double excess() const { return excess_; }

 private:
  struct Way {
    double seconds = 0;
    double ratio = 0;          // to the one that stood; 0: not tried
    int won = 0, unclear = 0;  // comparisons
    bool compared = false, dropped = false;
  };

  bool ended_trial(double seconds);
  std::vector<double> times(std::span<const double> least, int way) const;
  void judge(int challenger, std::span<const double> its, std::span<const double> standing);
  void plan();
  double overhead() const;
  void try_ways(std::span<const int> ways);
  void compare(int way);

  double setup_;
  std::vector<Way> ways_;
  int stands_ = 0;
  std::int64_t calls_ = 0;
  std::int64_t next_ = first_probe;        // the call at which a trial begins
  std::vector<int> trial_ = {0, 0, 0, 0};  // the ways that serve its calls
  std::vector<double> seconds_;            // of those so far
  double agreement_ = 0;                   // seconds of the last one here; 0: of the first
  double agreeing_ = 0;                    // of one before, without waiting; 0: not known
  double excess_ = 0;
  std::int64_t recheck_ = 0;
  bool compares_ = false, agreed_ = false, asked_ = false, wants_ways_ = false;
};

}  // namespace toccata
