/* deaths HOW WHEN [CALLS]: calls collectives; during these, rank 1 fails.

   HOW: none, kill, segv, abort, exit (with 3), leave (with 0), mpi_abort, or stop (and continues
   after STOP_SECONDS)

   WHEN: the number of the call before which rank 1 fails, or "inside": a moment after the start of
   the tenth call, usually during a call */
#define _GNU_SOURCE
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { most = 64, length = 2048 };

static const char* how;
static int wake[2];

static void fail(int ignored) {
  (void)ignored;
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "segv") == 0) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "exit") == 0) _exit(3);
  if (strcmp(how, "leave") == 0) exit(0);
  if (strcmp(how, "mpi_abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "stop") == 0) {
    if (write(wake[1], "", 1) == 1) raise(SIGSTOP);
  }
}

/* Continues its parent, because a stopped process cannot continue itself. */
static void stand_by(void) {
  const pid_t parent = getpid();
  if (pipe(wake) != 0) exit(2);
  if (fork() != 0) return;
  char byte;
  close(wake[1]);
  if (read(wake[0], &byte, 1) == 1) {
    sleep(atoi(getenv("STOP_SECONDS")));
    kill(parent, SIGCONT);
  }
  _exit(0);
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  how = arguments[1];
  const int inside = strcmp(arguments[2], "inside") == 0;
  const int when = inside ? 10 : atoi(arguments[2]);
  const int calls = count > 3 ? atoi(arguments[3]) : 200;
  if (strcmp(how, "stop") == 0) stand_by();
  MPI_Init(&count, &arguments);
  int rank, p, faults = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  static int mine[length], all[most * length];
  for (int call = 0; call <= calls; ++call) {
    if (rank == 1 && call == when) {
      if (inside) {
        const struct itimerval soon = {{0, 0}, {0, 700}};
        signal(SIGALRM, fail);
        setitimer(ITIMER_REAL, &soon, NULL);
      } else {
        fail(0);
      }
    }
    if (call == calls) break; /* when == calls: fail after the last call */
    for (int i = 0; i < length; ++i) mine[i] = rank + call + i;
    if (call % 2 == 0) {
      MPI_Allgather(mine, length, MPI_INT, all, length, MPI_INT, MPI_COMM_WORLD);
      for (int i = 0; i < p; ++i) faults += all[i * length + 5] != i + call + 5;
    } else {
      MPI_Allreduce(mine, all, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      faults += all[7] != p * (p - 1) / 2 + p * (call + 7);
    }
  }
  PMPI_Reduce(rank == 0 ? MPI_IN_PLACE : &faults, &faults, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(faults == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
