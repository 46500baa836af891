#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

#include "mpi/call/functions.h"

namespace toccata {

// Handles are pointers in some MPIs and integers in others. If the program uses another MPI than
// ours, we only pass its arguments on, which must not be truncated.
template <typename Handle>
using Raw = std::conditional_t<std::is_pointer_v<Handle>, Handle, std::intptr_t>;
using RawComm = Raw<MPI_Comm>;

}  // namespace toccata

#define TOCCATA_RAW_PARAMETER(kind, name) TOCCATA_RAW_##kind(TOCCATA_C_##kind) name,
#define TOCCATA_RAW_LARGE_PARAMETER(kind, name) TOCCATA_RAW_##kind(TOCCATA_LARGE_##kind) name,
#define TOCCATA_RAW_BUFFER_IN(type) type
#define TOCCATA_RAW_BUFFER_OUT(type) type
#define TOCCATA_RAW_COUNT_IN(type) type
#define TOCCATA_RAW_COUNT_OUT(type) type
#define TOCCATA_RAW_COUNTS_IN(type) type
#define TOCCATA_RAW_COUNTS_OUT(type) type
#define TOCCATA_RAW_PLACES_IN(type) type
#define TOCCATA_RAW_PLACES_OUT(type) type
#define TOCCATA_RAW_OFFSETS_IN(type) type
#define TOCCATA_RAW_OFFSETS_OUT(type) type
#define TOCCATA_RAW_TYPE_IN(type) toccata::Raw<type>
#define TOCCATA_RAW_TYPE_OUT(type) toccata::Raw<type>
#define TOCCATA_RAW_TYPES_IN(type) type
#define TOCCATA_RAW_TYPES_OUT(type) type
#define TOCCATA_RAW_OPERATION(type) toccata::Raw<type>
#define TOCCATA_RAW_ROOT(type) type

// The argument in this MPI's type.
#define TOCCATA_COOKED_ARGUMENT(kind, name) TOCCATA_COOKED_##kind(name),
#define TOCCATA_COOKED_BUFFER_IN(name) name
#define TOCCATA_COOKED_BUFFER_OUT(name) name
#define TOCCATA_COOKED_COUNT_IN(name) name
#define TOCCATA_COOKED_COUNT_OUT(name) name
#define TOCCATA_COOKED_COUNTS_IN(name) name
#define TOCCATA_COOKED_COUNTS_OUT(name) name
#define TOCCATA_COOKED_PLACES_IN(name) name
#define TOCCATA_COOKED_PLACES_OUT(name) name
#define TOCCATA_COOKED_OFFSETS_IN(name) name
#define TOCCATA_COOKED_OFFSETS_OUT(name) name
#define TOCCATA_COOKED_TYPE_IN(name) (MPI_Datatype)(name)
#define TOCCATA_COOKED_TYPE_OUT(name) (MPI_Datatype)(name)
#define TOCCATA_COOKED_TYPES_IN(name) name
#define TOCCATA_COOKED_TYPES_OUT(name) name
#define TOCCATA_COOKED_OPERATION(name) (MPI_Op)(name)
#define TOCCATA_COOKED_ROOT(name) name
