#include "deciding/open_decisions.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace toccata {

namespace {

// Calls without a decision of their own are served like blocking calls, whose decisions may change.
constexpr std::int64_t lent_at_once = 64;

// The number of calls before the decision.
std::int64_t calls_before(const Question& call) { return call.is_final ? 0 : first_calls; }

}  // namespace

OpenDecisions::SizeClass* OpenDecisions::find(const Question& call) {
  const auto found = std::ranges::find_if(classes_, [&](const SizeClass& each) {
    return &each.call.collective == &call.collective && each.least <= call.bytes &&
           call.bytes <= each.most && each.call.keeps_order == call.keeps_order &&
           each.call.is_final == call.is_final;
  });
  return found != classes_.end() ? &*found : nullptr;
}

OpenDecisions::SizeClass& OpenDecisions::of(const Question& call) {
  if (SizeClass* const known = find(call)) return *known;
  std::int64_t least = call.bytes, most = call.bytes;
  if (call.bytes > 1) {
    most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(call.bytes)));
    least = most / 2 + 1;
  }
  return classes_.emplace_back(SizeClass{.call = call, .least = least, .most = most});
}

bool OpenDecisions::are_tracked(const Question& call) const {
  const Rules& rules = ranks_.rules();
  return !gave_up_ && rules.chooses(call.collective) && !rules.decides_at_once(call.keeps_order) &&
         (call.bytes > 0 || (call.bytes == 0 && call.collective.synchronizes) ||
          (call.bytes < 0 && call.collective.vector_of != nullptr &&
           !call.collective.among_neighbors));
}

OpenDecisions::SizeClass* OpenDecisions::lent(const Question& call) {
  SizeClass* const known = find(call);
  if (known == nullptr || known->left == 0) return nullptr;
  --known->left;
  return known;
}

OpenDecisions::SizeClass& OpenDecisions::lend(const Question& call) {
  SizeClass& calls = of(call);
  if (!are_tracked(call))
    calls.left = lent_at_once;
  else if (const std::int64_t before = calls_before(call); calls.calls <= before)
    calls.left = before - std::exchange(calls.calls, before);
  else
    calls.left = calls.trials != nullptr ? calls.trials->lend() : lent_at_once;
  return calls;
}

void OpenDecisions::take_back() {
  for (SizeClass& each : classes_) {
    if (each.trials != nullptr) each.trials->take_back(each.left);
    each.left = 0;
  }
}

std::optional<OpenDecisions::Verdict> OpenDecisions::verdict(const Question& call) {
  if (!are_tracked(call)) return {};
  SizeClass& calls = of(call);
  const std::int64_t before = calls_before(call);
  if (++calls.calls <= before) return {};
  if (calls.calls == before + 1) {
    calls.decision = Decision::make_nonblocking(ranks_, call, calls.most, first_calls);
    if (calls.decision != nullptr && calls.decision->trials() != nullptr)
      calls.trials = std::make_unique<OpenTrials>(*calls.decision->trials(), OpenTrials::unlimited);
  }
  if (calls.decision == nullptr) return {};
  if (calls.trials == nullptr) return Verdict{&calls, {}};
  if (!calls.trials->is_under_way() && blocking_.know(call))
    if (const Decision* const blocking = blocking_.made_for(call))
      calls.decision->follow_blocking(*blocking);
  const bool was_due = calls.trials->is_due();
  const std::optional<OpenTrials::Start> start = calls.trials->start();
  if (!was_due && calls.trials->is_due()) ++due_;
  return Verdict{&calls, *start};
}

void OpenDecisions::agree() {
  due_ = 0;
  for (SizeClass& each : classes_)
    if (each.trials != nullptr && each.trials->is_due()) {
      each.decision->agree(each.call, *each.trials);
      each.left = 0;
    }
}

void OpenDecisions::give_up() {
  gave_up_ = true;
  due_ = 0;
}

}  // namespace toccata
