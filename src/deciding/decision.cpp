#include "deciding/decision.h"

#include <algorithm>
#include <array>

#include "choices/native_algorithm.h"
#include "choices/proved.h"
#include "choices/ranking.h"
#include "choices/reproducible.h"
#include "costs/cost_bound.h"
#include "deciding/network_rule.h"
#include "deciding/node_rule.h"
#include "deciding/size_range.h"
#include "topology/placements.h"
#include "writing/forests.h"
#include "writing/registry.h"

namespace toccata {

namespace {

// Whether trials make sense inside a node if no rule serves the calls. A request that can be served
// by any candidate takes 1 to 2 us more than a native one. Of the algorithms that send messages,
// only those of reduce and reduce_scatter gain more than that, with long messages.
bool can_gain_on_one_node(const Collective& collective, std::int64_t bytes) {
  static constexpr std::int64_t least = 64 << 10;
  return (&collective == &reduce || &collective == &reduce_scatter) && bytes >= least;
}

// The algorithms ordered by the model, on the machine of the ranks; null if the machine is unknown.
// Few algorithms for the network rule, or all. On several nodes, only blocking calls publish:
// nonblocking ones would run one after the other, and only a few persistent ones have memory.
std::shared_ptr<const Ranking> ranking(Ranks& ranks, const Collective& collective, int root,
                                       bool blocking, bool few = false) {
  using Setting = Ranking::Setting;
  try {
    const Shape known = ranks.shape(collective, root);
    const ReorderWish wish = few ? ReorderWish{} : ranks.wish_for(collective);
    const Model& model = ranks.rules().model();
    const bool publishes =
        blocking && !ranks.facts().on_one_node && ranks.share_memory_inside_nodes();
    const Setting setting = few ? (publishes ? Setting::few_or_published : Setting::few)
                                : (publishes ? Setting::near_or_published : Setting::near);
    return ranks.results().ranking(digest_of(known), collective, root, wish, setting, [&] {
      return few ? ranking_of_few(collective, known, model, publishes)
                 : std::make_shared<const Ranking>(collective, known, model, wish, setting);
    });
  } catch (const ChoiceError&) {
    return nullptr;
  }
}

// The model's lower bound in seconds for all algorithms; 0 if it is unknown, or takes long to
// compute.
double bound(Ranks& ranks, const Collective& collective, int root, std::int64_t bytes) {
  static constexpr int many_ranks = 1024;  // a bound reads all blocks of all ranks
  if (ranks.facts().ranks > many_ranks) return 0;
  try {
    return LowerBound(collective, ranks.shape(collective, root), ranks.rules().model())(bytes);
  } catch (const ChoiceError&) {
    return 0;
  }
}

// A choice for calls of `bytes`, with its ranks reordered as requested, or by the model if the
// request leaves this open. ChoiceError if it cannot run.
Choice settled(Ranks& ranks, const Collective& collective, const Choice& choice,
               std::int64_t bytes) {
  const Choice wished = with_wish(choice, collective, ranks.wish_for(collective));
  if (wished.native()) return wished;
  const bool reorders = wished.reorder != Reorder::off;
  const Shape known = ranks.shape(*wished.algorithm, 0, reorders);
  if (wished.reorder == Reorder::automatic && bytes >= 0)
    return Ranking(wished, known, ranks.rules().model()).at(bytes).front().choice;
  static_cast<void>(shape_of(wished, known));
  return wished;
}

// A learned result may come from another number of ranks, where its algorithm can run.
bool can_run(Ranks& ranks, const Collective& collective, const Choice& choice, std::int64_t bytes) {
  try {
    static_cast<void>(settled(ranks, collective, choice, bytes));
    return true;
  } catch (const ChoiceError&) {
    return false;
  }
}

// Whether the machine has packed trees for these ranks: from the node of the root, or for an
// allgather among one rank per node.
bool trees_serve(const Shape& shape, const Collective& collective) {
  if (!has_packed_trees(shape)) return false;
  const Placement& placement = *shape.placement;
  const Machine& machine = placement.machine();
  const int level = node_level(machine), nodes = machine.objects(level);
  if (!collective.rooted) return shape.p == nodes && !machine.trees()->allgather.empty();
  const Place& place = placement.place(shape.root);
  const int root = machine.ancestor(place.level, place.object, level);
  return std::ranges::find(machine.trees()->bcast, root, &PackedTree::root) !=
         machine.trees()->bcast.end();
}

// Whether calls for trials alone are possible: their buffers are additional memory.
bool may_run_apart(const Question& call, int ranks, std::int64_t bytes) {
  static constexpr std::int64_t most = std::int64_t{16} << 20;
  const std::int64_t blocks = call.collective.scatters_result ? ranks : 1;
  return !call.runs_users_code && bytes <= most / blocks;
}

}  // namespace

Choice reproducible(Ranks& ranks, const Collective& collective, const Choice& asked) {
  if (!ranks.rules().reproducible() || !collective.reduces) return asked;
  const int p = ranks.facts().ranks;
  const Choice choice = reproducible(collective, asked, {.p = p}, false);
  if (!choice.native()) return choice;
  ranks.say_once("TOCCATA_SUMS=reproducible: no reproducible algorithm of " +
                 std::string(collective.name) + " works with " + std::to_string(p) +
                 " ranks. Using " + asked.text() + ".");
  return asked;
}

std::unique_ptr<Decision> Decision::make(Ranks& ranks, const Question& call, std::int64_t bytes,
                                         std::int64_t calls) {
  const Collective& collective = call.collective;
  std::unique_ptr<Decision> made(new Decision(ranks, collective, bytes));
  if (made->follow(Source::tuned, call.keeps_order)) return made;
  if (made->follow_topology(call)) return made;
  const bool learns = !call.keeps_order || ranks.rules().learns_sums();
  if (learns && made->follow(Source::learned, call.keeps_order)) return made;
  if (collective.among_neighbors && !made->agree_on_blocks(call)) return nullptr;
  if (const auto choice = made->by_node_rule(); choice && ranks.share_memory()) {
    made->add(*choice, Source::node);
    return made;
  }
  const bool trusts = ranks.rules().guarding() == Rules::Guarding::off;
  if (bytes < 0 && (trusts || !made->may_try_without_size())) return nullptr;
  if (collective.among_neighbors && ranks.nodes() < 2) return nullptr;
  if (trusts) {
    const auto found = ranking(ranks, collective, call.root, true);
    if (found == nullptr) return nullptr;
    const Rules& rules = ranks.rules();
    const Shape known = ranks.shape(collective, call.root);
    const auto own = native_algorithm(rules.own_rules(), collective, spread_of(known), bytes,
                                      ranks.library_version());
    const Ranking::Entry best = proposed(*found, own, known, rules.model(), bytes);
    made->add(best.choice, Source::modelled, best.seconds);
    return made;
  }
  const bool apart = call.keeps_order;
  const bool tries = !apart || (learns && may_run_apart(call, ranks.facts().ranks, bytes));
  const auto sure = made->by_network_rule(call);
  if (!sure && !tries) return nullptr;
  if (tries) made->add({}, apart ? Source::apart : Source::native);
  if (sure) made->add(sure->choice, Source::network, sure->seconds);
  made->follows_network_rule_ = sure.has_value();
  if (tries) {
    auto trials = apart ? Trials::apart(made->setup(), calls) : Trials(made->setup(), calls);
    made->compare_by(sure ? std::move(trials).of_rule() : std::move(trials));
  }
  return made;
}

std::unique_ptr<Decision> Decision::forced(Ranks& ranks, const Collective& collective,
                                           const Choice& choice, std::int64_t bytes) {
  std::unique_ptr<Decision> made(
      new Decision(ranks, collective, bytes == SizedChoice::most_bytes ? -1 : bytes));
  made->add(choice, Source::forced);
  return made;
}

std::unique_ptr<Decision> Decision::make_persistent(Ranks& ranks, const Question& call,
                                                    std::int64_t bytes, const Choice& blocking) {
  std::unique_ptr<Decision> made(new Decision(ranks, call.collective, bytes, Form::persistent));
  if (made->follow(Source::tuned, call.keeps_order)) return made;
  if (!call.keeps_order && made->follow(Source::learned, false)) return made;
  if (depends_on_order_of_edges(call.collective) && ranks.edges() == Edges::repeated) {
    made->add({}, Source::native);
    return made;
  }
  if (call.collective.among_neighbors && !made->agree_on_blocks(call)) return nullptr;
  if (const auto choice = made->by_node_rule(); choice && ranks.share_memory()) {
    made->add(*choice, Source::node);
    return made;
  }
  if (call.keeps_order || (bytes < 0 && !made->may_try_without_size())) return nullptr;
  // After this, the locations of the ranks are known, and therefore their results by shape.
  static_cast<void>(ranks.nodes());
  if (ranks.facts().on_one_node && !can_gain_on_one_node(call.collective, bytes)) {
    made->add({}, Source::native);
    return made;
  }
  const std::optional<Choice> winner = ranks.results().winner(made->key());
  const double code = winner ? code_of(*winner) : 0;
  double least[3];
  if (!ranks.agree(std::array{-call.unknown_block(), code, -code}, least)) return nullptr;
  made->most_bytes_ = -least[0];
  auto found = made->challengers(call.root);
  if (found.empty()) return nullptr;
  made->add({}, Source::native);
  made->compare_by(Trials(0));
  if (least[1] > 0) made->inherit(-least[2], found);
  if (made->candidates_.size() > 1) return made;
  int current = 0;
  Choice first = blocking;
  if (blocking.travel == Travel::published) first.travel = Travel::whole;
  const auto is_found = [&] {
    return std::ranges::find(found, first, &Ranking::Entry::choice) != found.end();
  };
  if (!is_found())
    if (const auto sure = made->by_network_rule(call)) {
      first = sure->choice;
      if (!is_found()) found.insert(found.begin(), *sure);
    }
  for (const Ranking::Entry& each : found) {
    made->add(each.choice, Source::trials, each.seconds);
    if (each.choice == first) current = made->candidates() - 1;
  }
  made->trials_->challenge(made->candidates() - 1, current);
  return made;
}

std::unique_ptr<Decision> Decision::make_nonblocking(Ranks& ranks, const Question& call,
                                                     std::int64_t bytes) {
  std::unique_ptr<Decision> made(new Decision(ranks, call.collective, bytes, Form::nonblocking));
  const bool must_stay =
      depends_on_order_of_edges(call.collective) && ranks.known_edges() != Edges::distinct;
  if (const auto choice = made->by_node_rule();
      choice && !must_stay && ranks.wish_for(call.collective).how == Reorder::off) {
    made->add(*choice, Source::node);
    return made;
  }
  const bool stays = call.is_final || must_stay;  // later decisions on blocking calls do not count
  if (!stays && (call.keeps_order || (bytes < 0 && !made->may_try_without_size()))) return nullptr;
  made->root_ = call.root;
  made->add({}, Source::native);
  if (!stays) made->compare_by(Trials(made->setup(), first_calls));
  return made;
}

void Decision::compare_by(Trials trials) {
  trials_.emplace(std::move(trials));
  if (!is_open()) return;
  const std::int64_t lag =
      form_ == Form::persistent ? OpenTrials::starts_while_agreeing : OpenTrials::unlimited;
  open_trials_ = std::make_unique<OpenTrials>(*trials_, lag);
}

// A trial changes the order of repeated edges (Edges), and needs the neighbours of all ranks.
bool Decision::may_try_without_size() {
  if (depends_on_order_of_edges(collective_) && ranks_.edges() != Edges::distinct) return false;
  return !collective_.among_neighbors ||
         network_rule_concerns(collective_, ranks_.facts().ranks, 0, false);
}

// If it turns out later that ranks cannot share memory, they send the same blocks as messages.
// Among neighbours, nonblocking calls have not agreed on a size.
std::optional<Choice> Decision::by_node_rule() {
  const bool is_unsized = collective_.among_neighbors && form_ == Form::nonblocking;
  if (is_unsized || !ranks_.may_share_memory()) return {};
  return node_rule(form_, collective_, ranks_.facts().ranks, ranks_.facts().node, ruled_bytes());
}

// If a choice cannot run here, the MPI library serves, and one line names the reason.
void Decision::add(const Choice& choice, Source source, double predicted) {
  Choice possible;
  try {
    possible = settled(ranks_, collective_, choice, bytes_);
  } catch (const ChoiceError& error) {
    ranks_.say_once(std::string(collective_.name) + ": " + choice.text() + ", reason \"" +
                    std::string(word_of(source)) + "\": " + error.what() +
                    ". Using the MPI library.");
  }
  Server& server = ranks_.prepare(collective_, possible, source, bytes_, form_);
  candidates_.push_back({possible, &server, predicted});
}

// The approximate time to discover where the ranks run, to rank algorithms there, and to find a
// reordering for each.
double Decision::setup() const {
  static constexpr double none = 100e-6;
  if (ranks_.results().has_ranking(ranks_.known_shape(), collective_)) return none;
  const int p = ranks_.facts().ranks;
  const bool reorders = ranks_.wish_for(collective_).how != Reorder::off;
  return std::min(10e-3, 2e-3 + 0.25e-3 * p) + 20e-6 * p +
         (reorders ? std::min(0.3, 300e-6 * p) : 0);
}

bool Decision::follow(Source source, bool keeps_order) {
  const bool is_learned = source == Source::learned;
  const Tuning& tuning = is_learned ? ranks_.rules().learned() : ranks_.rules().tuning();
  if (tuning.points.empty()) return false;
  const Tuning::Point* point =
      tuning.find(collective_, ranks_.facts().ranks, ranks_.nodes(), bytes_);
  if (point == nullptr) return false;
  if (is_learned && !can_run(ranks_, collective_, point->choice, bytes_)) return false;
  // A choice of the network rule that was never compared with native counts only for the calls for
  // which the rule made it.
  const bool is_for_these = point->bytes == bytes_ && point->ranks == ranks_.facts().ranks &&
                            point->nodes == ranks_.nodes() && !is_open();
  if (is_learned && point->native_seconds == 0 && !is_for_these) return false;
  // A blocking call found it, with blocks published inside nodes.
  if (is_learned && is_open() && point->choice.travel == Travel::published) return false;
  const bool tried = !keeps_order && (bytes_ >= 0 || may_try_without_size()) &&
                     ranks_.rules().guarding() != Rules::Guarding::off;
  if (tried && point->choice.native()) {
    // A tuning file decides. But one noisy run must not exclude all other algorithms forever.
    if (is_learned && !is_open()) compare_by(Trials::late(setup()));
  } else if (tried) {
    add({}, Source::native);
    compare_by(Trials::trusting());
  }
  add(point->choice, source);
  return true;
}

// Trials compare the choice with native. Not for sums, whose bits would depend on the trials.
bool Decision::follow_topology(const Question& call) {
  const Choice& choice = ranks_.rules().around_slow_links(collective_, bytes_);
  if (choice.native() || call.keeps_order || ranks_.facts().on_one_node) return false;
  try {
    const Shape shape = ranks_.shape(*choice.algorithm, call.root, false);
    if (!trees_serve(shape, collective_)) return false;
  } catch (const ChoiceError&) {  // the locations of the ranks are unknown
    return false;
  }
  if (ranks_.rules().guarding() != Rules::Guarding::off) {
    add({}, Source::native);
    compare_by(Trials::trusting());
  }
  add(choice, Source::topology);
  return true;
}

// The algorithm for ranks that share the memory of one node. Rankings leave it out. The rule for
// nodes leaves some cases open, so trials compare it with native there. Not for rooted collectives
// of ranks that share cores: in several such calls in a row, a rank runs ahead and switches once
// for all of them, which the times of single calls do not show.
std::optional<Choice> Decision::through_memory() {
  const Algorithm* const found = find_algorithm(collective_, "shared");
  if (found == nullptr || !is_proved(*found)) return {};
  if (collective_.rooted && ranks_.facts().node.crowded) return {};
  if (!ranks_.facts().on_one_node || !ranks_.share_memory()) return {};
  return parse_choice(collective_, "shared");
}

bool Decision::agree_on_blocks(const Question& call) {
  double least = 0;
  if (!ranks_.agree(std::array{-call.unknown_block()}, {&least, 1})) return false;
  most_bytes_ = -least;
  return true;
}

// Other sizes than those agreed on do not count, because programs seldom exchange blocks of several
// sizes in one graph.
std::optional<Ranking::Entry> Decision::by_neighbor_rule() {
  const int p = ranks_.facts().ranks;
  const std::int64_t bytes = ruled_bytes();
  if (!network_rule_concerns(collective_, p, bytes, false) || bytes == 0 ||
      ranks_.wish_for(collective_).how != Reorder::off || ranks_.facts().on_one_node ||
      ranks_.nodes() < 2)
    return {};
  const auto found = ranking(ranks_, collective_, 0, !is_open(), true);
  if (found == nullptr) return {};
  return neighbor_rule(*found, ranks_.network_facts(false).network, collective_, p, bytes,
                       ranks_.facts().node.rules);
}

// Only for the original order of ranks, for which the rule was validated. In requests, no messages
// are published.
std::optional<Ranking::Entry> Decision::by_network_rule(const Question& call) {
  if (collective_.among_neighbors) return by_neighbor_rule();
  if (!network_rule_concerns(collective_, ranks_.facts().ranks, bytes_, call.keeps_order) ||
      call.runs_users_code || !ranks_.rules().sends_only_messages() ||
      ranks_.wish_for(collective_).how != Reorder::off || ranks_.facts().on_one_node ||
      ranks_.nodes() < 2)
    return {};
  const NetworkFacts facts = ranks_.network_facts(call.keeps_order);
  const auto own = [&](std::int64_t bytes) {
    return native_algorithm(facts.own, form_, collective_, ranks_.facts().ranks, bytes);
  };
  if (facts.own != nullptr ? !own(bytes_) : !facts.sends_only_messages) return {};
  const auto found = ranking(ranks_, collective_, call.root, !is_open(), true);
  if (found == nullptr) return {};
  const SizeRange sizes = size_range(bytes_, call.keeps_order);
  if (facts.own != nullptr) return network_rule(*found, own, sizes);
  return network_rule(*found, facts.network, collective_, ranks_.facts().ranks, sizes);
}

// If sizes differ from call to call, an algorithm that suits the calls so far must also suit longer
// ones.
std::vector<Ranking::Entry> Decision::challengers(int root) {
  static constexpr int much = 16;
  const auto by_model = ranking(ranks_, collective_, root, !is_open());
  // Requests use the algorithms for one node only where a rule names them.
  const auto possible = [&](std::int64_t bytes) {
    auto found =
        by_model == nullptr ? std::vector<Ranking::Entry>() : by_model->worth_trying(bytes);
    if (const auto shared = is_open() ? std::nullopt : through_memory())
      found.insert(found.begin(), {*shared, 0});
    return found;
  };
  if (bytes_ >= 0) return possible(bytes_);
  const auto usual = static_cast<std::int64_t>(most_bytes_);
  const auto suits = possible(much * usual);
  auto found = possible(usual);
  std::erase_if(found, [&](const Ranking::Entry& each) {
    return std::ranges::none_of(suits, [&](const Ranking::Entry& other) {
      return other.choice.algorithm == each.choice.algorithm;
    });
  });
  return found;
}

void Decision::challenge(const Question& call) {
  auto found = challengers(call.root);
  const bool apart = trials_->are_apart();
  const auto same_as = [](const Choice& choice) {
    return [&](const Ranking::Entry& each) { return each.choice == choice; };
  };
  // The network rule's choice serves already, or the winner of blocking calls, or native.
  int current = candidates() - 1;
  if (current > 0) std::erase_if(found, same_as(candidates_.back().choice));
  const auto sure = is_open() ? by_network_rule(call) : std::nullopt;
  if (sure && sure->choice != candidates_.back().choice) {
    std::erase_if(found, same_as(sure->choice));
    found.insert(found.begin(), *sure);
    current = 1;  // this one, or the winner of blocking calls
  }
  for (const Ranking::Entry& each : found)
    add(each.choice, apart ? Source::apart : Source::trials, each.seconds);
  trials_->challenge(candidates() - 1, current);
  if (ranks_.rules().wants_bounds() && bytes_ >= 0)
    bound_ = bound(ranks_, collective_, call.root, bytes_);
}

// Makes the winner with that code the current candidate. Considers only the challengers on this
// communicator, which are the same on all ranks.
void Decision::inherit(double code, std::span<const Ranking::Entry> challengers) {
  for (const Ranking::Entry& each : challengers) {
    if (code_of(each.choice) != code) continue;
    add(each.choice, trials_->are_apart() ? Source::apart : Source::shared, each.seconds);
    trials_->inherit();
    return;
  }
}

// Ranks may know different winners by shape, so the ballot of each contains its winner. A winner
// counts only if every rank knows one. If they differ, the one with the largest code counts. A
// trial of nonblocking calls that has not ended on one rank has no result.
//
// Only the rank itself knows the location of its buffers, so no choice depends on the location in
// the current call. But the ranks exchange it with the times. Trials with such buffers never ran on
// GPUs of several nodes, and the MPI library may send from there directly. So native serves from
// now on; for sums, the choice that has served them.
void Decision::agree(const Question& call) {
  const bool is_alone = candidates_.size() == 1, is_probe = trials_->is_probe();
  std::vector<double> ballot = is_open() ? open_trials_->ballot() : trials_->ballot();
  const std::size_t times = ballot.size();
  const std::optional<Choice> winner = is_alone ? ranks_.results().winner(key()) : std::nullopt;
  const double code = winner ? code_of(*winner) : 0;
  ballot.insert(ballot.end(),
                {-most_bytes_, code, -code, is_probe ? -setup() : 0, on_device_ ? -1.0 : 0});
  std::vector<double> least(ballot.size());
  const double started = ranks_.now();
  if (!ranks_.agree(ballot, least)) {  // the communicator is broken
    if (is_open())
      open_trials_->agree(std::vector<double>(times));
    else
      trials_.reset();
    return;
  }
  const double seconds = ranks_.now() - started;
  const std::span<const double> of_calls = std::span(least).first(times);
  most_bytes_ = -least[times];
  if (least[times + 4] < 0) {
    candidates_.assign(1, Candidate(candidates_[trials_->are_apart() ? trials_->serving() : 0]));
    return trials_.reset();
  }
  if (is_probe) trials_->expect_setup(-least[times + 3]);
  if (is_open())
    open_trials_->agree(of_calls, seconds);
  else
    trials_->agree(of_calls, seconds);
  if (is_alone && least[times + 1] > 0) inherit(-least[times + 2], challengers(call.root));
  if (trials_->wants_candidates()) challenge(call);
  if (!is_open() && candidates() > 1 && !trials_->has_common_clock() && ranks_.set_clocks())
    trials_->use_common_clock();
  conclude();
}

void Decision::conclude() {
  if (trials_->has_result()) ranks_.results().keep(key(), candidates_[trials_->current()].choice);
}

int Decision::winner() const {
  return trials_ && trials_->has_result() && !trials_->are_apart() ? trials_->current() : 0;
}

// Requests have no shared memory between several nodes, and blocks that are published for blocking
// calls were not measured as messages.
void Decision::follow_blocking(const Decision& blocking) {
  if (!trials_ || trials_->current() != 0 || blocking.winner() == 0) return;
  const Choice& choice = blocking.candidates_[blocking.winner()].choice;
  if (choice.publishes()) return;
  const auto known = std::ranges::find(candidates_, choice, &Candidate::choice);
  const auto place = static_cast<int>(known - candidates_.begin());
  if (known == candidates_.end()) {
    if (candidates_.size() == OpenTrials::most_candidates) return;
    add(choice, Source::trials);
  }
  trials_->prefer(place);
}

std::int64_t Decision::lend() {
  if (!candidates_[serving()].choice.native()) return 0;
  if (open_trials_ != nullptr) return open_trials_->lend();
  return trials_ ? trials_->pass() : OpenTrials::unlimited;
}

void Decision::tell(std::int64_t lent) {
  if (!trials_) return;
  const int current = trials_->current();
  const std::int64_t calls = trials_->calls() - lent;
  Evidence times{.nodes = ranks_.known_nodes(), .native = trials_->seconds(0), .bound = bound_};
  for (std::size_t each = 0; each < candidates_.size(); ++each) {
    times.predicted = candidates_[each].predicted;
    times.measured = trials_->seconds(static_cast<int>(each));
    ranks_.report(*candidates_[each].server, times);
  }
  // A file of results does not contain edges.
  if (is_open() || !ranks_.rules().learns() || times.nodes == 0 || collective_.among_neighbors)
    return;
  // After a learned native, a later run starts its trials late. So native must be known as the
  // best. If trials never timed native, because ranks are late, the choice of the network rule is
  // still a result: the next run starts with it, and compares it with native only. Not for sums,
  // which no later run would compare.
  static constexpr std::int64_t many_calls = 2 * Trials::first_probe;
  static constexpr double unknown = -1;  // seconds; any measured result counts more
  const bool is_measured = trials_->seconds(0) > 0;
  const bool stays_by_rule =
      follows_network_rule_ && current == 1 && !collective_.reduces && calls >= many_calls;
  if (is_measured ? !trials_->has_result() : !stays_by_rule) return;
  const double saved = is_measured ? trials_->seconds(0) - trials_->seconds(current) : unknown;
  ranks_.learn({.collective = &collective_,
                .ranks = ranks_.facts().ranks,
                .nodes = times.nodes,
                .bytes = bytes_,
                .choice = candidates_[current].choice,
                .seconds = trials_->seconds(current),
                .native_seconds = trials_->seconds(0)},
               saved * static_cast<double>(calls));
}

}  // namespace toccata
