#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace toccata {

// Handles are pointers in some MPIs and integers in others. If the program uses another MPI than
// ours, we only pass its arguments on, which must not be truncated.
template <typename Handle>
using Raw = std::conditional_t<std::is_pointer_v<Handle>, Handle, std::intptr_t>;
using RawComm = Raw<MPI_Comm>;

}  // namespace toccata
