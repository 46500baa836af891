#pragma once

namespace toccata {

// Whether the program was started so that it can continue after the death of a rank (ULFM); under
// Open MPI 5 with `mpirun --with-ft ulfm`. The same on all ranks. Native then serves all calls: as
// soon as a communicator is revoked, it returns an error on all ranks. Our messages use another
// communicator, on which ranks would wait forever. (In a test, one of four ranks died. When Toccata
// chose by its model, none of eight runs continued.)
bool tolerates_faults();

}  // namespace toccata
