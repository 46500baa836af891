#pragma once

#include <mpi.h>

#include <mutex>
#include <vector>

#include "mpi/node_memory.h"

namespace toccata {

// The one private communicator of the process, with the ranks of MPI_COMM_WORLD, on which the
// collectives of all communicators send; and the windows of its tags that are taken. No attribute
// of the program's is copied, and one context id serves any number of communicators.
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

  // What this process shares with the ranks of its node, while the world is open.
  NodeMemory& node() { return node_; }

  int size() const { return size_; }
  // Those ranks of a communicator in MPI_COMM_WORLD; MPI_UNDEFINED for ranks of other worlds.
  std::vector<int> ranks_of(MPI_Comm comm) const;

  // Tags of a window.
  int window_size() const { return window_size_; }
  // The lowest window that nothing uses here, or -1.
  int take_window();
  void give_back(int window);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int size_ = 0;
  int window_size_ = 0;
  int windows_ = 0;
  NodeMemory node_;
  std::mutex mutex_;         // guards taken_
  std::vector<bool> taken_;  // by window
};

// A communicator of the ranks of `comm`, without its attributes, on which errors return.
// Collective; MPI_COMM_NULL, on all ranks, where it cannot be made.
MPI_Comm bare_duplicate(MPI_Comm comm);

}  // namespace toccata
