#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>
#include <vector>

#include "mpi/agreement/node_memory.h"
#include "mpi/execution/mailbox.h"

namespace toccata {

// The private communicator of the process, with the ranks of MPI_COMM_WORLD, and the used windows
// of its tags. The collectives of all communicators send there. So no attribute of the program's
// communicators is copied, and one context ID serves any number of them.
class PrivateWorld {
 public:
  PrivateWorld();
  ~PrivateWorld();
  PrivateWorld(const PrivateWorld&) = delete;
  PrivateWorld& operator=(const PrivateWorld&) = delete;

  // Collective over `comm`, which has all ranks of MPI_COMM_WORLD. Returns an MPI error code.
  int open(MPI_Comm comm);
  bool is_open() const { return comm_ != MPI_COMM_NULL; }
  MPI_Comm comm() const { return comm_; }

  // The memory that this process shares with the ranks of its node, while the world is open.
  NodeMemory& node() { return node_; }

  int size() const { return size_; }

  // Persistent calls may use half of the parts of the node's memory at a time, rounded up, because
  // communicators need the others. The first function returns whether one was left, and is taken
  // now.
  bool take_part_of_requests();
  void give_back_part_of_requests();

  // The number of tags in a window.
  int window_size() const { return window_size_; }
  // The lowest unused window, or -1. If no tags are left for it, it is only a number, with which
  // messages pass through the mailbox.
  int take_window();
  bool has_tags(int window) const { return window >= 0 && window < windows_; }
  void give_back(int window);
  // For nonblocking calls on communicators without tags, while the world is open; made at the first
  // call, which waits for no other rank.
  Mailbox& mailbox();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int size_ = 0;
  int window_size_ = 0;
  int windows_ = 0;
  NodeMemory node_;
  std::mutex mutex_;  // guards the members below
  int parts_of_requests_ = 0;
  std::vector<bool> taken_;  // by window
  std::unique_ptr<Mailbox> mailbox_;
};

// A communicator of the ranks of `comm`, without its attributes, on which errors return.
// Collective. If it cannot be created, MPI_COMM_NULL on all ranks.
MPI_Comm bare_duplicate(MPI_Comm comm);

}  // namespace toccata
