#pragma once

#include <cstdint>
#include <optional>

#include "mpi/agreement/exchange.h"
#include "mpi/execution/transport.h"

namespace toccata {

// The nanoseconds by which this node's clock is ahead of that of rank 0's node; nothing on all
// ranks if a message fails. Collective over the ranks of the exchange, between which the transport
// sends. Ranks with the same clock send no messages. Otherwise, it takes eight round trips for each
// doubling of the number of clocks. Each doubling adds at most half of the shortest round trip as
// an error. The clocks may drift after that.
std::optional<std::int64_t> ahead_of_rank_0(Exchange exchange, const Transport& transport, int rank,
                                            int p);

}  // namespace toccata
