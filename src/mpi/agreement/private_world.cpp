#include "mpi/agreement/private_world.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "mpi/agreement/agreement.h"
#include "mpi/data/roomy_stack.h"
#include "mpi/execution/transport.h"
#include "mpi/settings/settings.h"
#include "mpi/world/group.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

// While we create a communicator from one of the program, errors must not reach the program's error
// handler.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &before_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturn() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_;
};

MPI_Comm made_of(MPI_Comm comm, MPI_Group group) {
  const ErrorsReturn errors_return(comm);
  MPI_Comm made = MPI_COMM_NULL;
  const std::array<std::uint64_t, 1> fails{PMPI_Comm_create(comm, group, &made) != MPI_SUCCESS};
  std::array<std::uint64_t, 1> some_fails{1};
  // Not by a blocking allreduce: the first one under Open MPI 5 creates communicators for nodes.
  MPI_Request request;
  if (start_agreement(fails, some_fails, comm, request) == MPI_SUCCESS) Transport::wait(request);
  if (made != MPI_COMM_NULL && some_fails[0] != 0) PMPI_Comm_free(&made);
  if (made != MPI_COMM_NULL) PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

}  // namespace

MPI_Comm bare_duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  on_roomy_stack([&] { made = made_of(comm, Group(comm)); });
  return made;
}

namespace {

// A window has a number of 16 bits. Half of the numbers are left for windows without tags.
constexpr int numbers = (1 << 16) - 1, most_with_tags = 1 << 15;

}  // namespace

// An MPI with few tags has fewer windows, but not smaller ones, which could hold only a few
// collectives at a time. The tags after the windows are those of the mailbox.
PrivateWorld::PrivateWorld() {
  static constexpr int most_windows = 1 << 14, least_size = 512, most_size = 1 << 14;
  int* upper_bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(World::comm(), MPI_TAG_UB, &upper_bound, &found);
  const int tags = found != 0 ? *upper_bound : 32767;
  window_size_ = std::clamp(tags / most_windows, least_size, most_size);
  windows_ = std::min((tags - Mailbox::tags) / window_size_, most_with_tags);
  PMPI_Comm_size(World::comm(), &size_);
}

PrivateWorld::~PrivateWorld() {
  mailbox_.reset();
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

int PrivateWorld::open(MPI_Comm comm) {
  on_roomy_stack([&] {
    comm_ = made_of(comm, Group(World::comm()));
#ifndef TOCCATA_SIMULATED  // there, all ranks share one process and one thread
    if (comm_ != MPI_COMM_NULL) node_.open(comm_, Settings::get().node());
#endif
  });
  return comm_ == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_SUCCESS;
}

bool PrivateWorld::take_part_of_requests() {
  const std::lock_guard lock(mutex_);
  const bool may = parts_of_requests_ < (node_.parts() + 1) / 2;
  parts_of_requests_ += may ? 1 : 0;
  return may;
}

void PrivateWorld::give_back_part_of_requests() {
  const std::lock_guard lock(mutex_);
  --parts_of_requests_;
}

int PrivateWorld::take_window() {
  const std::lock_guard lock(mutex_);
  const auto free = std::ranges::find(taken_, false);
  const auto window = static_cast<int>(free - taken_.begin());
  if (window == numbers) return -1;
  if (free == taken_.end())
    taken_.push_back(true);
  else
    *free = true;
  return window;
}

void PrivateWorld::give_back(int window) {
  const std::lock_guard lock(mutex_);
  taken_[window] = false;
}

Mailbox& PrivateWorld::mailbox() {
  const std::lock_guard lock(mutex_);
  if (mailbox_ == nullptr) mailbox_ = std::make_unique<Mailbox>(comm_, windows_ * window_size_);
  return *mailbox_;
}

}  // namespace toccata
