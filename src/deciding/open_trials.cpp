#include "deciding/open_trials.h"

#include <algorithm>

namespace toccata {

std::optional<OpenTrials::Start> OpenTrials::start() {
  const Start current{.candidate = trials_->current()};
  if (is_over()) {
    if (since_ < lag_) {
      ++since_;
      return current;
    }
    if (agreed_.empty()) return {};
    conclude();
    return start();
  }
  if (started_ == 0 && !trials_->next().timed) {
    static_cast<void>(trials_->ended());
    return current;
  }
  const std::size_t place = started_++;
  times_[place] = -1;
  return Start{
      .candidate = trials_->trial()[place], .timed = true, .place = place, .trial = trial_};
}

std::int64_t OpenTrials::lend() {
  return is_over() ? unlimited : trials_->pass();  // none in a trial
}

void OpenTrials::ended(const Start& call, double seconds) {
  if (call.timed && call.trial == trial_) times_[call.place] = std::max(seconds, 0.0);
}

std::vector<double> OpenTrials::ballot() {
  cast_ = true;
  bool complete = true;
  for (std::size_t i = 0; i < started_; ++i) {
    complete = complete && times_[i] >= 0;
    static_cast<void>(trials_->ended(times_[i]));
  }
  std::vector<double> result = trials_->ballot();
  result.push_back(complete ? 1 : 0);
  return result;
}

// Another rank may receive the agreement later. So it counts from the same start on all ranks.
void OpenTrials::agree(std::span<const double> least, double agreement) {
  agreed_.assign(least.begin(), least.end());
  if (lag_ == unlimited) conclude(agreement);
}

void OpenTrials::conclude(double agreement) {
  const std::size_t times = agreed_.size() - 1;
  if (agreed_[times] > 0)
    trials_->agree(std::span(agreed_).first(times), agreement);
  else
    trials_->put_off();
  agreed_.clear();
  cast_ = false;
  started_ = 0;
  since_ = 0;
  ++trial_;
}

}  // namespace toccata
