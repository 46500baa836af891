#pragma once

namespace toccata {

// Call the first at the beginning of MPI_Init, in any language, and the second at its end.
void enter();
void begin();
// Call this at the beginning of MPI_Finalize, except under Open MPI.
void finalize();

// The same in sessions: the first in MPI_Session_init, the second if the library begins in
// MPI_Comm_create_from_group.
bool reach_us_in_sessions();
void begin_in_session();

}  // namespace toccata
