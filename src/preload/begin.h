#pragma once

#include "mpi/call/function_ref.h"

namespace toccata {

// MPI_Init, in any language: `init` calls the next definition, and returns its MPI error code.
int initialize(FunctionRef<int()> init);
// Call this at the beginning of MPI_Finalize, except under Open MPI.
void finalize();

// The same in sessions: the first in MPI_Session_init, the second if the library begins in
// MPI_Comm_create_from_group.
bool reach_us_in_sessions();
void begin_in_session();

// TOCCATA_DOCTOR: `toccata doctor` started the program only to test whether it reaches MPI_Init.
// Every rank reports this on standard error, and the process ends before the program itself runs.
void tell_the_doctor();

}  // namespace toccata
