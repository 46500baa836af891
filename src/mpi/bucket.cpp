#include "mpi/bucket.h"

#include <algorithm>

#include "mpi/agreement.h"
#include "mpi/transport.h"

namespace toccata {

std::unique_ptr<Bucket> Bucket::make(Communicator& communicator, const Operation& call,
                                     std::int64_t bytes, bool rounds) {
  const Settings& settings = Settings::get();
  const Collective& collective = call.collective;
  std::unique_ptr<Bucket> made(new Bucket(communicator, collective, bytes));
  if (made->go_by(settings.tuning(), "tuned", rounds)) return made;
  if (!rounds && made->go_by(settings.learned(), "learned", rounds)) return made;
  if (bytes < 0) return nullptr;
  if (settings.guarding() == Settings::Guarding::off) {
    const auto best = communicator.candidates(collective, call.root, bytes);
    if (best.empty()) return nullptr;
    made->add(best.front().choice, "modelled", best.front().seconds);
    return made;
  }
  if (rounds) return nullptr;
  made->add({}, "native");
  made->guard_.emplace(made->setup(), Choosing::first_calls);
  return made;
}

std::unique_ptr<Bucket> Bucket::forced(Communicator& communicator, const Collective& collective,
                                       const Choice& choice, std::int64_t bytes) {
  std::unique_ptr<Bucket> made(
      new Bucket(communicator, collective, bytes == SizedChoice::most_bytes ? -1 : bytes));
  made->add(choice, "forced");
  return made;
}

// A choice that cannot run here is the MPI library's own, which is said.
void Bucket::add(const Choice& choice, const std::string& reason, double predicted) {
  Choice possible;
  try {
    possible = communicator_.settled(collective_, choice, bytes_);
  } catch (const ChoiceError& error) {
    communicator_.say_once(std::string(collective_.name) + " by " + choice.text() + " (" + reason +
                           "): " + error.what() + ". Using native there.");
  }
  ways_.push_back({&communicator_.add_way(collective_, possible, reason, bytes_), predicted});
}

// Roughly, to find out where the ranks run, and to rank algorithms there; and who would best play
// whom in each.
double Bucket::setup() const {
  const int p = communicator_.size();
  const bool reorders = communicator_.wish_for(collective_).how != Reorder::off;
  return 10e-3 + 20e-6 * p + (reorders ? std::min(0.3, 300e-6 * p) : 0);
}

bool Bucket::go_by(const Tuning& tuning, const std::string& reason, bool rounds) {
  if (tuning.points.empty()) return false;
  const Tuning::Point* point =
      tuning.find(collective_, communicator_.size(), communicator_.nodes(), bytes_);
  if (point == nullptr) return false;
  const bool guarded = !point->choice.native() && !rounds && bytes_ >= 0 &&
                       Settings::get().guarding() != Settings::Guarding::off;
  if (guarded) {
    add({}, "native");
    guard_.emplace(Guard::trusting(setup()));
  }
  add(point->choice, reason);
  return true;
}

void Bucket::challenge(const Operation& call) {
  const auto found = worth_trying(communicator_.candidates(collective_, call.root, bytes_));
  for (const Ranking::Entry& each : found) add(each.choice, "guarded", each.seconds);
  guard_->challenge(static_cast<int>(found.size()));
  if (!Settings::get().report_file().empty())
    bound_ = communicator_.bound(collective_, call.root, bytes_);
}

// On the program's communicator, on which all ranks call in the same order.
void Bucket::agree(const Operation& call) {
  const std::vector<double> ballot = guard_->ballot();
  std::vector<double> least(ballot.size());
  const double started = PMPI_Wtime();
  MPI_Request request;
  int code = start_agreement(ballot, least, communicator_.user(), request);
  if (code == MPI_SUCCESS) code = Transport::wait(request, communicator_.process());
  if (code != MPI_SUCCESS) {  // the program's communicator is broken
    guard_.reset();
    return;
  }
  guard_->agree(least, PMPI_Wtime() - started);
  if (guard_->wants_ways()) challenge(call);
}

std::int64_t Bucket::lend() {
  if (turn().timed || !stands().is_native()) return 0;
  return guard_ ? guard_->pass() : Choosing::all_calls;
}

void Bucket::tell() {
  if (!guard_) return;
  const int stands = guard_->stands();
  Report::Times times{
      .nodes = communicator_.known_nodes(), .native = guard_->seconds(0), .bound = bound_};
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    times.predicted = ways_[way].predicted;
    times.measured = guard_->seconds(static_cast<int>(way));
    communicator_.process().tell(*ways_[way].used->service, times);
  }
  if (Settings::get().learns_to().empty() || times.nodes == 0 || guard_->seconds(0) == 0) return;
  // A learned native is not tried again, so it has to be known for the best.
  if (stands == 0 && !guard_->decided()) return;
  communicator_.process().learn({.collective = &collective_,
                                 .ranks = communicator_.size(),
                                 .nodes = times.nodes,
                                 .bytes = bytes_,
                                 .choice = ways_[stands].used->service->choice,
                                 .seconds = guard_->seconds(stands),
                                 .native_seconds = guard_->seconds(0)});
}

}  // namespace toccata
