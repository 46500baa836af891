#include "deciding/open_decisions.h"

#include <algorithm>
#include <bit>

namespace toccata {

OpenDecisions::SizeClass& OpenDecisions::of(const Question& call) {
  const auto found = std::ranges::find_if(classes_, [&](const SizeClass& each) {
    return &each.call.collective == &call.collective && each.least <= call.bytes &&
           call.bytes <= each.most && each.call.keeps_order == call.keeps_order;
  });
  if (found != classes_.end()) return *found;
  std::int64_t least = call.bytes, most = call.bytes;
  if (call.bytes > 1) {
    most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(call.bytes)));
    least = most / 2 + 1;
  }
  return classes_.emplace_back(SizeClass{.call = call, .least = least, .most = most});
}

std::optional<OpenDecisions::Verdict> OpenDecisions::verdict(const Question& call) {
  const Rules& rules = ranks_.rules();
  if (gave_up_ || !rules.chooses(call.collective) || rules.decides_at_once() || call.bytes < 0 ||
      (call.bytes == 0 && !call.collective.synchronizes))
    return {};
  SizeClass& calls = of(call);
  if (++calls.calls <= first_calls) return {};
  if (calls.calls == first_calls + 1) {
    calls.decision = Decision::make_nonblocking(ranks_, call, calls.most, first_calls);
    if (calls.decision != nullptr)
      calls.trials = std::make_unique<OpenTrials>(*calls.decision->trials(), OpenTrials::unlimited);
  }
  if (calls.decision == nullptr) return {};
  const bool was_due = calls.trials->is_due();
  const std::optional<OpenTrials::Start> start = calls.trials->start();
  if (!was_due && calls.trials->is_due()) ++due_;
  return Verdict{&calls, *start};
}

void OpenDecisions::agree() {
  due_ = 0;
  for (SizeClass& each : classes_)
    if (each.trials != nullptr && each.trials->is_due())
      each.decision->agree(each.call, *each.trials);
}

void OpenDecisions::give_up() {
  gave_up_ = true;
  due_ = 0;
}

}  // namespace toccata
