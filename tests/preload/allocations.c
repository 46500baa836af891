/* The number of calls of malloc so far, for short.F90. */
#include <stddef.h>

extern void* __libc_malloc(size_t bytes);

static int calls;

void* malloc(size_t bytes) {
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}

int allocations(void) { return calls; }
