// For LD_PRELOAD: waiting ranks sleep instead of yielding, so that many ranks can share a core.
// Some MPI libraries (MPICH) poll for events without yielding, so a rank whose polls find nothing
// many times in a row sleeps, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

static _Thread_local int empty_polls = 0;  // since the last event or sleep
enum { most_empty_polls = 16 };

static void rest(void) {
  static long nanoseconds = 0;
  if (nanoseconds == 0) {
    const char* text = getenv("YIELD_US");
    nanoseconds = 1000 * (text ? atol(text) : 200);
    prctl(PR_SET_TIMERSLACK, 1000);
  }
  const struct timespec time = {0, nanoseconds};
  nanosleep(&time, 0);
  empty_polls = 0;
}

int sched_yield(void) {
  rest();
  return 0;
}

int epoll_wait(int poll, struct epoll_event* events, int most, int milliseconds) {
  static int (*real)(int, struct epoll_event*, int, int) = 0;
  if (real == 0) *(void**)&real = dlsym(RTLD_NEXT, "epoll_wait");
  const int found = real(poll, events, most, milliseconds);
  if (milliseconds != 0 || found != 0)
    empty_polls = 0;
  else if (++empty_polls >= most_empty_polls)
    rest();
  return found;
}
