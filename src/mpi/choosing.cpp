#include "mpi/choosing.h"

#include <algorithm>
#include <bit>

#include "mpi/bucket.h"
#include "mpi/communicator.h"
#include "mpi/info.h"
#include "mpi/settings.h"

namespace toccata {

Choosing::Choosing(Communicator& communicator) : communicator_(communicator) {}

Choosing::~Choosing() = default;

namespace {

// Whether combining such a call's data in another order is out of the question.
bool keeps_order(const Operation& call) {
  return Settings::get().guarding() != Settings::Guarding::all && call.rounds();
}

}  // namespace

Choosing::Calls* Choosing::known(const Operation& call, std::int64_t bytes) {
  const bool rounds = keeps_order(call);
  const auto found = std::ranges::find_if(calls_, [&](const Calls& each) {
    return each.collective == &call.collective && each.least <= bytes && bytes <= each.most &&
           each.rounds == rounds;
  });
  return found == calls_.end() ? nullptr : &*found;
}

Choosing::Calls& Choosing::make(const Operation& call, std::int64_t bytes) {
  Communicator::end_era();  // what was remembered may point to where they were
  calls_.reserve(calls_.size() + 1);
  Calls& made =
      calls_.emplace_back(Calls{.collective = &call.collective, .rounds = keeps_order(call)});
  decide(made, call, bytes);
  return made;
}

void Choosing::ask(const Collective& collective, SizedChoice choice) {
  Communicator::end_era();
  std::erase_if(asked_, [&](const auto& each) { return each.first == &collective; });
  std::erase_if(calls_, [&](const Calls& each) { return each.collective == &collective; });
  asked_.emplace_back(&collective, std::move(choice));
}

// What ask() was told; else the key of the communicator's info, for those MPIs that keep it: Open
// MPI does where the communicator was made by MPI_Comm_dup_with_info. It has to be the same on all
// ranks.
std::optional<SizedChoice> Choosing::asked_by_info(const Collective& collective) {
  for (const auto& [of, choice] : asked_)
    if (of == &collective) return choice;
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Comm_get_info(communicator_.user(), &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
    return {};
  std::optional<SizedChoice> result;
  try {
    result = asked_in(info, collective);
  } catch (const ChoiceError& error) {
    communicator_.say_once(std::string(error.what()) + ". Using native there.");
    result = SizedChoice();
  }
  PMPI_Info_free(&info);
  return result;
}

Choosing::Asked Choosing::asked(const Collective& collective, std::int64_t bytes) {
  const std::optional<SizedChoice> by_info = asked_by_info(collective);
  Asked result{by_info ? *by_info : Settings::get().asked(collective), by_info.has_value(), false};
  result.reorders =
      bytes >= 0 && communicator_.reorders_by_size(collective, result.choice.at(bytes));
  result.by_size = result.by_size || !result.choice.is_fixed() || result.reorders;
  return result;
}

Bucket* Choosing::decided(const Operation& call, std::int64_t bytes) {
  if (const Calls* const found = known(call, bytes)) return found->bucket;
  return asked(call.collective, bytes).by_size ? make(call, bytes).bucket : nullptr;
}

// Sizes from one power of two up to the next are one bucket; where a user names sizes, each range,
// and as much of it as is in one bucket where a model is to say who plays whom.
void Choosing::decide(Calls& made, const Operation& call, std::int64_t bytes) {
  const Settings& settings = Settings::get();
  const Collective& collective = call.collective;
  const Asked asked = this->asked(collective, bytes);
  const bool chooses = !asked.by_size && settings.chooses(collective);
  if (communicator_.size() == 1 && chooses) made.left = all_calls;
  if (communicator_.size() == 1 ||
      !(chooses || (asked.by_size && communicator_.obeys_environment())))
    return;
  made.least = made.most = bytes;
  if (bytes > 1) {
    made.most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
    made.least = made.most / 2 + 1;
  }
  if (asked.by_size) {
    const auto& ranges = asked.choice.ranges();
    auto range = ranges.begin();
    while (range->most < (bytes < 0 ? SizedChoice::most_bytes : bytes)) ++range;
    const std::int64_t least = range == ranges.begin() ? 0 : (range - 1)->most + 1;
    if (bytes >= 0) {
      made.least = asked.reorders ? std::max(made.least, least) : least;
      made.most = asked.reorders ? std::min(made.most, range->most) : range->most;
    }
    made.bucket =
        buckets_.emplace_back(Bucket::forced(communicator_, collective, range->choice, made.most))
            .get();
    return;
  }
  made.wants_bucket = bytes > 0 || collective.synchronizes || collective.vector_of != nullptr;
  if (!made.wants_bucket)
    made.left = all_calls;
  else if (!settings.decides_at_once())
    made.left = first_calls;
}

void Choosing::make_bucket(Calls& calls, const Operation& call) {
  calls.wants_bucket = false;
  auto bucket = communicator_.obeys_environment()
                    ? Bucket::make(communicator_, call, calls.most, calls.rounds)
                    : nullptr;
  if (bucket == nullptr)
    calls.left = all_calls;
  else
    calls.bucket = buckets_.emplace_back(std::move(bucket)).get();
}

void Choosing::tell() {
  for (const auto& each : buckets_) each->tell();
}

}  // namespace toccata
