#include "mpi/agreement/roll_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <thread>

#include "mpi/settings/settings.h"
#include "toccata/toccata.h"

namespace toccata {

namespace {

constexpr const char* our_key = "toccata";

// PMIx in this process, from before MPI_Init to its end.
struct Launcher {
  std::atomic<void*> library{nullptr};  // null: nothing was written
  std::atomic<bool> collected{false};
};
Launcher launcher;

template <typename Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

std::uint64_t our_answer() { return digest(TOCCATA_VERSION); }

}  // namespace

void RollCall::answer(void* library) noexcept {
  if (library == nullptr || launcher.library.load() != nullptr) return;
  auto* const put = find<pmix::Put>(library, "PMIx_Put");
  pmix::Value value;
  value.type = pmix::unsigned_64;
  value.word = our_answer();
  if (put != nullptr && put(pmix::global, our_key, &value) == pmix::success)
    launcher.library.store(library);
}

void RollCall::collect(const pmix::Option* options, std::size_t count) noexcept {
  const bool collects = std::any_of(options, options + count, [](const pmix::Option& each) {
    return std::strcmp(each.key, pmix::collect_data) == 0 &&
           (each.value.type != pmix::boolean || each.value.flag);
  });
  if (collects && launcher.library.load() != nullptr) launcher.collected.store(true);
}

bool RollCall::is_possible() noexcept {
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

// A value that the launcher already gave to this process; null if there is none of this type.
FoundValue look_up(std::uint32_t rank, const char* key, std::uint16_t type) {
  auto* const get = find<pmix::Get>(launcher.library.load(), "PMIx_Get");
  const char* const job = std::getenv("PMIX_NAMESPACE");
  pmix::Process process;
  process.rank = rank;
  if (get == nullptr || job == nullptr || std::strlen(job) >= sizeof process.job) return nullptr;
  std::strcpy(process.job, job);
  pmix::Option here;  // no request to the launcher
  std::strcpy(here.key, pmix::optional);
  here.value.type = pmix::boolean;
  here.value.flag = true;
  pmix::Value* value = nullptr;
  if (get(&process, key, &here, 1, &value) != pmix::success || value == nullptr) return nullptr;
  FoundValue found(value);
  return found->type == type ? std::move(found) : nullptr;
}

}  // namespace

bool RollCall::has_answered(int rank) noexcept {
  const FoundValue value = look_up(static_cast<std::uint32_t>(rank), our_key, pmix::unsigned_64);
  return value != nullptr && value->word == our_answer();
}

std::vector<int> RollCall::ranks_on_node() {
  const FoundValue value = look_up(pmix::any_rank, pmix::local_peers, pmix::string);
  std::vector<int> ranks;
  const char* next = value != nullptr && value->text != nullptr ? value->text : "";
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

namespace {

// The binomial tree of the ranks:
//
//     0 ---- 1
//     |
//     2 ---- 3
//
// The parent of a rank lacks the rank's lowest 1 bit. Each rank looks up its parent and its
// children only: at most 1 + log2(p) ranks.
int parent_of(int rank) { return rank & (rank - 1); }

// The distance from a rank to the first child that it does not have.
int end_of_children(int rank, int p) {
  int bit = 1;
  while (rank + bit < p && (rank & bit) == 0) bit *= 2;
  return bit;
}

// Numbers, and the absent rank + 1. Has a fixed size, because a rank without memory takes part,
// too.
using Packet = std::array<std::uint64_t, RollCall::most_numbers + 1>;

// The messages cannot be taken for the program's. All are received in MPI_Init, and MPI keeps the
// order of the messages between two ranks.
constexpr int tag = 0x70c;

int end_of(MPI_Request& request, Patience* patience) {
  for (;;) {
    int ended = 0;
    const int code = PMPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || ended != 0) return code;
    if (patience != nullptr) patience->tick();
    std::this_thread::yield();
  }
}

int send(const Packet& message, int to, Patience* patience) {
  MPI_Request request;
  const int code = PMPI_Isend(message.data(), static_cast<int>(message.size()), MPI_UINT64_T, to,
                              tag, MPI_COMM_WORLD, &request);
  return code != MPI_SUCCESS ? code : end_of(request, patience);
}
int receive(Packet& message, int from, Patience* patience) {
  MPI_Request request;
  const int code = PMPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_UINT64_T, from,
                              tag, MPI_COMM_WORLD, &request);
  return code != MPI_SUCCESS ? code : end_of(request, patience);
}

}  // namespace

// If a rank is absent, its children are roots of trees of their own. They know it, and tell their
// descendants. Its parent tells rank 0, which tells all others. (If several ranks are absent, this
// holds for the one nearest to the root.)
int RollCall::find_largest(std::span<const std::uint64_t> mine, std::span<std::uint64_t> largest,
                           Patience* patience, int& absent) noexcept {
  int rank = 0, p = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &p);
  Packet message{}, theirs{};
  std::ranges::copy(mine, message.begin());
  const auto is_here = [&](int neighbor) {
    if (has_answered(neighbor)) return true;
    message.back() = static_cast<std::uint64_t>(neighbor) + 1;
    return false;
  };
  const int end = end_of_children(rank, p);
  int children = 0;  // a set: distance d, a power of two, is in it if rank + d is here
  for (int bit = 1; bit < end; bit *= 2)
    if (is_here(rank + bit)) children |= bit;
  const bool is_root = rank == 0 || !is_here(parent_of(rank));

  for (int bit = 1; bit < end; bit *= 2) {
    if ((children & bit) == 0) continue;
    if (const int code = receive(theirs, rank + bit, patience); code != MPI_SUCCESS) return code;
    std::ranges::transform(message, theirs, message.begin(), std::ranges::max);
  }
  if (!is_root) {
    int code = send(message, parent_of(rank), patience);
    if (code == MPI_SUCCESS) code = receive(message, parent_of(rank), patience);
    if (code != MPI_SUCCESS) return code;
  }
  for (int bit = end / 2; bit > 0; bit /= 2) {
    if ((children & bit) == 0) continue;
    if (const int code = send(message, rank + bit, patience); code != MPI_SUCCESS) return code;
  }
  std::copy_n(message.begin(), largest.size(), largest.begin());
  absent = static_cast<int>(message.back()) - 1;
  return MPI_SUCCESS;
}

}  // namespace toccata
