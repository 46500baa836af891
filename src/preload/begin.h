#pragma once

namespace toccata {

// After MPI_Init, in whatever language.
void begin();

}  // namespace toccata
