/* Preloaded under MPICH if tests run more ranks than cores. UCX spins while it waits, so that every
 * message takes a time slice of the kernel. With this library, a waiting rank sleeps, and tests run
 * a hundred times as fast. Without UCX, it has no effect. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  if (progress == NULL) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (progress == NULL) {  // a program has loaded MPI with dlopen, as Python does
    void* const ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (ucx != NULL) *(void**)&progress = dlsym(ucx, "ucp_worker_progress");
  }
  const unsigned events = progress(worker);
  if (events == 0) usleep(1);
  return events;
}
