#include "deciding/decision.h"

#include <algorithm>

#include "analysis/cost_bound.h"
#include "selection/ranking.h"

namespace toccata {

namespace {

// The fastest algorithms by the model, on the machine where the ranks run; none if that cannot be
// found out.
std::vector<Ranking::Entry> ranked(Ranks& ranks, const Rules& rules, const Collective& collective,
                                   int root, std::int64_t bytes) {
  try {
    return Ranking(collective, ranks.shape(root), rules.model(), ranks.wish_for(collective))
        .at(bytes);
  } catch (const ChoiceError&) {
    return {};
  }
}

// Seconds that no algorithm is below by the model; 0 if that cannot be found out, or takes long.
double bound(Ranks& ranks, const Rules& rules, const Collective& collective, int root,
             std::int64_t bytes) {
  static constexpr int many_ranks = 1024;  // a bound looks at all blocks of all ranks
  if (ranks.size() > many_ranks) return 0;
  try {
    return LowerBound(collective, ranks.shape(root), rules.model())(bytes);
  } catch (const ChoiceError&) {
    return 0;
  }
}

// A choice for calls of `bytes`, with its ranks reordered as wished, or as the model says if that
// is left to it. ChoiceError if it cannot run.
Choice settled(Ranks& ranks, const Rules& rules, const Collective& collective, const Choice& choice,
               std::int64_t bytes) {
  const Choice wished = with_wish(choice, collective, ranks.wish_for(collective));
  if (wished.native()) return wished;
  const bool reorders = wished.reorder != Reorder::off;
  const Shape known = ranks.shape(*wished.algorithm, 0, reorders);
  if (wished.reorder == Reorder::automatic && bytes >= 0)
    return Ranking(wished, known, rules.model()).at(bytes).front().choice;
  static_cast<void>(shape_of(wished, known));
  return wished;
}

}  // namespace

bool reorders_by_size(Ranks& ranks, const Rules& rules, const Collective& collective,
                      const Choice& choice) {
  if (rules.reproducible() && collective.reduces) return false;
  return with_wish(choice, collective, ranks.wish_for(collective)).reorder == Reorder::automatic;
}

std::unique_ptr<Decision> Decision::make(Ranks& ranks, const Rules& rules, const Question& call,
                                         std::int64_t bytes) {
  const Collective& collective = call.collective;
  std::unique_ptr<Decision> made(new Decision(ranks, rules, collective, bytes));
  if (made->follow(rules.tuning(), "tuned", call.keeps_order)) return made;
  if (!call.keeps_order && made->follow(rules.learned(), "learned", false)) return made;
  if (bytes < 0) return nullptr;
  if (rules.guarding() == Rules::Guarding::off) {
    const auto best = ranked(ranks, rules, collective, call.root, bytes);
    if (best.empty()) return nullptr;
    made->add(best.front().choice, "modelled", best.front().seconds);
    return made;
  }
  if (call.keeps_order) return nullptr;
  made->add({}, "native");
  made->trials_.emplace(made->setup(), first_calls);
  return made;
}

std::unique_ptr<Decision> Decision::forced(Ranks& ranks, const Rules& rules,
                                           const Collective& collective, const Choice& choice,
                                           std::int64_t bytes) {
  std::unique_ptr<Decision> made(
      new Decision(ranks, rules, collective, bytes == SizedChoice::most_bytes ? -1 : bytes));
  made->add(choice, "forced");
  return made;
}

// If a choice cannot run here, the MPI library serves, and the user is told.
void Decision::add(const Choice& choice, const std::string& reason, double predicted) {
  Choice possible;
  try {
    possible = settled(ranks_, rules_, collective_, choice, bytes_);
  } catch (const ChoiceError& error) {
    ranks_.say_once(std::string(collective_.name) + " by " + choice.text() + " (" + reason +
                    "): " + error.what() + ". Using native there.");
  }
  Server& server = ranks_.prepare(collective_, possible, reason, bytes_);
  candidates_.push_back({possible, &server, predicted});
}

// Roughly, to find out where the ranks run, and to rank algorithms there; and which rank had best
// play which in each.
double Decision::setup() const {
  const int p = ranks_.size();
  const bool reorders = ranks_.wish_for(collective_).how != Reorder::off;
  return 10e-3 + 20e-6 * p + (reorders ? std::min(0.3, 300e-6 * p) : 0);
}

bool Decision::follow(const Tuning& tuning, const std::string& reason, bool keeps_order) {
  if (tuning.points.empty()) return false;
  const Tuning::Point* point = tuning.find(collective_, ranks_.size(), ranks_.nodes(), bytes_);
  if (point == nullptr) return false;
  const bool tried = !point->choice.native() && !keeps_order && bytes_ >= 0 &&
                     rules_.guarding() != Rules::Guarding::off;
  if (tried) {
    add({}, "native");
    trials_.emplace(Trials::trusting(setup()));
  }
  add(point->choice, reason);
  return true;
}

void Decision::challenge(const Question& call) {
  const auto found = worth_trying(ranked(ranks_, rules_, collective_, call.root, bytes_));
  for (const Ranking::Entry& each : found) add(each.choice, "guarded", each.seconds);
  trials_->challenge(static_cast<int>(found.size()));
  if (rules_.wants_bounds()) bound_ = bound(ranks_, rules_, collective_, call.root, bytes_);
}

// On the program's communicator, on which all ranks call in the same order.
void Decision::agree(const Question& call) {
  const std::vector<double> ballot = trials_->ballot();
  std::vector<double> least(ballot.size());
  const double started = ranks_.now();
  if (!ranks_.agree(ballot, least)) {
    trials_.reset();
    return;
  }
  trials_->agree(least, ranks_.now() - started);
  if (trials_->wants_candidates()) challenge(call);
}

std::int64_t Decision::lend() {
  const int current = trials_ ? trials_->current() : 0;
  if (next().timed || !candidates_[current].choice.native()) return 0;
  return trials_ ? trials_->pass() : all_calls;
}

void Decision::tell() {
  if (!trials_) return;
  const int current = trials_->current();
  Evidence times{.nodes = ranks_.known_nodes(), .native = trials_->seconds(0), .bound = bound_};
  for (std::size_t each = 0; each < candidates_.size(); ++each) {
    times.predicted = candidates_[each].predicted;
    times.measured = trials_->seconds(static_cast<int>(each));
    ranks_.report(*candidates_[each].server, times);
  }
  if (!rules_.learns() || times.nodes == 0 || trials_->seconds(0) == 0) return;
  // A learned native is not tried again, so it has to be known for the best.
  if (current == 0 && !trials_->decided()) return;
  ranks_.learn({.collective = &collective_,
                .ranks = ranks_.size(),
                .nodes = times.nodes,
                .bytes = bytes_,
                .choice = candidates_[current].choice,
                .seconds = trials_->seconds(current),
                .native_seconds = trials_->seconds(0)});
}

}  // namespace toccata
