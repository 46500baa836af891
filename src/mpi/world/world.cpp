#include "mpi/world/world.h"

#include <atomic>

#include "mpi/world/group.h"

namespace toccata {

namespace {

std::atomic<bool> session_has_threads = false;

#ifdef TOCCATA_HAS_SESSIONS

// MPI has no attributes of sessions, so this state needs variables.
struct Own {
  std::atomic<MPI_Comm> comm{MPI_COMM_NULL};
  MPI_Comm self = MPI_COMM_NULL;
  MPI_Session session = MPI_SESSION_NULL;
};
Own own;

MPI_Session make_session() {
  MPI_Session made = MPI_SESSION_NULL;
  return PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made) == MPI_SUCCESS
             ? made
             : MPI_SESSION_NULL;
}

// Null if this process cannot find out.
Group::Made all_processes(MPI_Session session) {
  Group::Made made;
  if (session != MPI_SESSION_NULL)
    PMPI_Group_from_session_pset(session, "mpi://WORLD", &made.group);
  return made;
}

#endif

}  // namespace

bool World::is_initialized() noexcept {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

int World::thread_level() noexcept {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return session_has_threads ? MPI_THREAD_MULTIPLE : level;
}

void World::note_threads_of_session() noexcept { session_has_threads = true; }

#ifndef TOCCATA_HAS_SESSIONS

MPI_Comm World::comm() noexcept { return MPI_COMM_WORLD; }
MPI_Comm World::self() noexcept { return MPI_COMM_SELF; }
bool World::is_ours() noexcept { return false; }

#else

MPI_Comm World::comm() noexcept {
  const MPI_Comm ours = own.comm.load(std::memory_order_acquire);
  return ours != MPI_COMM_NULL ? ours : MPI_COMM_WORLD;
}
MPI_Comm World::self() noexcept { return is_ours() ? own.self : MPI_COMM_SELF; }
bool World::is_ours() noexcept { return own.comm.load(std::memory_order_acquire) != MPI_COMM_NULL; }

bool World::has_all_processes(MPI_Comm comm) noexcept {
  MPI_Session session = make_session();
  if (session == MPI_SESSION_NULL) return false;
  int result = MPI_UNEQUAL;
  {
    const Group all(all_processes(session));
    if (all != MPI_GROUP_NULL) PMPI_Group_compare(Group(comm), all, &result);
  }
  PMPI_Session_finalize(&session);
  return result == MPI_IDENT;
}

// Before each step that waits for all ranks, they learn whether the previous one failed on a rank.
bool World::open(MPI_Comm comm) noexcept {
  const auto on_all_ranks = [comm](bool here) {
    int mine = here ? 1 : 0, all = 0;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all != 0;
  };
  MPI_Comm made = MPI_COMM_NULL;
  own.session = make_session();
  bool good = own.session != MPI_SESSION_NULL;
  {
    const Group all(all_processes(own.session));
    good = on_all_ranks(good && all != MPI_GROUP_NULL);
    if (good) PMPI_Comm_create_from_group(all, "toccata", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  }
  good = good && on_all_ranks(made != MPI_COMM_NULL);
  if (good) {
    int rank = 0;
    PMPI_Comm_rank(made, &rank);
    PMPI_Comm_split(made, rank, 0, &own.self);
    if (own.self != MPI_COMM_NULL) PMPI_Comm_set_errhandler(own.self, MPI_ERRORS_RETURN);
    good = on_all_ranks(own.self != MPI_COMM_NULL);
  }
  own.comm.store(made, std::memory_order_release);
  if (!good) close();
  return good;
}

void World::close() noexcept {
  MPI_Comm comm = own.comm.exchange(MPI_COMM_NULL);
  if (own.self != MPI_COMM_NULL) PMPI_Comm_free(&own.self);
  if (comm != MPI_COMM_NULL) PMPI_Comm_free(&comm);
  if (own.session != MPI_SESSION_NULL) PMPI_Session_finalize(&own.session);
  own.session = MPI_SESSION_NULL;
}

#endif

}  // namespace toccata
