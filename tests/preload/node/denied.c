/* To be preloaded: system calls that fail, as DENY says, on the rank of DENY_RANK or on all. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int denies(const char* name) {
  const char *const denied = getenv("DENY"), *const rank = getenv("DENY_RANK");
  const char* own = getenv("OMPI_COMM_WORLD_RANK");
  if (own == NULL) own = getenv("PMI_RANK");
  return denied != NULL && strcmp(denied, name) == 0 &&
         (rank == NULL || (own != NULL && strcmp(rank, own) == 0));
}

int memfd_create(const char* name, unsigned flags) {
  if (denies("memfd_create") && strcmp(name, "toccata") == 0) {
    errno = EPERM;
    return -1;
  }
  int (*const next)(const char*, unsigned) = dlsym(RTLD_NEXT, "memfd_create");
  return next(name, flags);
}

/* All but the page with the random number. */
int fallocate(int file, int mode, off_t first, off_t bytes) {
  if (denies("fallocate") && bytes > 4096) {
    errno = ENOSPC;
    return -1;
  }
  int (*const next)(int, int, off_t, off_t) = dlsym(RTLD_NEXT, "fallocate");
  return next(file, mode, first, bytes);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  char target[300] = "";
  if (denies("open") && readlink(path, target, sizeof target - 1) > 0 &&
      strstr(target, "memfd:toccata") != NULL) {
    errno = EACCES;
    return -1;
  }
  int (*const next)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}
