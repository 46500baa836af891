#pragma once

namespace toccata {

// Call the first at the beginning of MPI_Init, in any language, and the second at its end.
void enter();
void begin();

}  // namespace toccata
