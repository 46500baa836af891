// For LD_PRELOAD: waiting ranks sleep instead of yielding, so that many ranks can share a core.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

int sched_yield(void) {
  static long nanoseconds = 0;
  if (nanoseconds == 0) {
    const char* text = getenv("YIELD_US");
    nanoseconds = 1000 * (text ? atol(text) : 200);
    prctl(PR_SET_TIMERSLACK, 1000);
  }
  const struct timespec time = {0, nanoseconds};
  nanosleep(&time, 0);
  return 0;
}
