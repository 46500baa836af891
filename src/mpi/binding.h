#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/datatype.h"
#include "schedule/schedule.h"

namespace toccata {

// Where the blocks of one buffer lie in a call: side by side and alike, or each at its own place
// with its own count, and perhaps its own datatype (the vector forms).
class Layout {
 public:
  void uniform(void* base, const DatatypeTraits& traits, std::int64_t elements_a_block) {
    base_ = static_cast<char*>(base);
    traits_ = traits;
    own_traits_.clear();
    uniform_ = true;
    elements_ = elements_a_block;
  }
  // counts and displacements (in extents) of `blocks` blocks; copied.
  void vector(void* base, const DatatypeTraits& traits, int blocks, const int* counts,
              const int* displacements);
  // Each block with its own datatype as well, displacements in bytes; copied.
  void vector(void* base, std::vector<DatatypeTraits> traits, const int* counts,
              const int* displacements);
  // Side by side, each with its own count.
  void sequence(const DatatypeTraits& traits, std::vector<std::int64_t> counts);
  void set_base(void* base) { base_ = static_cast<char*>(base); }

  bool is_uniform() const { return uniform_; }
  // Of all blocks, where they lie alike.
  const DatatypeTraits& traits() const { return traits_; }
  const DatatypeTraits& traits(std::int64_t block) const {
    return own_traits_.empty() ? traits_ : own_traits_[block];
  }
  std::int64_t elements(std::int64_t block) const { return uniform_ ? elements_ : counts_[block]; }
  std::int64_t bytes(std::int64_t block) const { return elements(block) * traits(block).size; }

  Run block(std::int64_t block) const {
    const std::int64_t offset = uniform_ ? block * elements_ * traits_.extent : offsets_[block];
    return {base_ + offset, elements(block), &traits(block)};
  }

  // Appends the memory of a range's blocks, as few runs as can be.
  void append_runs(const BlockRange& range, std::vector<Run>& runs) const;

 private:
  char* base_ = nullptr;
  DatatypeTraits traits_;
  bool uniform_ = true;
  std::int64_t elements_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> offsets_;  // in bytes
  std::vector<DatatypeTraits> own_traits_;
};

// The datatype of data that is packed, in the order of the type map.
inline DatatypeTraits packed_traits() { return {MPI_PACKED, 1, 1, true}; }

// A schedule's blocks as memory: what a call's arguments make of them.
struct Binding {
  Layout send;
  Layout recv;
  Layout scratch;
  // Under MPI_IN_PLACE, where recv blocks would be overwritten before they are sent: the number of
  // blocks of recv of which send is to be a copy, made when the collective starts.
  int copied_blocks = 0;

  const Layout& operator[](Buffer buffer) const {
    return buffer == Buffer::recv ? recv : buffer == Buffer::send ? send : scratch;
  }

  // Gives the schedule's scratch blocks their sizes, once send and recv are bound, and returns the
  // bytes they take; the memory itself is set by scratch.set_base(). Scratch holds data packed, in
  // the order of the type map, whatever the datatypes of the call are.
  std::int64_t bind_scratch(const Schedule& schedule) {
    return bind_packed(scratch, schedule.scratch());
  }
  // The same for send as a copy of recv.
  std::int64_t bind_copy() { return bind_packed(send, {toccata::recv(0, copied_blocks)}); }

 private:
  // Gives `layout` a packed block for each block of `like`.
  std::int64_t bind_packed(Layout& layout, const BlockRanges& like) const;
};

}  // namespace toccata
