#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/data/datatype.h"
#include "mpi/data/device_runtime.h"
#include "mpi/data/integers.h"
#include "schedule/schedule.h"

namespace toccata {

// The locations of one buffer's blocks in a call. The blocks are contiguous and equal; or, in the
// vector forms, each has its own place and count, and perhaps its own datatype. Both kinds may then
// be cut into parts, which replace the blocks.
class Layout {
 public:
  void uniform(void* base, const DatatypeTraits& traits, std::int64_t elements_a_block) {
    base_ = static_cast<char*>(base);
    traits_ = traits;
    own_traits_.clear();
    counts_.clear();
    uniform_ = true;
    parts_ = 1;
    elements_ = elements_a_block;
  }
  // Counts and displacements (in extents) of `blocks` blocks; copied.
  void vector(void* base, const DatatypeTraits& traits, int blocks, Integers counts,
              Integers displacements);
  // Each block with its own datatype as well, displacements in bytes; copied.
  void vector(void* base, std::vector<DatatypeTraits> traits, Integers counts,
              Integers displacements);
  // Contiguous blocks, each with its own count.
  void sequence(const DatatypeTraits& traits, std::vector<std::int64_t> counts);
  void set_base(void* base) { base_ = static_cast<char*>(base); }

  // Cuts each block of c elements into `parts`: part k has the elements from floor(k·c / parts) to
  // floor((k + 1)·c / parts).
  void cut(int parts);
  // Counts bytes instead of elements. The elements must be plain.
  void count_bytes();

  bool is_uniform() const { return uniform_; }
  // The datatype of all blocks, if they are equal.
  const DatatypeTraits& traits() const { return traits_; }
  const DatatypeTraits& traits(std::int64_t block) const {
    return own_traits_.empty() ? traits_ : own_traits_[block / parts_];
  }
  std::int64_t elements(std::int64_t block) const {
    return uniform_ ? elements_ : part(block).end - part(block).begin;
  }
  std::int64_t bytes(std::int64_t block) const { return elements(block) * traits(block).size; }

  Run block(std::int64_t block) const {
    if (uniform_) return {base_ + block * elements_ * traits_.extent, elements_, &traits_};
    const Part its = part(block);
    const DatatypeTraits& own = traits(block);
    return {base_ + its.offset + its.begin * own.extent, its.end - its.begin, &own};
  }

  // Appends the memory of a range's blocks, in as few runs as possible.
  void append_runs(const BlockRange& range, std::vector<Run>& runs) const;

  // Whether memcpy can move each of the first `blocks` blocks.
  bool is_plain(int blocks) const;

  // Becomes a contiguous copy of the first `blocks` blocks of `other`, either packed, or `typed`
  // like them. Returns the required room; set_base() provides the memory.
  Room copy_of(const Layout& other, int blocks, bool typed);

 private:
  // The elements of a cut block, from `offset` on, that belong to a part.
  struct Part {
    std::int64_t offset, begin, end;
  };
  Part part(std::int64_t block) const {
    const std::int64_t whole = block / parts_, k = block % parts_;
    const bool alike = counts_.empty();
    const std::int64_t count = alike ? elements_ : counts_[whole];
    return {alike ? whole * elements_ * traits_.extent : offsets_[whole], k * count / parts_,
            (k + 1) * count / parts_};
  }

  char* base_ = nullptr;
  DatatypeTraits traits_;
  bool uniform_ = true;
  int parts_ = 1;              // of blocks that are not uniform
  std::int64_t elements_ = 0;  // where counts_ are empty
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> offsets_;  // in bytes
  std::vector<DatatypeTraits> own_traits_;
};

// The datatype of data that is packed, in the order of the type map.
inline DatatypeTraits packed_traits() { return {MPI_PACKED, 1, 1, true}; }

// The buffers of a call, as a plan sees them.
struct Units {
  int send = 0, recv = 0;  // of this rank, before blocks are cut
  int parts = 1;           // per block
  bool reduces = false;    // blocks are operands, and keep the call's datatype
};

// The memory of a schedule's blocks, according to a call's arguments.
//
// An operation binds send and recv in whole units and sets flags for special cases; fit() derives
// the blocks that the schedule uses.
struct Binding {
  Layout send;
  Layout recv;
  Layout scratch;
  MPI_Op operation = MPI_OP_NULL;  // of a collective that reduces

  // Set by an operation if send is in the memory of recv (MPI_IN_PLACE), where blocks would be
  // overwritten before they are sent. Send is then a copy, made when the collective starts.
  bool copies_send = false;
  // The caller's role of recv: the result, the input (a broadcast's root), or not used by this
  // rank.
  enum class Role : std::uint8_t { result, input, ignored } recv_role = Role::result;

  // A buffer of `blocks` blocks that replaces the caller's memory; 0 if the schedule uses the
  // caller's memory. `own` is packed, or typed if blocks are operands.
  struct StandIn {
    Layout callers;
    Layout own;
    Room room;
    int blocks = 0;
  };
  StandIn send_copy, recv_copy;

  // The runtime of the device memory that contains send, recv or both, if messages use it directly;
  // all data is plain then, and this runtime makes the copies. Null if all memory is the host's.
  const DeviceRuntime* devices = nullptr;

  const Layout& operator[](Buffer buffer) const {
    return buffer == Buffer::recv ? recv : buffer == Buffer::send ? send : scratch;
  }

  void reset() {
    copies_send = false;
    recv_role = Role::result;
    send_copy.blocks = recv_copy.blocks = 0;
    devices = nullptr;
  }
  // Fits the buffers that the operation bound to a schedule with these units.
  void fit(const Units& units) {
    if (units.parts > 1 || copies_send) make_stand_ins(units);
  }
  bool has_stand_ins() const { return send_copy.blocks > 0 || recv_copy.blocks > 0; }

  // Call this after fit(). Gives the schedule's scratch blocks their sizes, and returns the
  // required room; scratch.set_base() provides the memory. Scratch holds packed data, in the order
  // of the type map, for any datatypes of the call. Operands are laid out as in the call instead.
  Room bind_scratch(const Schedule& schedule, bool reduces);

 private:
  void make_stand_ins(const Units& units);
};

}  // namespace toccata
