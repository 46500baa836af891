#pragma once

namespace toccata {

// From now on, ranks of the simulation copy only short data, because MPI needs messages to find out
// which ranks are in a communicator.
void simulate_without_data();

}  // namespace toccata
