#pragma once

namespace toccata {

// Call this after MPI_Init, in any language.
void begin();

}  // namespace toccata
