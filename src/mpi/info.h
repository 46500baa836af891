#pragma once

#include <mpi.h>

#include <optional>

#include "selection/choice.h"
#include "selection/sized_choice.h"

namespace toccata {

// Keys of an MPI_Info that are ours:
//
//   toccata_reorder       off, auto, straight, exchange or shuffle, as TOCCATA_REORDER
//   toccata_pattern       ring and so on: by what ranks are mapped
//   toccata_<collective>  an algorithm, or one for each range of sizes, as TOCCATA_<COLLECTIVE>
//
// What is not there stays as it is in `wish`, or is nothing. ChoiceError if a value cannot be.
void read_info(MPI_Info info, ReorderWish& wish);
std::optional<SizedChoice> asked_in(MPI_Info info, const Collective& collective);

// Whether one of these is there.
bool has_keys_of_ours(MPI_Info info);

}  // namespace toccata
