#pragma once

namespace toccata {

// From here on no rank of the simulation copies data but what is short, as MPI has to tell by
// messages who is in a communicator.
void simulate_without_data();

}  // namespace toccata
