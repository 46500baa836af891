#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

#include "mpi/call/next_definition.h"
#include "mpi/communicator/communicator.h"
#include "toccata/toccata.h"

namespace toccata {

// Handles are pointers in some MPIs and integers in others. If the program uses another MPI than
// ours, we only pass its arguments on, which must not be truncated.
template <typename Handle>
using Raw = std::conditional_t<std::is_pointer_v<Handle>, Handle, std::intptr_t>;
using RawComm = Raw<MPI_Comm>;

// Passes on MPI_Comm_idup or MPI_Comm_idup_with_info, in the interface with that name. From then
// on, our exchanges on this communicator are blocking (Exchange).
template <typename Result, typename Comm, typename... Arguments>
Result pass_on_idup(const char* name, MPI_Comm comm, Comm handle, Arguments... arguments) {
  if (comm != MPI_COMM_NULL && Settings::get().do_anything())
    if (Communicator* const communicator = Communicator::of(comm))
      communicator->expect_duplicates();
  return next_definition<Result(Comm, Arguments...)>(name)(handle, arguments...);
}

}  // namespace toccata

// Defines the MPI function for programs, and next_NAME(), which calls the next definition. In a
// program with another MPI than ours, the arguments may only be passed on, so handles are Raw. The
// symbol has the name of MPI's function; our function has another name, because its parameters are
// declared differently.
#define TOCCATA_INTERPOSED(function, ...)                                                  \
  extern "C" TOCCATA_PUBLIC int toccata_##function(__VA_ARGS__) __asm__("MPI_" #function); \
  static auto next_##function() {                                                          \
    static const auto next = toccata::next_definition<decltype(toccata_##function)>(       \
        "MPI_" #function, reinterpret_cast<void*>(&PMPI_##function));                      \
    return next;                                                                           \
  }                                                                                        \
  int toccata_##function(__VA_ARGS__)
