#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deciding/ranks.h"
#include "mpi/agreement/channel.h"
#include "mpi/agreement/comms.h"
#include "mpi/agreement/exchange.h"
#include "mpi/process/process.h"
#include "mpi/settings/family.h"
#include "mpi/settings/settings.h"

namespace toccata {

// The ranks of a communicator of the program: their channel, and their locations.
class Members : public Ranks, public std::enable_shared_from_this<Members> {
 public:
  Members(Process& process, MPI_Comm user);
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  Process& process() const { return *process_; }
  MPI_Comm user() const { return user_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  Facts facts() final;
  const Rules& rules() const final { return Settings::get(); }
  Results& results() final { return process_->results(); }
  bool is_inter() const { return is_inter_; }

  // The channel to the other ranks. Opening it waits for them; nonblocking collectives advance
  // meanwhile. The function returns an MPI error code. A settled channel that is not ready is
  // refused: native must serve.
  Channel& channel() { return channels_.empty() ? add_channel() : *channels_.back(); }
  int open_channel() {
    has_met_ = true;
    const bool is_open = channel().is_settled() && channel().mailbox() == nullptr;
    return is_open ? MPI_SUCCESS : open_channel_now();
  }
  // For a nonblocking call that can_start_channel() permits: starts to open the channel, without
  // waiting.
  int start_channel() { return channel().start(true, true); }
  // Whether a nonblocking call can start to open the channel; the same on all ranks at the same
  // call. If the channel needed its own communicator, the call would have to wait for all ranks. So
  // this is possible only in a world that MPI_Init opened: otherwise, a call on another
  // communicator may open the world at any time.
  bool can_start_channel() {
    return has_met_ ||
           (process_->began_with_world() && channel().is_within_world() && !makes_duplicates_);
  }
  // Whether a call has waited for the channel; this changes at the same call on all ranks. Before
  // that, ranks may find the channel settled at different calls.
  bool has_met() const { return has_met_; }
  int test_channel(Channel& channel);
  // Opens one more, after the tags of the last one are used up.
  int open_next_channel();
  // Opens one with shared memory for a single persistent call, whose starts have their own order.
  // Waits for the other ranks. Null if some rank has no memory left for it.
  std::shared_ptr<Channel> open_separate_channel();

  // Call this before MPI_Comm_idup, on all ranks in the same order as their collectives.
  void expect_duplicates() { makes_duplicates_ = true; }
  Exchange exchange() { return {user_, *process_, makes_duplicates_}; }

  // Whether the environment's requests apply here, because all ranks have the same. Ranks of other
  // worlds may lack the library or have other settings; there is no way to find out.
  bool obey_rules() { return facts().obey_rules; }
  bool agree(std::span<const double> mine, std::span<double> least) final;
  bool agree(bool mine);  // whether it holds on all ranks
  std::optional<SizedChoice> asked_by_info(const Collective& collective) final;

  // The reordering of ranks for choices that do not specify it.
  ReorderWish wish_for(const Collective& collective) final;
  // The reordering for collectives whose first call comes later. The same on all ranks.
  ReorderWish& reorder_wish() {
    if (!reorder_wish_) reorder_wish_ = wish_of_environment();
    return *reorder_wish_;
  }

  // This rank's neighbours in the communicator's topology; null without one.
  const std::shared_ptr<const Neighborhood>& neighbors();
  Edges edges() final;
  Edges known_edges() final;

  // The locations of the ranks. If those of MPI_COMM_WORLD are known, no communication is needed.
  // Otherwise collective.
  std::shared_ptr<const Placement> placement();
  // Whether this rank has all locations that an algorithm needs, without communication; the same on
  // all ranks.
  bool knows_places(const Algorithm& algorithm);
  int nodes() final;
  int known_nodes() const final { return nodes_; }
  std::uint64_t known_shape() final;
  int library_version() const final;
  NetworkFacts network_facts(bool for_sums) final;
  bool share_memory() final;
  bool may_share_memory() final { return facts().on_one_node && (!has_met_ || share_memory()); }
  bool share_memory_inside_nodes() final;
  Shape shape(const Collective& collective, int root) final;
  Shape shape(const Algorithm& algorithm, int root, bool reorders) final;

  // Prints a line once: on rank 0 of MPI_COMM_WORLD if this communicator contains it, otherwise on
  // our rank 0.
  void say_once(const std::string& line) final;
  // Passes `code` to the user's error handler, and returns it.
  int raise(int code) const {
    if (code != MPI_SUCCESS && user_ != MPI_COMM_NULL) call_errhandler(user_, code);
    return code;
  }

 protected:
  ~Members() = default;
  // A number for choices that depend on the locations of ranks: communicators whose ranks run in
  // different places have different numbers. 0 for other choices. Collective.
  std::uint64_t where(const Choice& choice);

  Process* process_;  // null once MPI is about to end
  MPI_Comm user_;     // null after it was freed
  std::vector<std::unique_ptr<Channel>> channels_;

 private:
  // The neighbours that an algorithm needs: those of all ranks (then collective), or our own.
  struct KnownNeighbors {
    std::shared_ptr<const Neighborhood> neighborhood;
    std::uint64_t digest = 0;
  };

  static std::unique_ptr<const KnownNeighbors> known_neighbors(
      std::shared_ptr<const Neighborhood> neighborhood);
  const KnownNeighbors& all_neighbors();
  const KnownNeighbors& neighbors_for(const Algorithm& algorithm);
  std::shared_ptr<const Placement> find_placement();
  Shape shape_on(std::shared_ptr<const Placement> placement, int root) const;
  std::uint64_t place();
  ReorderWish wish_of_environment();
  Channel& add_channel();
  int open_channel_now();
  int open(Channel& channel, bool never_waits);

  int rank_ = 0;
  int size_ = 0;
  std::shared_ptr<const Placement> placement_;  // if it was discovered on this communicator
  int nodes_ = 0;                               // see known_nodes
  bool is_inter_ : 1 = false, has_met_ : 1 = false, makes_duplicates_ : 1 = false;
  bool knows_facts_ : 1 = false, obeys_rules_ : 1 = false, on_one_node_ : 1 = false;
  Edges edges_ : 2 = Edges::unknown;

 protected:  // here, they need no additional memory
  bool tried_clocks_ : 1 = false, has_common_clock_ : 1 = false;  // see set_clocks

 private:
  struct KnownNetwork {
    bool agreed : 1 = false, own : 1 = false, sends_only_messages : 1 = false, ethernet : 1 = false;
  };
  KnownNetwork network_[2] = {};  // for sums and others: see network_facts
  std::uint64_t where_ = 0, known_shape_ = 0;
  std::unique_ptr<const KnownNeighbors> own_neighbors_, all_neighbors_;
  std::optional<ReorderWish> reorder_wish_;  // from the communicator's info
};

}  // namespace toccata
