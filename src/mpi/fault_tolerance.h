#pragma once

namespace toccata {

// Whether the program was started so that it can go on after the death of a rank (ULFM): under Open
// MPI 5, `mpirun --with-ft ulfm`; the same on all ranks. Native serves everything then. It returns
// an error on all ranks as soon as a communicator is revoked; our messages use another
// communicator, whose ranks would wait for ever (four ranks, one dies: with the model, none of
// eight runs went on).
bool tolerates_faults();

}  // namespace toccata
