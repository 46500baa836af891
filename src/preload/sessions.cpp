// The functions of sessions: for programs without MPI_Init (mpi/process/sessions.h).

#include "mpi/process/sessions.h"

#ifdef TOCCATA_HAS_SESSIONS

#include "mpi/settings/settings.h"
#include "preload/begin.h"
#include "preload/interposed.h"

using namespace toccata;

TOCCATA_INTERPOSED(Session_init, Raw<MPI_Info> info, Raw<MPI_Errhandler> handler, void* session) {
  const Settings& settings = Settings::get();
  if (!settings.is_our_mpi()) {
    settings.complain(is_first_rank());
    return next_Session_init()(info, handler, session);
  }
  Sessions::begin_init((MPI_Info)info, reach_us_in_sessions());
  const int code = next_Session_init()(info, handler, session);
  if (code == MPI_SUCCESS) Sessions::end_init();
  return code;
}

TOCCATA_INTERPOSED(Session_finalize, void* session) {
  if (Settings::get().is_our_mpi()) Sessions::begin_finalize();
  return next_Session_finalize()(session);
}

TOCCATA_INTERPOSED(Comm_create_from_group, Raw<MPI_Group> group, const char* tag,
                   Raw<MPI_Info> info, Raw<MPI_Errhandler> handler, MPI_Comm* made) {
  const int code = next_Comm_create_from_group()(group, tag, info, handler, made);
  if (code == MPI_SUCCESS && Settings::get().is_our_mpi() && *made != MPI_COMM_NULL)
    Sessions::created(*made, &begin_in_session);
  return code;
}

#endif
