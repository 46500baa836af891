#pragma once

#include <cstdint>
#include <optional>

#include "selection/choice.h"
#include "selection/mpi_libraries.h"
#include "selection/ranking.h"

namespace toccata {

// The algorithm that an MPI library selects by itself among p ranks, in the form of ours that
// corresponds to it. `bytes` are those of a block, or of the message. Nothing if the library's
// decision function, or its part for this collective, is not public.
//
// Open MPI's functions are those of its component `tuned` since version 4.1, for operations that
// commute; other operations count as if they did. The functions' differences for short messages
// among a few ranks are left out. MPICH's functions are those of [thakur2005]. If we do not have an
// algorithm, our nearest one represents it: the ring a segmented ring, recursive halving the
// butterfly, reduce_bcast a reduction followed by a broadcast.
std::optional<Choice> native_algorithm(NativeMpi mpi, const Collective& collective, int p,
                                       std::int64_t bytes);

// The same for nonblocking and persistent calls. Only those of Open MPI are known, which its
// component libnbc serves in versions 4.1 and 5.0.
std::optional<Choice> native_algorithm_of_requests(NativeMpi mpi, const Collective& collective,
                                                   int p, std::int64_t bytes);

// A model proposes an algorithm if it predicts that the MPI library's own takes more than this
// multiple of its time. Recorded times determined the value (docs/design/0019).
inline constexpr double least_predicted_gain = 1.1;

// What a model proposes for calls of `bytes` among p ranks: the first algorithm of its ranking, or
// native if the predicted gain is too small, or if the MPI library's algorithm is not known.
Ranking::Entry proposed(const Ranking& ranking, NativeMpi mpi, const Collective& collective, int p,
                        std::int64_t bytes);

}  // namespace toccata
