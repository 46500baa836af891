#pragma once

#include <mpi.h>

#include <cstdint>

#include "collectives/collective.h"

namespace toccata {

// The properties of a call that determine its server; and its buffers.
struct Signature {
  Signature() = default;
  // Not an aggregate, which GCC would set to 0 as a whole, by a slow instruction.
  Signature(const Collective& its, MPI_Comm handle) : collective(&its), comm(handle) {}

  const Collective* collective = nullptr;
  MPI_Comm comm = {};
  std::int64_t sent = 0, received = 0;  // elements of a block
  // Compilers compare two small neighbours by one wider load. If each was just stored by itself, a
  // processor cannot forward these stores to that load, and waits. So each has its own 8 bytes.
  alignas(8) MPI_Datatype sent_type = {};
  alignas(8) MPI_Datatype received_type = {};
  alignas(8) MPI_Op operation = {};
  alignas(8) int named_root = 0;
  const void* sent_counts = nullptr;
  const void* sent_places = nullptr;
  const void* received_counts = nullptr;
  const void* received_places = nullptr;
  const void* in = nullptr;
  void* out = nullptr;

  // Handles are addresses or small integers. The factors are odd, so that a loop over operations or
  // datatypes gives different numbers.
  std::uintptr_t handles() const {
    return ((std::uintptr_t)comm ^ (std::uintptr_t)collective) + 3 * (std::uintptr_t)operation +
           5 * (std::uintptr_t)received_type;
  }

  void set_root(int root) {
    named_root = root;
    if (collective == &gather || collective == &scatter) kind_ |= static_cast<std::uint32_t>(root);
  }
  void set_nonblocking() { kind_ |= nonblocking; }
  // For a call with arrays, whose numbers have that many bytes.
  void set_width(std::size_t bytes) { kind_ |= std::uint64_t{bytes} << width_at; }
  std::size_t width() const { return kind_ >> width_at; }  // 0: no arrays
  // In one number, what was set above, and the root if the arguments of a rank depend on it.
  std::uint64_t kind() const { return kind_; }

  // Compares all members except the buffers and the arrays.
  bool is_like(const Signature& other) const {
    return comm == other.comm && collective == other.collective && sent == other.sent &&
           received == other.received && sent_type == other.sent_type &&
           received_type == other.received_type && operation == other.operation &&
           named_root == other.named_root && kind_ == other.kind_;
  }

 private:
  static constexpr std::uint64_t nonblocking = std::uint64_t{1} << 32;
  static constexpr int width_at = 40;
  std::uint64_t kind_ = 0;
};

}  // namespace toccata
