#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "choices/choice.h"
#include "choices/sized_choice.h"

namespace toccata {

// Our keys of an MPI_Info:
//
//   toccata_reorder       off, auto, straight, exchange or shuffle, as TOCCATA_TOPOLOGY=reorder:...
//   toccata_pattern       ring and so on: the pattern by which ranks are mapped
//   toccata_cart_weights  such as 1,4,1: the weights of grids' dimensions (parse_cart_weights)
//   toccata_<collective>  an algorithm, or one per range of sizes, as TOCCATA_<COLLECTIVE>
//
// A missing key leaves `wish` unchanged, or gives an empty result. ChoiceError if a value is
// invalid.
void read_info(MPI_Info info, ReorderWish& wish);
std::optional<SizedChoice> asked_in(MPI_Info info, const Collective& collective);
// The text of toccata_cart_weights, which only MPI_Cart_create can check; "" without the key.
std::string cart_weights_in(MPI_Info info);

// Whether `info` has any of our keys.
bool has_keys_of_ours(MPI_Info info);

}  // namespace toccata
