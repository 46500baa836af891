#pragma once

namespace toccata {

// TOCCATA_DOCTOR: `toccata doctor` started the program only to test whether it reaches MPI_Init.
// Every rank reports this on standard error, and the process ends before the program itself runs.
// Returns if that variable is not set.
void tell_the_doctor();

}  // namespace toccata
