#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "choices/ranking.h"
#include "deciding/open_trials.h"
#include "deciding/ranks.h"
#include "deciding/source.h"
#include "deciding/trials.h"

namespace toccata {

// The number of first calls of a size class that the MPI library serves before any preparation for
// a choice, unless a rule holds at once. Fewer among neighbours on several nodes: calls take longer
// there, and graphs are made to be used often. After these calls, a gain has paid for the
// agreements.
inline constexpr int first_calls = 32, first_calls_of_neighbors = 8;
inline std::int64_t first_calls_of(const Collective& collective, const Facts& facts) {
  return collective.among_neighbors && !facts.on_one_node ? first_calls_of_neighbors : first_calls;
}

// The properties of a call on which decisions depend: the same on every rank, except for own_block.
struct Question {
  const Collective& collective;
  // Bytes per block, or of the message; the mean if they differ between ranks; -1 if each rank
  // knows only its own.
  std::int64_t bytes = 0;
  int root = 0;
  // Whether the result depends on the order of the operands, so that neither trials nor learned
  // results may change the algorithm.
  bool keeps_order = false;
  // Whether the operation is user-defined, so that additional calls must not run it. Known only if
  // keeps_order.
  bool runs_users_code = false;
  // Whether the choice must hold from the first call on, because the result would differ between
  // algorithms by more than rounding. Only if keeps_order.
  bool is_final = false;
  // The mean bytes of this rank's blocks. Asked seldom, because it reads all counts.
  std::function<double()> own_block = {};

  // The same if ranks do not know each other's sizes; otherwise 0.
  double unknown_block() const { return bytes < 0 ? own_block() : 0; }
};

// Decides which algorithm serves the calls of one collective and size class on one communicator, if
// the library chooses by itself. The first of these decides: a tuning file; the topology's file,
// for its slow links; results of earlier runs; trials, which compare the native algorithm with
// candidates that the model proposes. Until a trial shows the opposite, the choice of the network
// rule serves, if there is one. If an earlier communicator of the same shape compared these
// candidates, and all ranks know the winner, the winner serves.
//
// The result of a reduction with rounding depends on the algorithm. Its algorithm therefore follows
// from things that are equal in every run: the rules for nodes and networks choose it, and native
// serves otherwise. So every run of a program gives the same bits. If the user
// requests it (Rules::learns_sums), the results of earlier runs decide. Trials with additional
// calls find these results.
class Decision {
 public:
  // The decision for calls such as this one, of up to `bytes`; -1 if ranks do not know each other's
  // sizes. Collective. Null if the MPI library always serves them. `calls`: the number so far.
  static std::unique_ptr<Decision> make(Ranks& ranks, const Question& call, std::int64_t bytes,
                                        std::int64_t calls);
  // The decision for calls of up to `bytes` for which the user named an algorithm.
  static std::unique_ptr<Decision> forced(Ranks& ranks, const Collective& collective,
                                          const Choice& choice, std::int64_t bytes);

  // The same for a persistent call. Its ranks may wait for each other now but not at a start, so
  // all candidates are known from the beginning. `blocking` is the choice for the
  // blocking form; it is the current candidate at first. Collective.
  static std::unique_ptr<Decision> make_persistent(Ranks& ranks, const Question& call,
                                                   std::int64_t bytes, const Choice& blocking);
  // The same for nonblocking calls, after the first ones: native serves until a trial has ended.
  // Not collective, but agree() is. Null if the MPI library always serves them.
  static std::unique_ptr<Decision> make_nonblocking(Ranks& ranks, const Question& call,
                                                    std::int64_t bytes);

  // Which candidate serves the next call, and whether to time it. Nonblocking calls and starts of
  // persistent ones ask open_trials() instead.
  Trials::Start next() const { return trials_ ? trials_->next() : Trials::Start{}; }
  Server& server(int candidate) { return *candidates_[candidate].server; }
  Server& current() { return server(serving()); }
  const Choice& current_choice() const { return candidates_[serving()].choice; }
  // The server of the program's call.
  Server& server_of(const Trials::Start& start) {
    return server(start.apart ? serving() : start.candidate);
  }
  // The number of calls that the MPI library serves until the next trial; they count as completed.
  std::int64_t lend();

  // Call this after each blocking call. Pass its times, by Ranks::now(), if it was timed. For a
  // timed call, also pass whether buffers of this rank were in the memory of a GPU; such calls have
  // no trials. From time to time, all ranks agree on their measurements.
  void ended(const Question& call, const TimedCall& timed, bool on_device = false) {
    if (!trials_) return;
    if (trials_->next().timed) note_blocks(call);
    on_device_ = on_device_ || on_device;
    if (trials_->ended(timed)) agree(call);
  }

  // The same for a timed call whose end is not known yet.
  void note_blocks(const Question& call) {
    most_bytes_ = std::max(most_bytes_, call.unknown_block());
  }

  // Null if one candidate serves all further calls, which are then no longer counted.
  Trials* trials() { return trials_ ? &*trials_ : nullptr; }
  // The same for calls that end later than they start; null for blocking calls.
  OpenTrials* open_trials() { return open_trials_.get(); }
  int candidates() const { return static_cast<int>(candidates_.size()); }
  // The root of the first nonblocking call.
  int root() const { return root_; }
  // Whether the network rule has made a choice.
  bool follows_network_rule() const { return follows_network_rule_; }
  // Call this after the ranks have agreed on a trial of a persistent call; notes the winner.
  void conclude();
  // The ranks agree on a trial of calls such as this one. Collective.
  void agree(const Question& call);
  // For a decision on nonblocking calls, between trials: as long as these have not found anything
  // better than native, the winner of the trials of blocking calls serves. All ranks call this at
  // the same call.
  void follow_blocking(const Decision& blocking);
  // Whether trials have found another winner since this was last called.
  bool has_changed() { return std::exchange(last_winner_, winner()) != winner(); }

  // Writes its results to the report and to the file of learned results. `lent`: the number of
  // calls lent to the MPI library that have not taken place.
  void tell(std::int64_t lent = 0);

 private:
  Decision(Ranks& ranks, const Collective& collective, std::int64_t bytes,
           Form form = Form::blocking)
      : ranks_(ranks), collective_(collective), bytes_(bytes), form_(form) {}

  bool is_open() const { return form_ != Form::blocking; }

  void add(const Choice& choice, Source source, double predicted = 0);
  void compare_by(Trials trials);                // the candidates
  bool follow(Source source, bool keeps_order);  // a file
  bool follow_topology(const Question& call);
  bool may_try_without_size();  // collective, unless the edges are known
  double setup() const;         // seconds
  int serving() const { return trials_ ? trials_->serving() : 0; }
  // The candidate that won the trials, and that serves; 0 (native) if there is none yet.
  int winner() const;
  Results::Key key() const {
    // The shape of a communicator does not contain its edges.
    const std::uint64_t shape = collective_.among_neighbors ? 0 : ranks_.known_shape();
    return {shape, &collective_, bytes_, is_open()};
  }
  void inherit(double code, std::span<const Ranking::Entry> challengers);
  std::vector<Ranking::Entry> challengers(int root);
  std::optional<Choice> through_memory();
  std::optional<Choice> by_node_rule();
  std::optional<Ranking::Entry> by_network_rule(const Question& call);
  std::optional<Ranking::Entry> by_neighbor_rule();
  bool agree_on_blocks(const Question& call);
  // The size for which rules choose: among neighbours, the one that ranks have agreed on.
  std::int64_t ruled_bytes() const {
    return collective_.among_neighbors ? static_cast<std::int64_t>(most_bytes_) : bytes_;
  }
  void challenge(const Question& call);

  Ranks& ranks_;
  const Collective& collective_;
  std::int64_t bytes_;  // the largest size of the class
  Form form_;
  int root_ = 0;  // see root()
  struct Candidate {
    Choice choice;
    Server* server;
    double predicted;  // seconds; 0 if not known
  };
  std::vector<Candidate> candidates_;  // if there are trials, the first is the MPI library's own
  std::optional<Trials> trials_;
  std::unique_ptr<OpenTrials> open_trials_;  // these trials, if calls end later than they start
  bool follows_network_rule_ = false;
  double most_bytes_ = 0;   // the largest mean of a rank's blocks in timed calls
  bool on_device_ = false;  // whether a timed call here had buffers in the memory of a GPU
  int last_winner_ = 0;     // see has_changed()
  double bound_ = 0;        // the model's lower bound for all algorithms, in seconds; or 0
};

// The algorithm for a request: with TOCCATA_SUMS=reproducible, a reproducible one (see
// choices/reproducible.h). If none can run, one line states that, and the request stays as it is.
Choice reproducible(Ranks& ranks, const Collective& collective, const Choice& asked);

}  // namespace toccata
