#pragma once

namespace toccata {

// Whether the program was started so that it can continue after the death of a rank (ULFM): under
// Open MPI 5, `mpirun --with-ft ulfm`; the same on all ranks. Native then serves all calls, because
// it returns an error on all ranks as soon as a communicator is revoked. Our messages use another
// communicator, whose ranks would wait forever. (In a test, one of four ranks died. With the model,
// none of eight runs continued.)
bool tolerates_faults();

}  // namespace toccata
