#pragma once

namespace toccata {

// From now on, the simulation copies only the data of short messages. MPI needs these to find out
// which ranks are in a communicator.
void simulate_without_data();

}  // namespace toccata
