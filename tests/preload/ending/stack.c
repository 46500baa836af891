// The stack that a thread needs for collectives, from its first call on.
//
//   stack KINDS CALLS KIB
//
// A thread with a stack of KIB calls the kinds in turn. Each rank prints its number and
// the bytes that it used.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "calls.h"

static const char* kinds;
static int times;

static void* run(void* unused) {
  for (int i = 0; i < times; ++i)
    for (const char* kind = kinds; *kind != '\0'; ++kind)
      if (!call(*kind, MPI_COMM_WORLD)) puts("wrong");
  return unused;
}

int main(int argc, char** argv) {
  enum { paint = 0xA5, guard = 1 << 20 };
  int provided, rank;
  long unused = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  kinds = argv[1];
  times = atoi(argv[2]);
  const long bytes = atol(argv[3]) * 1024;
  // Memory below the stack faults, so that a thread that needs more ends the program. A frame may
  // be larger than a page.
  unsigned char* const lowest =
      mmap(NULL, bytes + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char* const stack = lowest + guard;
  mprotect(lowest, guard, PROT_NONE);
  memset(stack, paint, bytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, bytes);
  pthread_t thread;
  pthread_create(&thread, &attributes, run, NULL);
  pthread_join(thread, NULL);
  while (unused < bytes && stack[unused] == paint) ++unused;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d %ld\n", rank, bytes - unused);
  MPI_Finalize();
  return 0;
}
