#include "mpi/bucket.h"

#include <algorithm>
#include <thread>

#include "topology/placement.h"
#include "topology/placements.h"

namespace toccata {

namespace {

// Seconds that it takes, roughly, to find out where p ranks run, and to rank algorithms there.
double setup_of(int p) { return 10e-3 + 20e-6 * p; }

// Challengers besides the best by the model, and how much more than that one they may take.
constexpr int runners_up = 2;
constexpr double worth_a_try = 2;

}  // namespace

std::unique_ptr<Bucket> Bucket::make(Communicator& communicator, const Operation& call,
                                     std::int64_t bytes, bool rounds) {
  const Settings& settings = Settings::get();
  const Collective& collective = call.collective;
  // In a broadcast, scatter, gather or reduction to a root, data flow one way.
  const bool one_way = collective.rooted;
  std::unique_ptr<Bucket> made(new Bucket(communicator, collective, bytes));
  made->add({}, "native");
  if (made->go_by(settings.tuning(), "tuned", rounds, one_way)) return made;
  if (!rounds && made->go_by(settings.learned(), "learned", rounds, one_way)) return made;
  if (bytes < 0) return nullptr;
  if (settings.guarding() == Settings::Guarding::off) {
    const auto best = communicator.candidates(collective, call.root, bytes);
    if (best.empty()) return nullptr;
    made->ways_.clear();
    made->predicted_.clear();
    made->add(best.front().choice, "modelled", best.front().seconds);
    return made;
  }
  if (rounds) return nullptr;
  made->guard_.emplace(one_way, setup_of(communicator.size()), Communicator::first_calls);
  return made;
}

std::unique_ptr<Bucket> Bucket::forced(Communicator& communicator, const Collective& collective,
                                       const SizedChoice::Range& range) {
  std::unique_ptr<Bucket> made(new Bucket(communicator, collective,
                                          range.most == SizedChoice::most_bytes ? -1 : range.most));
  made->add(range.choice, "forced");
  return made;
}

// A choice that cannot run here is the MPI library's own, which is said.
void Bucket::add(const Choice& choice, const std::string& reason, double predicted) {
  Choice possible = choice;
  try {
    if (!choice.native()) communicator_.check(choice);
  } catch (const ChoiceError& error) {
    communicator_.say_once(std::string(collective_.name) + " by " + choice.text() + " (" + reason +
                           "): " + error.what() + ". Using native there.");
    possible = {};
  }
  ways_.push_back(&communicator_.add_way(collective_, possible, reason, bytes_));
  predicted_.push_back(predicted);
}

bool Bucket::go_by(const Tuning& tuning, const std::string& reason, bool rounds, bool one_way) {
  if (tuning.points.empty()) return false;
  const Tuning::Point* point =
      tuning.find(collective_, communicator_.size(), communicator_.nodes(), bytes_);
  if (point == nullptr) return false;
  if (point->choice.native()) {
    ways_.clear();
    predicted_.clear();
    add({}, reason);
    return true;
  }
  add(point->choice, reason);
  if (rounds || Settings::get().guarding() == Settings::Guarding::off || bytes_ < 0) {
    ways_.erase(ways_.begin());
    predicted_.erase(predicted_.begin());
  } else {
    guard_.emplace(Guard::trusting(one_way));
  }
  return true;
}

void Bucket::challenge(const Operation& call) {
  int number = 0;
  const auto found = communicator_.candidates(collective_, call.root, bytes_);
  for (const Ranking::Entry& each : found) {
    if (number > runners_up || each.seconds > worth_a_try * found.front().seconds) break;
    add(each.choice, "guarded", each.seconds);
    ++number;
  }
  guard_->challenge(number);
}

// On the program's communicator, on which all ranks call in the same order.
void Bucket::agree(const Operation& call) {
  const std::vector<double> ballot = guard_->ballot();
  std::vector<double> least(ballot.size());
  const auto number = static_cast<int>(ballot.size());
  Process& process = communicator_.process();
  const double started = PMPI_Wtime();
  int code = MPI_SUCCESS;
  if (!process.busy()) {
    code = PMPI_Allreduce(ballot.data(), least.data(), number, MPI_DOUBLE, MPI_MIN,
                          communicator_.user());
  } else {
    MPI_Request request;
    code = PMPI_Iallreduce(ballot.data(), least.data(), number, MPI_DOUBLE, MPI_MIN,
                           communicator_.user(), &request);
    for (bool done = false; code == MPI_SUCCESS && !done;) {
      code = Transport::test(request, done);
      process.progress();
      std::this_thread::yield();
    }
  }
  if (code != MPI_SUCCESS) {  // the program's communicator is broken
    guard_.reset();
    return;
  }
  guard_->agree(least, PMPI_Wtime() - started);
  if (guard_->wants_ways()) challenge(call);
}

void Bucket::tell() {
  if (!guard_) return;
  const int stands = guard_->stands();
  Report::Row times;
  times.native = guard_->seconds(0);
  const auto placement = communicator_.known_placement();
  const int level = placement == nullptr ? -1 : node_level(placement->machine());
  if (level >= 0) times.nodes = placement->regions(level).number();
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    times.predicted = predicted_[way];
    times.measured = guard_->seconds(static_cast<int>(way));
    communicator_.process().tell(*ways_[way]->service, times);
  }
  if (Settings::get().learns_to().empty() || times.nodes == 0 || guard_->seconds(0) == 0 ||
      ways_.size() < 2)
    return;
  communicator_.process().learn({.collective = &collective_,
                                 .ranks = communicator_.size(),
                                 .nodes = times.nodes,
                                 .bytes = bytes_,
                                 .choice = ways_[stands]->service->choice,
                                 .seconds = guard_->seconds(stands),
                                 .native_seconds = guard_->seconds(0)});
}

}  // namespace toccata
