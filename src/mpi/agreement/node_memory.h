#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi/settings/settings.h"
#include "node/board.h"
#include "node/segment.h"

namespace toccata {

// The memory that this process shares with the other ranks of its node, and our own parts of it.
// Part n is for the channel that has our window n of the private world. So the number of parts
// limits the number of communicators and persistent requests that can publish.
class NodeMemory {
 public:
  // Collective over `world`, which has all ranks of MPI_COMM_WORLD. If a node cannot share memory,
  // its ranks use messages.
  void open(MPI_Comm world, Settings::Node permitted);
  bool is_open() const { return !members_.empty(); }

  // The lowest rank of MPI_COMM_WORLD on this node; -1 if that is unknown.
  int lowest_rank() const { return lowest_rank_; }

  // The number of a rank of MPI_COMM_WORLD among the ranks of this node; -1 if it is on another
  // node.
  int place(int world_rank) const;
  node::Part* part(int place, int number) const { return segment_.part(place, number); }

  // The number of parts of each rank. On nodes with more than two ranks, part 0 is large.
  int parts() const { return static_cast<int>(states_.size()); }
  // Reserves the memory of our part `number`; null if there is none.
  node::PartState* reserve(int number);

  // How to read the memory of the ranks with these places directly.
  node::DirectReading direct_reading(std::span<const int> places) const;
  bool reads_directly() const { return peers_ != nullptr; }
  // How the ranks of this node exchange data, in words.
  std::string describe() const;

  // Whether each rank of the node can have a core of its own.
  bool has_spare_cores() const { return spare_cores_; }

 private:
  struct Card;
  bool has_large_part() const { return members_.size() > 2; }
  bool share(std::span<const Card> all);
  static bool can_copy(std::span<const Card> all);
  bool can_map(std::span<const Card> all, node::Xpmem& xpmem) const;
  void keep(std::span<const Card> all, bool copies, std::unique_ptr<node::Xpmem> xpmem);

  std::vector<int> members_;  // the node's ranks of MPI_COMM_WORLD, ascending; empty: not open
  int lowest_rank_ = -1;
  int place_ = 0;
  bool spare_cores_ = true;
  Settings::Node permitted_ = Settings::Node::off;
  std::string why_not_;  // for describe()
  node::Segment segment_;
  std::vector<node::PartState> states_;  // of our parts
  // The memory of the ranks, by place; null if they cannot read it.
  std::unique_ptr<node::ProcessMemory> peers_;
};

}  // namespace toccata
