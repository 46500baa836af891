#pragma once

#include <mpi.h>

#include <cstdint>

#include "collectives/collective.h"

namespace toccata {

// The properties of a blocking call without arrays that determine its server; and its buffers.
struct Said {
  const Collective* collective = nullptr;
  MPI_Comm comm = {};
  std::int64_t sent = 0, received = 0;  // elements of a block
  // Compilers compare two small neighbours by one wider load. If each was just stored by itself, a
  // processor cannot forward these stores to that load, and waits. So each has its own 8 bytes.
  alignas(8) MPI_Datatype sent_type = {};
  alignas(8) MPI_Datatype received_type = {};
  alignas(8) MPI_Op operation = {};
  alignas(8) int root = 0;  // of gather and scatter, where the arguments depend on it; else 0
  alignas(8) int named_root = 0;
  alignas(8) bool has_arrays = false;
  alignas(8) bool opens = false;  // a nonblocking call
  const void* in = nullptr;
  void* out = nullptr;

  // Compares all members except the buffers.
  bool is_like(const Said& other) const {
    return comm == other.comm && collective == other.collective && sent == other.sent &&
           received == other.received && sent_type == other.sent_type &&
           received_type == other.received_type && operation == other.operation &&
           named_root == other.named_root && has_arrays == other.has_arrays;
  }
};

// Whether the arguments of a rank depend on the root.
constexpr bool tells_by_root(const Collective& collective) {
  return &collective == &gather || &collective == &scatter;
}

}  // namespace toccata
