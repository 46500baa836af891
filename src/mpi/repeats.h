#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "mpi/communicator.h"
#include "mpi/functions.h"

namespace toccata {

// A blocking call without its buffers: all that says who serves it, but for arrays.
struct Said {
  const Collective* collective = nullptr;
  MPI_Comm comm = {};
  std::int64_t sent = 0, received = 0;  // elements of a block
  MPI_Datatype sent_type = {}, received_type = {};
  MPI_Op operation = {};
  int root = 0;
  bool has_arrays = false;

  bool operator==(const Said&) const = default;
};

// A thread's last calls that the MPI library serves. Programs repeat their calls, and a short one
// takes MPI 300 ns: it goes on at once where one with the same arguments did.
class Repeats {
 public:
  // Whether this is one more of them.
  static bool is_one_more([[maybe_unused]] const Said& said) {
#ifdef TOCCATA_SIMULATED
    return false;  // ranks share their handles, and the thread
#else
    if (mine_ == nullptr) return false;
    const Repeat& last = mine_->of(said);
    if (last.said != said || last.era != Communicator::era() || *last.left == 0) return false;
    --*last.left;
    return true;
#endif
  }

  // What a handle of the program's own stands for may change; only predefined datatypes stay.
  static void remember(const Said& said, Decisions::SizeClass& calls,
                       const DatatypeTable& datatypes) {
    const auto stays = [&](MPI_Datatype type) {
      return type == MPI_Datatype{} || datatypes.is_predefined(type);
    };
    if (said.has_arrays || !stays(said.sent_type) || !stays(said.received_type)) return;
    thread_local Repeats repeats;
    mine_ = &repeats;
    repeats.of(said) = {said, Communicator::era(), &calls.left};
  }

  ~Repeats() { mine_ = nullptr; }

 private:
  struct Repeat {
    Said said;
    std::uint64_t era;
    std::int64_t* left;
  };
  static constexpr int bits = 4;

  Repeats() = default;
  // By a product of which all bits below count in those above: sizes are powers of two.
  Repeat& of(const Said& said) {
    const auto who = (std::uintptr_t)said.comm ^ (std::uintptr_t)said.collective;
    const std::uint64_t mixed =
        (who + static_cast<std::uint64_t>(said.received) * 8) * 0x9e3779b97f4a7c15;
    return repeats_[mixed >> (64 - bits)];
  }

  std::array<Repeat, 1 << bits> repeats_ = {};
  // Found without a call, in the few bytes for that which a library loaded late still gets.
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local Repeats* mine_ = nullptr;
};

// What a call of MPI_<name> says.
namespace said {

// Puts an argument where it belongs in a Said of the name `said`.
#define TOCCATA_SAY(kind, name) TOCCATA_SAY_##kind(name);
#define TOCCATA_SAY_NOTHING(name) static_cast<void>(name)
#define TOCCATA_SAY_ARRAY(name) static_cast<void>(name), said.has_arrays = true
#define TOCCATA_SAY_BUFFER_IN(name) TOCCATA_SAY_NOTHING(name)
#define TOCCATA_SAY_BUFFER_OUT(name) TOCCATA_SAY_NOTHING(name)
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
#define TOCCATA_SAY_ROOT(name) said.root = name

#define TOCCATA_SAID(Name, name, collective_)                                             \
  inline Said name(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm comm) {           \
    Said said{.collective = &toccata::collective_, .comm = comm};                         \
    TOCCATA_ARGUMENTS_##name(TOCCATA_SAY) return said;                                    \
  }                                                                                       \
  inline Said name##_c(TOCCATA_ARGUMENTS_##name(TOCCATA_LARGE_PARAMETER) MPI_Comm comm) { \
    Said said{.collective = &toccata::collective_, .comm = comm};                         \
    TOCCATA_ARGUMENTS_##name(TOCCATA_SAY) return said;                                    \
  }
TOCCATA_FUNCTIONS(TOCCATA_SAID)
#undef TOCCATA_SAID

}  // namespace said

}  // namespace toccata
