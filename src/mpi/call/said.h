#pragma once

#include <mpi.h>

#include <cstdint>

#include "collectives/collective.h"
#include "mpi/call/functions.h"

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

// The Said of a call of MPI_<name>.
namespace said {

constexpr bool tells_by_root(const Collective& collective) {
  return &collective == &gather || &collective == &scatter;
}

// Stores an argument in its member of the Said `said`.
#define TOCCATA_SAY(kind, name) TOCCATA_SAY_##kind(name);
#define TOCCATA_SAY_NOTHING(name) static_cast<void>(name)
#define TOCCATA_SAY_ARRAY(name) static_cast<void>(name), said.has_arrays = true
#define TOCCATA_SAY_BUFFER_IN(name) said.in = name
#define TOCCATA_SAY_BUFFER_OUT(name) said.out = name
#define TOCCATA_SAY_COUNT_IN(name) said.sent = name
#define TOCCATA_SAY_COUNT_OUT(name) said.received = name
#define TOCCATA_SAY_COUNTS_IN(name) TOCCATA_SAY_ARRAY(name)
#define TOCCATA_SAY_COUNTS_OUT(name) TOCCATA_SAY_ARRAY(name)
#define TOCCATA_SAY_PLACES_IN(name) TOCCATA_SAY_NOTHING(name)
#define TOCCATA_SAY_PLACES_OUT(name) TOCCATA_SAY_NOTHING(name)
#define TOCCATA_SAY_OFFSETS_IN(name) TOCCATA_SAY_NOTHING(name)
#define TOCCATA_SAY_OFFSETS_OUT(name) TOCCATA_SAY_NOTHING(name)
#define TOCCATA_SAY_TYPE_IN(name) said.sent_type = name
#define TOCCATA_SAY_TYPE_OUT(name) said.received_type = name
#define TOCCATA_SAY_TYPES_IN(name) TOCCATA_SAY_ARRAY(name)
#define TOCCATA_SAY_TYPES_OUT(name) TOCCATA_SAY_ARRAY(name)
#define TOCCATA_SAY_OPERATION(name) said.operation = name
#define TOCCATA_SAY_ROOT(name) said.root = said.named_root = name

#define TOCCATA_SAID(Name, name, collective_)                                                      \
  inline Said name(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm) {                    \
    Said said{.collective = &toccata::collective_, .comm = comm};                                  \
    TOCCATA_ARGUMENTS_##name(TOCCATA_SAY) if (!tells_by_root(toccata::collective_)) said.root = 0; \
    return said;                                                                                   \
  }                                                                                                \
  inline Said name##_c(TOCCATA_ARGUMENTS_##name(TOCCATA_LARGE_PARAMETER) MPI_Comm comm) {          \
    Said said{.collective = &toccata::collective_, .comm = comm};                                  \
    TOCCATA_ARGUMENTS_##name(TOCCATA_SAY) if (!tells_by_root(toccata::collective_)) said.root = 0; \
    return said;                                                                                   \
  }
TOCCATA_FUNCTIONS(TOCCATA_SAID)
#undef TOCCATA_SAID

}  // namespace said

}  // namespace toccata
