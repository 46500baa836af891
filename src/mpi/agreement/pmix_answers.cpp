#include "mpi/agreement/pmix_answers.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "mpi/settings/first_stage.h"

namespace toccata {

namespace {

constexpr const char* our_key = "toccata";

// PMIx in this process, from before MPI_Init to its end.
struct Launcher {
  std::atomic<void*> library{nullptr};  // null: no answer was written
  std::atomic<bool> collected{false};
  std::array<char, 64> witness{};  // a key that the MPI library writes on every rank, or ""
};
Launcher launcher;

template <typename Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(find_in(launcher.library.load(), name));
}

}  // namespace

void PmixAnswers::see_put(std::uint8_t scope, const char* key) noexcept {
  if (scope != pmix::global || launcher.witness.front() != '\0') return;
  if (const std::size_t length = std::strlen(key); length < launcher.witness.size())
    std::copy_n(key, length, launcher.witness.begin());
}

void PmixAnswers::write(void* library, std::uint64_t answer) noexcept {
  if (library == nullptr || launcher.library.load() != nullptr) return;
  auto* const put = reinterpret_cast<pmix::Put*>(find_in(library, "PMIx_Put"));
  pmix::Value value;
  value.type = pmix::unsigned_64;
  value.word = answer;
  if (put != nullptr && put(pmix::global, our_key, &value) == pmix::success)
    launcher.library.store(library);
}

void PmixAnswers::see_fence(const pmix::Option* options, std::size_t count) noexcept {
  const bool collects = std::any_of(options, options + count, [](const pmix::Option& each) {
    return std::strcmp(each.key, pmix::collect_data) == 0 &&
           (each.value.type != pmix::boolean || each.value.flag);
  });
  if (collects && launcher.library.load() != nullptr) launcher.collected.store(true);
}

bool PmixAnswers::are_distributed() noexcept {
  return launcher.collected.load() && std::getenv("PMIX_NAMESPACE") != nullptr;
}

namespace {

struct Freeing {
  void operator()(pmix::Value* value) const {
    if (value->type == pmix::string) std::free(value->text);
    std::free(value);
  }
};
using FoundValue = std::unique_ptr<pmix::Value, Freeing>;

// No request to the launcher: only values that it already gave to this process.
pmix::Option here() {
  pmix::Option option;
  std::strcpy(option.key, pmix::optional);
  option.value.type = pmix::boolean;
  option.value.flag = true;
  return option;
}
pmix::Option within(int seconds) {
  pmix::Option option;
  std::strcpy(option.key, pmix::timeout);
  option.value.type = pmix::integer;
  option.value.number = seconds;
  return option;
}

// Null if the value does not exist.
FoundValue look_up(std::uint32_t rank, const char* key, const pmix::Option& how) {
  auto* const pmix_get = find<pmix::Get>("PMIx_Get");
  const char* const job = std::getenv("PMIX_NAMESPACE");
  pmix::Process process;
  process.rank = rank;
  if (pmix_get == nullptr || job == nullptr || std::strlen(job) >= sizeof process.job)
    return nullptr;
  std::strcpy(process.job, job);
  pmix::Value* value = nullptr;
  if (pmix_get(&process, key, &how, 1, &value) != pmix::success) return nullptr;
  return FoundValue(value);
}

std::uint64_t answer_in(const FoundValue& value) {
  return value != nullptr && value->type == pmix::unsigned_64 ? value->word : 0;
}

}  // namespace

// All values of this node's ranks are here. Those of other nodes are here under Open MPI 4.1, but
// not with OpenPMIx 5: there, the launcher must be asked, and brings all values of the rank. If the
// rank has not written the requested value, the launcher waits for it. So we ask for a value that
// the MPI library writes on every rank; then ours is here as well, or does not exist. One request
// at a time: of three, one took 40 ms longer (Open MPI 5.0.11).
std::uint64_t PmixAnswers::of(int rank) noexcept {
  const auto number = static_cast<std::uint32_t>(rank);
  const auto answer = [&] { return answer_in(look_up(number, our_key, here())); };
  if (const std::uint64_t found = answer(); found != 0) return found;
  const bool has_witness = launcher.witness.front() != '\0';
  look_up(number, has_witness ? launcher.witness.data() : our_key, within(has_witness ? 10 : 1));
  return answer();
}

std::vector<int> PmixAnswers::ranks_on_node() {
  const FoundValue value = look_up(pmix::any_rank, pmix::local_peers, here());
  const bool is_list = value != nullptr && value->type == pmix::string && value->text != nullptr;
  std::vector<int> ranks;
  const char* next = is_list ? value->text : "";
  while (*next != '\0') {
    const char* const end = next + std::strlen(next);
    int rank = -1;
    const auto [after, error] = std::from_chars(next, end, rank);
    if (error != std::errc() || (after != end && *after != ',')) return {};
    ranks.push_back(rank);
    next = after == end ? end : after + 1;
  }
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace toccata
