/* timer MICROSECONDS: a timer interrupts the program from before MPI_Init on, as that of a
 * profiler. */
#include <signal.h>
#include <sys/time.h>

#include "guest.h"

static volatile sig_atomic_t ticks;

static void tick(int number) {
  (void)number;
  ++ticks;
}

int main(int argc, char** argv) {
  const int period = argc > 1 ? atoi(argv[1]) : 1000;
  const struct itimerval timer = {.it_interval.tv_usec = period, .it_value.tv_usec = period};
  const struct itimerval none = {{0, 0}, {0, 0}};
  struct sigaction action = {.sa_flags = SA_RESTART};
  action.sa_handler = tick;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
  start(&argc, &argv);
  faults += ticks == 0;
  for (int i = 0; i < 200; ++i) faults += every_collective(MPI_COMM_WORLD, 1 + i % 9, i);
  setitimer(ITIMER_REAL, &none, NULL);
  finish();
  return 0;
}
