/* To be preloaded. The system calls listed in DENY fail on the rank DENY_RANK, or on all ranks. At
   the end, each rank prints how often the library copied at least 1000 bytes from another process.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
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

/* All parts except the page with the random number. */
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

/* With HAS_XPMEM, this machine seems to have the device. */
int access(const char* path, int mode) {
  if (getenv("HAS_XPMEM") != NULL && strcmp(path, "/dev/xpmem") == 0) return 0;
  int (*const next)(const char*, int) = dlsym(RTLD_NEXT, "access");
  return next(path, mode);
}

static int direct_reads;

/* With `some`, every third call fails, as for device memory. The MPI library's own calls never
 * fail. */
ssize_t process_vm_readv(pid_t process, const struct iovec* here, unsigned long number,
                         const struct iovec* there, unsigned long others, unsigned long flags) {
  ssize_t (*const next)(pid_t, const struct iovec*, unsigned long, const struct iovec*,
                        unsigned long, unsigned long) = dlsym(RTLD_NEXT, "process_vm_readv");
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) != 0 &&
      strstr(caller.dli_fname, "libtoccata") != NULL) {
    const int is_long = here->iov_len >= 1000;
    if (denies("process_vm_readv") || (denies("some") && is_long && direct_reads % 3 == 2)) {
      direct_reads += is_long;
      errno = EFAULT;
      return -1;
    }
    direct_reads += is_long;
  }
  return next(process, here, number, there, others, flags);
}

__attribute__((destructor)) static void print_direct_reads(void) {
  if (getenv("DENY") != NULL) printf("direct reads %d\n", direct_reads);
}
