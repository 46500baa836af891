/* sessions MODE: collectives of a program that uses sessions; the modes are in main. It does not
 * use Toccata. Each communicator calls MPI_Allreduce, MPI_Iallreduce and MPI_Allreduce_init twice.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { many = 1000 };
static int faults, rank;

static MPI_Session session_of(const char* threads) {
  MPI_Session session;
  MPI_Info info = MPI_INFO_NULL; /* with another one, MPICH 5.0 gives MPI_THREAD_MULTIPLE */
  if (threads != NULL) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", threads);
  }
  MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return session;
}

static int rank_of(MPI_Session session) {
  int mine;
  MPI_Group all;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_rank(all, &mine);
  MPI_Group_free(&all);
  return mine;
}

/* Of all processes; or without the first one, which gets MPI_COMM_NULL. */
static MPI_Comm comm_of(MPI_Session session, const char* tag, int without_first) {
  const int first = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  rank = rank_of(session);
  MPI_Group all, group;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_excl(all, without_first, &first, &group);
  if (rank > 0 || !without_first)
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  return comm;
}

static void use(MPI_Comm comm) {
  static int mine[many], all[many];
  int me, p;
  MPI_Request request;
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &p);
  for (int form = 0; form < 3; ++form) {
    if (form == 2)
      MPI_Allreduce_init(mine, all, many, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int call = 0; call < 2; ++call) {
      for (int i = 0; i < many; ++i) mine[i] = i + me * (call + 1), all[i] = -1;
      if (form == 0) MPI_Allreduce(mine, all, many, MPI_INT, MPI_SUM, comm);
      if (form == 1) MPI_Iallreduce(mine, all, many, MPI_INT, MPI_SUM, comm, &request);
      if (form == 2) MPI_Start(&request);
      if (form > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int i = 0; i < many; ++i) faults += all[i] != p * i + p * (p - 1) / 2 * (call + 1);
    }
    if (form == 2) MPI_Request_free(&request);
  }
}

static void use_and_free(MPI_Comm comm) {
  use(comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

/* A communicator, its duplicate, and a half of it. */
static void use_family(MPI_Comm comm) {
  MPI_Comm made;
  use(comm);
  MPI_Comm_dup(comm, &made);
  use_and_free(made);
  MPI_Comm_split(comm, rank < 2, 0, &made);
  use_and_free(made);
}

static void use_world(MPI_Session session, const char* tag) {
  MPI_Comm comm = comm_of(session, tag, 0);
  use_family(comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  const int threads = strcmp(mode, "threads") == 0;
  const int ends_with_world = strcmp(mode, "finalize") == 0;
  MPI_Session session, second;
  if (strcmp(mode, "outlive") == 0) MPI_Init(&argc, &argv);
  session = session_of(threads ? "MPI_THREAD_MULTIPLE" : NULL);
  MPI_Comm all, some;
  if (strcmp(mode, "only") == 0 || threads) {
    all = comm_of(session, "all", 0);
    use_family(all);
    use_and_free(comm_of(session, "some", 1));
    MPI_Comm_free(&all);
  } else if (strcmp(mode, "late") == 0) {
    if (rank_of(session) == 0) sleep(1);
    use_and_free(comm_of(session, "late", 0));
  } else if (strcmp(mode, "part") == 0) { /* first a part of the processes, then all */
    some = comm_of(session, "some", 1);
    use(some);
    use_world(session, "all");
    use_and_free(some);
  } else if (strcmp(mode, "two") == 0) { /* the first session ends before the second */
    use_world(session, "first");
    second = session_of(NULL);
    some = comm_of(second, "some", 1);
    MPI_Session_finalize(&session);
    use_and_free(some);
    use_world(second, "second");
    session = second;
  } else if (strcmp(mode, "outlive") == 0) { /* MPI_Init came first, and MPI_Finalize is not last */
    all = comm_of(session, "all", 0);
    use_family(all);
    MPI_Finalize();
    use_family(all);
    MPI_Comm_free(&all);
  } else { /* MPI_Init comes later */
    all = comm_of(session, "all", 0);
    if (ends_with_world) use(all);
    MPI_Init(&argc, &argv);
    use_family(MPI_COMM_WORLD);
    if (ends_with_world) {
      use_and_free(all);
      MPI_Session_finalize(&session);
      use_family(MPI_COMM_WORLD);
      MPI_Finalize();
    } else {
      MPI_Finalize();
      use_family(all);
      MPI_Comm_free(&all);
    }
  }
  if (!ends_with_world) MPI_Session_finalize(&session);
  /* No call is left that could sum the faults. */
  puts(faults == 0 ? "right" : "wrong");
  return 0;
}
