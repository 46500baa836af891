#include "deciding/decisions.h"

#include <algorithm>

#include "deciding/network_rule.h"
#include "deciding/node_rule.h"

namespace toccata {

Decisions::SizeClass* Decisions::find(const Question& call) {
  for (auto& two : classes_)
    for (SizeClass& each : two)
      if (each.collective == &call.collective && each.least <= call.bytes &&
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

Decisions::SizeClass& Decisions::make(const Question& call) {
  SizeClass& made = free_class();
  made = {.collective = &call.collective,
          .keeps_order = call.keeps_order,
          .runs_users_code = call.runs_users_code,
          .is_final = call.is_final};
  begin(made, call);
  return made;
}

void Decisions::ask(const Collective& collective, SizedChoice choice) {
  tell();
  std::erase_if(asked_, [&](const auto& each) { return each.first == &collective; });
  for (auto& two : classes_)
    for (SizeClass& each : two)
      if (each.collective == &collective) each = {};
  asked_.emplace_back(&collective, std::move(choice));
}

// The argument of ask(); otherwise the communicator's info; otherwise the rules.
Decisions::Asked Decisions::asked(const Question& call) {
  const Collective& collective = call.collective;
  const auto told = std::ranges::find(asked_, &collective, [](auto& each) { return each.first; });
  const std::optional<SizedChoice> named =
      told != asked_.end() ? std::optional(told->second) : ranks_.asked_by_info(collective);
  Asked result{named ? *named : ranks_.rules().asked(collective), named.has_value(), false};
  result.reorders =
      call.bytes >= 0 && reorders_by_size(ranks_, collective, result.choice.at(call.bytes));
  result.by_size = result.by_size || !result.choice.is_fixed() || result.reorders;
  return result;
}

Decision* Decisions::made_for(const Question& call) {
  const SizeClass* const found = find(call);
  return (found != nullptr ? *found : make(call)).decision.get();
}

bool Decisions::follows_node_rule(const SizeClass& calls) {
  const NodeKind node = ranks_.node();
  return node_rule_holds_at_once(node, calls.most) &&
         node_rule(Form::blocking, *calls.collective, ranks_.size(), node, calls.most) &&
         ranks_.are_on_one_node();
}

// After the rule has chosen for one size class, it does so for all others at once, because all
// ranks have found what it needs. For rounding sums, only other sums count: the history of the rest
// differs from run to run. With long messages, it is always asked at once.
bool Decisions::follows_network_rule(const SizeClass& calls) const {
  if (network_rule_holds_at_once(*calls.collective, ranks_.size(), calls.most, calls.keeps_order) &&
      ranks_.rules().checkable_own_rules() != nullptr && !ranks_.are_on_one_node())
    return true;
  return std::ranges::any_of(classes_, [&](const auto& two) {
    return std::ranges::any_of(two, [&](const SizeClass& each) {
      return (each.keeps_order || !calls.keeps_order) && each.decision != nullptr &&
             each.decision->follows_network_rule();
    });
  });
}

// If a user names sizes, each range is one class. If a model chooses the reordering, a range is
// divided into the classes above.
void Decisions::begin(SizeClass& made, const Question& call) {
  const Collective& collective = call.collective;
  const std::int64_t bytes = call.bytes;
  const Asked asked = this->asked(call);
  const bool chooses = !asked.by_size && ranks_.rules().chooses(collective);
  if (ranks_.size() == 1 && chooses) made.left = all_calls;
  if (ranks_.size() == 1 || !(chooses || (asked.by_size && ranks_.obey_rules()))) return;
  const SizeRange sizes = size_range(bytes, call.keeps_order);
  made.least = sizes.least;
  made.most = sizes.most;
  if (asked.by_size) {
    const auto& ranges = asked.choice.ranges();
    auto range = ranges.begin();
    while (range->most < (bytes < 0 ? SizedChoice::most_bytes : bytes)) ++range;
    const std::int64_t least = range == ranges.begin() ? 0 : (range - 1)->most + 1;
    if (bytes >= 0) {
      made.least = asked.reorders ? std::max(made.least, least) : least;
      made.most = asked.reorders ? std::min(made.most, range->most) : range->most;
    }
    made.decision = Decision::forced(ranks_, collective, range->choice, made.most);
    return;
  }
  made.wants_decision = bytes > 0 || collective.synchronizes || collective.vector_of != nullptr;
  if (!made.wants_decision)
    made.left = all_calls;
  else if (!call.is_final && !ranks_.rules().decides_at_once(call.keeps_order) &&
           !follows_node_rule(made) && !follows_network_rule(made))
    made.left = first_calls;
}

void Decisions::decide(SizeClass& calls, const Question& call) {
  calls.wants_decision = false;
  if (ranks_.obey_rules())
    calls.decision = Decision::make(ranks_, call, calls.most,
                                    call.is_final || follows_network_rule(calls) ? 0 : first_calls);
  if (calls.decision != nullptr && calls.decision->follows_network_rule())
    for (auto& two : classes_)
      for (SizeClass& each : two)
        if (each.wants_decision && (calls.keeps_order || !each.keeps_order)) each.left = 0;
  if (calls.decision == nullptr)
    calls.left = all_calls;
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
      if (trials == nullptr) continue;
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
  for (auto& two : classes_)
    for (SizeClass& each : two)
      if (each.decision != nullptr) each.decision->tell();
}

}  // namespace toccata
