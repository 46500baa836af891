#include "deciding/decisions.h"

#include <algorithm>
#include <utility>

#include "deciding/network_rule.h"
#include "deciding/node_rule.h"
#include "deciding/size_range.h"

namespace toccata {

Decisions::SizeClass* Decisions::find(const Question& call, Form form) {
  for (auto& two : classes_)
    for (SizeClass& each : two)
      if (each.collective == &call.collective && each.form == form && each.least <= call.bytes &&
          call.bytes <= each.most && each.keeps_order == call.keeps_order &&
          each.runs_users_code == call.runs_users_code && each.is_final == call.is_final)
        return &each;
  return nullptr;
}

Decisions::SizeClass& Decisions::free_class() {
  for (auto& two : classes_)
    for (SizeClass& each : two)
      if (each.collective == nullptr) return each;
  return classes_.emplace_front()[0];
}

Decisions::SizeClass& Decisions::class_of(const Question& call, Form form) {
  if (SizeClass* const found = find(call, form)) return *found;
  SizeClass& made = free_class();
  made = {.collective = &call.collective,
          .form = form,
          .keeps_order = call.keeps_order,
          .runs_users_code = call.runs_users_code,
          .is_final = call.is_final};
  if (form == Form::blocking)
    begin(made, call);
  else
    begin_nonblocking(made, call);
  return made;
}

void Decisions::ask(const Collective& collective, SizedChoice choice) {
  tell();
  take_back();
  std::erase_if(asked_, [&](const auto& each) { return each.first == &collective; });
  each_class([&](SizeClass& each) {
    if (each.collective != &collective) return;
    if (each.form == Form::blocking)
      each = {};
    else
      each.wants_decision = false;  // calls may be open that a trial times
  });
  asked_.emplace_front(&collective, std::move(choice));
}

// The argument of ask(); otherwise the communicator's info; otherwise the rules.
Decisions::Asked Decisions::asked(const Question& call) {
  const Collective& collective = call.collective;
  const auto told = std::ranges::find(asked_, &collective, [](auto& each) { return each.first; });
  const std::optional<SizedChoice> named =
      told != asked_.end() ? std::optional(told->second) : ranks_.asked_by_info(collective);
  Asked result{named ? *named : ranks_.rules().asked(collective), named.has_value(), false};
  result.reorders =
      call.bytes >= 0 && !(ranks_.rules().reproducible() && collective.reduces) &&
      with_wish(result.choice.at(call.bytes), collective, ranks_.wish_for(collective)).reorder ==
          Reorder::automatic;
  result.by_size = result.by_size || !result.choice.is_fixed() || result.reorders;
  return result;
}

bool Decisions::follows_node_rule(const SizeClass& calls) {
  const Facts facts = ranks_.facts();
  return facts.on_one_node && node_rule_holds_at_once(facts.node, calls.most) &&
         node_rule(Form::blocking, *calls.collective, facts.ranks, facts.node, calls.most);
}

// Whether another server could change the order of repeated edges (Edges) during the run.
// Collective.
bool Decisions::order_must_stay(const SizeClass& calls) {
  return depends_on_order_of_edges(*calls.collective) && calls.begins_natively &&
         ranks_.edges() == Edges::repeated;
}

// After the rule has chosen for one size class, it does so for all others at once, because all
// ranks have found what it needs. For rounding sums, only other sums count: the history of the rest
// differs from run to run. With long messages, it is always asked at once.
bool Decisions::follows_network_rule(const SizeClass& calls) const {
  const Facts facts = ranks_.facts();
  if (network_rule_holds_at_once(*calls.collective, facts.ranks, calls.most, calls.keeps_order) &&
      ranks_.rules().checkable_own_rules() != nullptr && !facts.on_one_node)
    return true;
  return std::ranges::any_of(classes_, [&](const auto& two) {
    return std::ranges::any_of(two, [&](const SizeClass& each) {
      return each.form == Form::blocking && (each.keeps_order || !calls.keeps_order) &&
             each.decision != nullptr && each.decision->follows_network_rule();
    });
  });
}

// Long calls on machines with slow links, for which the file of the topology has a choice.
bool Decisions::follows_topology(const SizeClass& calls) {
  return !calls.keeps_order && !ranks_.facts().on_one_node &&
         !ranks_.rules().around_slow_links(*calls.collective, calls.most).native();
}

// If a user names sizes, each range is one class. If a model chooses the reordering, a range is
// divided into the usual classes.
void Decisions::begin(SizeClass& made, const Question& call) {
  const Collective& collective = call.collective;
  const std::int64_t bytes = call.bytes;
  const Facts facts = ranks_.facts();
  const Asked asked = this->asked(call);
  const bool chooses = !asked.by_size && ranks_.rules().chooses(collective);
  if (facts.ranks == 1 && chooses) made.left = OpenTrials::unlimited;
  if (facts.ranks == 1 || !(chooses || (asked.by_size && facts.obey_rules))) return;
  const SizeRange sizes = size_range(bytes, call.keeps_order);
  made.least = sizes.least;
  made.most = sizes.most;
  if (asked.by_size) {
    const auto& ranges = asked.choice.ranges();
    auto named = ranges.begin();
    while (named->most < (bytes < 0 ? SizedChoice::most_bytes : bytes)) ++named;
    const std::int64_t least = named == ranges.begin() ? 0 : (named - 1)->most + 1;
    if (bytes >= 0) {
      made.least = asked.reorders ? std::max(made.least, least) : least;
      made.most = asked.reorders ? std::min(made.most, named->most) : named->most;
    }
    made.decision = Decision::forced(ranks_, collective,
                                     reproducible(ranks_, collective, named->choice), made.most);
    return;
  }
  made.wants_decision = bytes != 0 || collective.synchronizes;
  made.begins_natively = !call.is_final && !ranks_.rules().decides_at_once(call.keeps_order) &&
                         !follows_node_rule(made) && !follows_network_rule(made) &&
                         !follows_topology(made);
  if (!made.wants_decision)
    made.left = OpenTrials::unlimited;
  else if (made.begins_natively)
    made.left = first_calls_of(collective, facts);
}

void Decisions::begin_nonblocking(SizeClass& made, const Question& call) {
  const SizeRange sizes = size_range(call.bytes, call.keeps_order);
  made.least = sizes.least;
  made.most = sizes.most;
  const Collective& collective = call.collective;
  const Rules& rules = ranks_.rules();
  made.wants_decision = rules.chooses(collective) && !asked(call).by_size &&
                        !rules.decides_at_once(call.keeps_order) &&
                        (call.bytes != 0 || collective.synchronizes);
  made.calls_to_decision = static_cast<std::int8_t>(call.is_final ? 0 : first_calls);
}

Decisions::Verdict Decisions::blocking(SizeClass& calls, const Question& call, bool one_by_one) {
  if (calls.left == 0 && calls.wants_decision) decide(calls, call);
  Decision* const decision = calls.decision.get();
  Trials* const trials = decision == nullptr ? nullptr : decision->trials();
  if (calls.left == 0 && trials != nullptr && trials->asks()) trials->answer(may_try(calls));
  if (!one_by_one && calls.left == 0 && decision != nullptr) calls.left = decision->lend();
  if (calls.left > 0) {
    --calls.left;
    return one_by_one ? Verdict{.kept = &calls} : Verdict{.lent = &calls};
  }
  if (decision == nullptr) return {};
  return {.decision = decision, .start = decision->next()};
}

Decisions::Verdict Decisions::nonblocking(SizeClass& calls, const Question& call) {
  if (calls.left > 0) {
    --calls.left;
    return {.lent = &calls};
  }
  if (gave_up_ || !calls.wants_decision) return {};
  if (calls.calls_to_decision > 0) {
    --calls.calls_to_decision;
    return {.kept = &calls};
  }
  if (calls.calls_to_decision == 0) {
    calls.calls_to_decision = -1;
    calls.decision = Decision::make_nonblocking(ranks_, call, calls.most);
  }
  Decision* const decision = calls.decision.get();
  if (decision == nullptr) return {};
  OpenTrials* const trials = decision->open_trials();
  if (trials == nullptr) return {.decision = decision};
  if (const SizeClass* const same = find(call, Form::blocking);
      !trials->is_under_way() && same != nullptr && same->decision != nullptr)
    decision->follow_blocking(*same->decision);
  const std::optional<Trials::Start> start = trials->start();
  are_due_ = are_due_ || trials->is_due();
  return {.kept = &calls, .decision = decision, .start = *start};
}

void Decisions::rejected(const Verdict& verdict) {
  const auto& [lent, kept, decision, start] = verdict;
  OpenTrials* const trials = decision == nullptr ? nullptr : decision->open_trials();
  if (lent != nullptr)
    SizeClass::add_back(lent->left);
  else if (kept != nullptr && kept->form == Form::blocking)
    SizeClass::add_back(kept->left);
  else if (trials != nullptr && start.timed)
    trials->rejected(start);
  else if (trials != nullptr)
    trials->take_back(1);
  else if (kept != nullptr)
    ++kept->calls_to_decision;
}

// Nonblocking calls without a decision of their own are served like blocking calls, whose decisions
// may change.
Decisions::SizeClass& Decisions::lend(const Question& call) {
  static constexpr std::int64_t at_once = 64;
  SizeClass& calls = class_of(call, Form::nonblocking);
  if (gave_up_ || !calls.wants_decision)
    calls.left = at_once;
  else if (calls.calls_to_decision >= 0)
    calls.left = static_cast<int>(std::exchange(calls.calls_to_decision, std::int8_t{0}));
  else
    calls.left = calls.decision != nullptr ? calls.decision->lend() : at_once;
  return calls;
}

void Decisions::take_back() {
  each_class([](SizeClass& each) {
    if (each.form == Form::blocking) return;
    if (each.decision != nullptr && each.decision->open_trials() != nullptr)
      each.decision->open_trials()->take_back(each.left);
    each.left = 0;
  });
}

void Decisions::agree() {
  are_due_ = false;
  each_class([](SizeClass& each) {
    OpenTrials* const trials = each.decision == nullptr ? nullptr : each.decision->open_trials();
    if (trials == nullptr || !trials->is_due()) return;
    each.decision->agree({.collective = *each.collective, .root = each.decision->root()});
    each.left = 0;
  });
}

void Decisions::give_up() {
  gave_up_ = true;
  are_due_ = false;
}

std::unique_ptr<Decision> Decisions::persistent(const Question& call) {
  const Rules& rules = ranks_.rules();
  const bool is_empty = call.bytes == 0 && !call.collective.synchronizes;
  if (is_empty || !rules.chooses(call.collective) || asked(call).by_size ||
      rules.guarding() == Rules::Guarding::off)
    return nullptr;
  Decision* const blocking = made_for(call);
  return Decision::make_persistent(ranks_, call, size_range(call.bytes, call.keeps_order).most,
                                   blocking == nullptr ? Choice{} : blocking->current_choice());
}

void Decisions::decide(SizeClass& calls, const Question& call) {
  calls.wants_decision = false;
  const Facts facts = ranks_.facts();
  const bool begins_now = call.is_final || follows_network_rule(calls) || follows_topology(calls);
  if (facts.obey_rules && !order_must_stay(calls))
    calls.decision = Decision::make(ranks_, call, calls.most,
                                    begins_now ? 0 : first_calls_of(*calls.collective, facts));
  if (calls.decision != nullptr && calls.decision->follows_network_rule())
    each_class([&](SizeClass& each) {
      if (each.form == Form::blocking && each.wants_decision &&
          (calls.keeps_order || !each.keeps_order))
        each.left = 0;
    });
  if (calls.decision == nullptr)
    calls.left = OpenTrials::unlimited;
  else if (Trials* const trials = calls.decision->trials())
    trials->share_budget();
}

// The trials of all classes share one budget, because a class of a few long calls could not measure
// anything by its own. The class that has taken most time so far comes first. All ranks know all
// numbers: calls lent to the MPI library count when they are made.
bool Decisions::may_try(const SizeClass& asking) const {
  double budget = 0, own = 0, most_of_others = 0;  // seconds
  for (const auto& two : classes_)
    for (const SizeClass& each : two) {
      const Trials* const trials = each.decision == nullptr ? nullptr : each.decision->trials();
      if (trials == nullptr || each.form != Form::blocking) continue;
      const double spent =
          static_cast<double>(trials->calls() - each.left) * trials->seconds(trials->serving());
      budget += Trials::share * spent - trials->cost();
      if (&each == &asking)
        own = spent;
      else if (trials->waits())
        most_of_others = std::max(most_of_others, spent);
    }
  return own >= most_of_others && asking.decision->trials()->price() <= budget;
}

void Decisions::tell() {
  each_class([](SizeClass& each) {
    if (each.decision != nullptr) each.decision->tell(each.left);
  });
}

}  // namespace toccata
