#include "mpi/agreement/roll_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
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
std::atomic<bool> entered_by_init = false;
std::atomic<bool> avoids_sessions = false;  // so this rank answers

// Libraries of the same version for another MPI take no part. Needs no memory.
std::uint64_t answer(bool without_sessions) noexcept {
  return (digest(TOCCATA_VERSION) ^ digest(our_mpi.family)) + (without_sessions ? 1 : 0);
}
std::uint64_t our_answer() noexcept { return answer(avoids_sessions); }

}  // namespace

void RollCall::enter() noexcept {
  entered.store(true);
  entered_by_init.store(true);
  HydraAnswers::write(our_answer());
}

void RollCall::enter_session(bool takes_part) noexcept {
  if (entered.exchange(true)) return;
  avoids_sessions = !takes_part;
  HydraAnswers::write(our_answer());
}

bool RollCall::has_entered() noexcept { return entered_by_init.load(); }

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

// The messages cannot be taken for the program's, because all are received in MPI_Init.
constexpr int tag = 0x70c, tag_of_knocks = 0x70d;

int end_of(MPI_Request& request, Overdue* overdue) {
  for (;;) {
    int ended = 0;
    const int code = PMPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || ended != 0) return code;
    if (overdue != nullptr) overdue->tick();
    std::this_thread::yield();
  }
}

// The neighbors of a rank are at distances of 1, 2, 4, ... on a circle, on both sides:
//
//   rank 5 of 8:   above 6 7 1   below 4 3 1
//
// Rank 0 is the root of the binomial tree of the ranks. A parent is the neighbor below at the
// distance of the rank's lowest 1 bit:
//
//   0 ---- 1
//   |
//   2 ---- 3
class Neighbors {
 public:
  explicit Neighbors(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &p_);
    while (end_of_children_ < p_ - rank_ && (rank_ & end_of_children_) == 0) end_of_children_ *= 2;
  }

  int parent() const { return rank_ & (rank_ - 1); }
  bool has_parent() const { return has_parent_; }
  // The children are at distances below this power of two, if they are here.
  int end_of_children() const { return end_of_children_; }
  // `bit`: a distance.
  int above(int bit) const { return (rank_ + bit) % p_; }
  int below(int bit) const { return (rank_ + p_ - bit) % p_; }
  bool is_here(int bit) const { return (here_ & bit) != 0; }

  // A network connects two ranks at their first message, which takes some round trips. The roll
  // call and the creation of a communicator would wait for one connection after the other. So each
  // rank first sends an empty message to all neighbors above it. A look-up may take the launcher
  // some milliseconds, so this looks up only these and the parent. `absent` is set to the number +
  // 1 of one that is not here.
  //
  // Messages that cross would make two connections, one of which is closed again. So of two ranks
  // that are above each other (0 and 2 of 4), only the lower one knocks, and a rank sends nothing
  // to its parent before that has knocked.
  int knock(std::uint64_t& absent) noexcept {
    const auto is_here = [&](int rank) {
      if (has_answered(rank, comm_ != MPI_COMM_WORLD)) return true;
      absent = static_cast<std::uint64_t>(rank) + 1;
      return false;
    };
    int code = MPI_SUCCESS;
    for (int bit = 1; bit < p_ && code == MPI_SUCCESS; bit *= 2) {
      if (!knocks(rank_, above(bit)) || !is_here(above(bit))) continue;
      here_ |= bit;
      code =
          PMPI_Isend(&nothing_, 0, MPI_BYTE, above(bit), tag_of_knocks, comm_, &knocks_[count_++]);
    }
    has_parent_ = rank_ != 0 && is_here(parent());
    return code;
  }
  int answer_parent(Overdue* overdue) noexcept {
    return has_parent_ ? answer_knock(parent(), overdue) : MPI_SUCCESS;
  }
  // Receives the messages of the others below. `complete`: whether all ranks are here.
  int answer_others(bool complete, Overdue* overdue) noexcept {
    int code = MPI_SUCCESS;
    for (int bit = 1; bit < p_ && code == MPI_SUCCESS; bit *= 2) {
      const int from = below(bit);
      if (!knocks(from, rank_) || (has_parent_ && from == parent())) continue;
      if (complete || has_answered(from, comm_ != MPI_COMM_WORLD))
        code = answer_knock(from, overdue);
    }
    while (count_ > 0 && code == MPI_SUCCESS) code = end_of(knocks_[--count_], overdue);
    return code;
  }

 private:
  static constexpr int most_bits = 31;

  // `to` is above `from`.
  bool knocks(int from, int to) const {
    const auto back = static_cast<unsigned>((from + p_ - to) % p_);
    return from < to || !std::has_single_bit(back);
  }
  int answer_knock(int from, Overdue* overdue) noexcept {
    MPI_Request request;
    const int code = PMPI_Irecv(&nothing_, 0, MPI_BYTE, from, tag_of_knocks, comm_, &request);
    return code == MPI_SUCCESS ? end_of(request, overdue) : code;
  }

  MPI_Comm comm_;
  int rank_ = 0, p_ = 0;
  int end_of_children_ = 1;
  int here_ = 0;  // a set of distances
  bool has_parent_ = false;
  char nothing_ = 0;
  std::array<MPI_Request, most_bits> knocks_{};
  int count_ = 0;
};

// Numbers, and the absent rank + 1. Has a fixed size, because a rank without memory takes part,
// too.
using Packet = std::array<std::uint64_t, RollCall::most_numbers + 1>;

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

// Along the tree, up and down. If a rank is absent, its children are roots of trees of their own.
// They know it, and tell their descendants. Its parent tells rank 0, which tells all others. (If
// several ranks are absent, this holds for the one nearest to the root.)
int RollCall::find_largest(MPI_Comm comm, std::span<const std::uint64_t> mine,
                           std::span<std::uint64_t> largest, Overdue* overdue,
                           int& absent) noexcept {
  Packet message{}, theirs{};
  std::ranges::copy(mine, message.begin());
  Neighbors neighbors(comm);
  const int end = neighbors.end_of_children(), parent = neighbors.parent();
  int code = neighbors.knock(message.back());
  if (code == MPI_SUCCESS) code = neighbors.answer_parent(overdue);
  for (int bit = 1; bit < end && code == MPI_SUCCESS; bit *= 2) {
    if (!neighbors.is_here(bit)) continue;
    code = receive(theirs, neighbors.above(bit), comm, overdue);
    std::ranges::transform(message, theirs, message.begin(), std::ranges::max);
  }
  if (neighbors.has_parent() && code == MPI_SUCCESS) code = send(message, parent, comm, overdue);
  if (neighbors.has_parent() && code == MPI_SUCCESS) code = receive(message, parent, comm, overdue);
  for (int bit = end / 2; bit > 0 && code == MPI_SUCCESS; bit /= 2)
    if (neighbors.is_here(bit)) code = send(message, neighbors.above(bit), comm, overdue);
  std::copy_n(message.begin(), largest.size(), largest.begin());
  absent = static_cast<int>(message.back()) - 1;
  return code == MPI_SUCCESS ? neighbors.answer_others(absent < 0, overdue) : code;
}

}  // namespace toccata
