#include "mpi/agreement/roll_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "mpi/agreement/hydra_answers.h"
#include "mpi/agreement/pmix_answers.h"
#include "mpi/libraries/library.h"
#include "mpi/settings/settings.h"
#include "text/digest.h"
#include "toccata/toccata.h"

namespace toccata {

namespace {

std::atomic<bool> entered = false;
std::atomic<bool> avoids_sessions = false;  // so this rank answers

// Libraries of the same version for another MPI take no part. Needs no memory.
std::uint64_t answer(bool without_sessions) noexcept {
  return (digest(TOCCATA_VERSION) ^ digest(our_mpi.family)) + (without_sessions ? 1 : 0);
}
std::uint64_t our_answer() noexcept { return answer(avoids_sessions); }

}  // namespace

void RollCall::enter() noexcept {
  entered.store(true);
  HydraAnswers::write(our_answer());
}

void RollCall::enter_session(bool takes_part) noexcept {
  if (entered.exchange(true)) return;
  avoids_sessions = !takes_part;
  HydraAnswers::write(our_answer());
}

bool RollCall::has_entered() noexcept { return entered.load(); }

void RollCall::answer_by_pmix(void* library) noexcept {
  if (entered.load()) PmixAnswers::write(library, our_answer());
}

bool RollCall::is_possible() noexcept {
  return PmixAnswers::are_distributed() || HydraAnswers::are_distributed();
}

bool RollCall::is_possible_in_sessions() noexcept { return !avoids_sessions && is_possible(); }

namespace {

bool has_answered(int rank, bool in_sessions) noexcept {
  const std::uint64_t found =
      PmixAnswers::are_distributed() ? PmixAnswers::of(rank) : HydraAnswers::of(rank);
  return found == answer(false) || (!in_sessions && found == answer(true));
}

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

int end_of(MPI_Request& request, Overdue* overdue) {
  for (;;) {
    int ended = 0;
    const int code = PMPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || ended != 0) return code;
    if (overdue != nullptr) overdue->tick();
    std::this_thread::yield();
  }
}

int send(const Packet& message, int to, MPI_Comm comm, Overdue* overdue) {
  MPI_Request request;
  const int code = PMPI_Isend(message.data(), static_cast<int>(message.size()), MPI_UINT64_T, to,
                              tag, comm, &request);
  return code != MPI_SUCCESS ? code : end_of(request, overdue);
}
int receive(Packet& message, int from, MPI_Comm comm, Overdue* overdue) {
  MPI_Request request;
  const int code = PMPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_UINT64_T, from,
                              tag, comm, &request);
  return code != MPI_SUCCESS ? code : end_of(request, overdue);
}

}  // namespace

// If a rank is absent, its children are roots of trees of their own. They know it, and tell their
// descendants. Its parent tells rank 0, which tells all others. (If several ranks are absent, this
// holds for the one nearest to the root.)
int RollCall::find_largest(MPI_Comm comm, std::span<const std::uint64_t> mine,
                           std::span<std::uint64_t> largest, Overdue* overdue,
                           int& absent) noexcept {
  int rank = 0, p = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &p);
  Packet message{}, theirs{};
  std::ranges::copy(mine, message.begin());
  const auto is_here = [&](int neighbor) {
    if (has_answered(neighbor, comm != MPI_COMM_WORLD)) return true;
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
    if (const int code = receive(theirs, rank + bit, comm, overdue); code != MPI_SUCCESS)
      return code;
    std::ranges::transform(message, theirs, message.begin(), std::ranges::max);
  }
  if (!is_root) {
    int code = send(message, parent_of(rank), comm, overdue);
    if (code == MPI_SUCCESS) code = receive(message, parent_of(rank), comm, overdue);
    if (code != MPI_SUCCESS) return code;
  }
  for (int bit = end / 2; bit > 0; bit /= 2) {
    if ((children & bit) == 0) continue;
    if (const int code = send(message, rank + bit, comm, overdue); code != MPI_SUCCESS) return code;
  }
  std::copy_n(message.begin(), largest.size(), largest.begin());
  absent = static_cast<int>(message.back()) - 1;
  return MPI_SUCCESS;
}

}  // namespace toccata
