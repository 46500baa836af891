#include "mpi/choosing.h"

#include <algorithm>
#include <bit>

#include "mpi/bucket.h"
#include "mpi/communicator.h"
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

Choosing::Calls& Choosing::find(const Operation& call, std::int64_t bytes) {
  if (Calls* const found = known(call, bytes)) {
    last_ = found - calls_.data();
    if (found->by == Calls::By::native_so_far && ++found->number > first_calls)
      make_bucket(*found, call);
    return *found;
  }
  last_ = calls_.size();
  calls_.reserve(calls_.size() + 1);
  Calls& made =
      calls_.emplace_back(Calls{.collective = &call.collective, .rounds = keeps_order(call)});
  decide(made, call, bytes);
  return made;
}

// The key toccata_<collective> of a communicator's info, for those MPIs that keep it: Open MPI does
// where the communicator was made by MPI_Comm_dup_with_info. It has to be the same on all ranks.
std::optional<SizedChoice> Choosing::asked_by_info(const Collective& collective) {
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Comm_get_info(communicator_.user(), &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
    return {};
  const std::string key = "toccata_" + std::string(collective.name);
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  PMPI_Info_get(info, key.c_str(), MPI_MAX_INFO_VAL, value, &found);
  PMPI_Info_free(&info);
  if (found == 0) return {};
  try {
    return parse_sized_choice(collective, value);
  } catch (const ChoiceError& error) {
    communicator_.say_once("info key " + key + "=" + value + ": " + error.what() +
                           ". Using native there.");
    return SizedChoice();
  }
}

Bucket* Choosing::decided(const Operation& call, std::int64_t bytes) {
  if (const Calls* const found = known(call, bytes)) return found->bucket;
  const bool by_size = asked_by_info(call.collective).has_value() ||
                       !Settings::get().asked(call.collective).is_fixed();
  return by_size ? find(call, bytes).bucket : nullptr;
}

// Sizes from one power of two up to the next are one bucket; where a user names sizes, each range.
void Choosing::decide(Calls& made, const Operation& call, std::int64_t bytes) {
  using enum Calls::By;
  const Settings& settings = Settings::get();
  const std::optional<SizedChoice> by_info = asked_by_info(call.collective);
  const SizedChoice& asked = by_info ? *by_info : settings.asked(call.collective);
  const bool by_size = by_info || !asked.is_fixed();
  made.by = native_for_good;
  if (communicator_.size() == 1 ||
      (by_size ? !communicator_.obeys_environment() : !settings.chooses(call.collective))) {
    made.by = service;
  } else if (by_size) {
    const auto& ranges = asked.ranges();
    auto range = ranges.begin();
    const std::int64_t size = bytes < 0 ? SizedChoice::most_bytes : bytes;
    while (range->most < size) ++range;
    made.least = bytes < 0 ? -1 : range == ranges.begin() ? 0 : (range - 1)->most + 1;
    made.most = bytes < 0 ? -1 : range->most;
    made.bucket =
        buckets_.emplace_back(Bucket::forced(communicator_, call.collective, *range)).get();
    made.by = bucket;
  } else {
    made.least = made.most = bytes;
    if (bytes > 1) {
      made.most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
      made.least = made.most / 2 + 1;
    }
    if (bytes > 0 || call.collective.synchronizes || call.collective.vector_of != nullptr)
      made.by = native_so_far;
    if (made.by == native_so_far && settings.decides_at_once()) make_bucket(made, call);
  }
}

void Choosing::make_bucket(Calls& calls, const Operation& call) {
  auto bucket = communicator_.obeys_environment()
                    ? Bucket::make(communicator_, call, calls.most, calls.rounds)
                    : nullptr;
  calls.by = bucket == nullptr ? Calls::By::native_for_good : Calls::By::bucket;
  if (bucket != nullptr) calls.bucket = buckets_.emplace_back(std::move(bucket)).get();
}

void Choosing::tell() {
  for (const auto& each : buckets_) each->tell();
}

}  // namespace toccata
