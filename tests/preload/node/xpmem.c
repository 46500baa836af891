/* A substitute for libxpmem, without its kernel module. A process can attach only memory of another
   one that belongs to a memfd which that process has open, mapped as shared; other pages raise a
   signal, as XPMEM's do if the other process has no such page. An exception is the first attachment
   of each process, a copy: the library tests it with a number on the stack.

   Unlike XPMEM's, an attachment does not follow the other process if that replaces its memory.
   XPMEM_REFUSES=attach: all attachments except the first ones fail. XPMEM_REFUSES=get: no process
   has access to another one; with XPMEM_RANK=r, only rank r has not. At the end, each process
   prints the number of successful attachments after the first ones. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct xpmem_addr {
  int64_t apid;
  off_t offset;
};

enum { most_processes = 64, most_attachments = 4096 };
static int64_t seen[most_processes];
static struct {
  char* at;
  size_t bytes;
} attachments[most_attachments];
static int attached;

static int refuses(const char* what) {
  const char *const refused = getenv("XPMEM_REFUSES"), *const rank = getenv("XPMEM_RANK");
  const char* own = getenv("OMPI_COMM_WORLD_RANK");
  if (own == NULL) own = getenv("PMI_RANK");
  return refused != NULL && strcmp(refused, what) == 0 &&
         (rank == NULL || (own != NULL && strcmp(rank, own) == 0));
}

/* A process, its segment and the access to it have the same number. */
int64_t xpmem_make(void* first, size_t bytes, int permit_type, void* permit) {
  (void)permit;
  return first == NULL && bytes == (size_t)-1 && permit_type == 1 ? getpid() : -1;
}
int xpmem_remove(int64_t segment) { return segment == getpid() ? 0 : -1; }
int64_t xpmem_get(int64_t segment, int flags, int permit_type, void* permit) {
  (void)permit;
  return flags == 2 && permit_type == 1 && !refuses("get") ? segment : -1;
}
int xpmem_release(int64_t access) { return access > 0 ? 0 : -1; }

static int is_first(int64_t process) {
  for (int i = 0; i < most_processes; ++i) {
    if (seen[i] == process) return 0;
    if (seen[i] != 0) continue;
    seen[i] = process;
    return 1;
  }
  return 0;
}

/* That process' file with this number, or -1. */
static int open_file(int64_t process, unsigned long number) {
  for (int i = 0; i < 256; ++i) {
    char path[64];
    struct stat state;
    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%d", process, i);
    if (stat(path, &state) == 0 && state.st_ino == number) return open(path, O_RDWR | O_CLOEXEC);
  }
  return -1;
}

void* xpmem_attach(struct xpmem_addr from, size_t bytes, void* where) {
  const int first = is_first(from.apid);
  char path[64];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/maps", from.apid);
  FILE* const maps = fopen(path, "r");
  if (maps == NULL || where != NULL || from.offset % 4096 != 0 || (!first && refuses("attach"))) {
    if (maps != NULL) fclose(maps);
    errno = EINVAL;
    return (void*)-1;
  }
  char* const at = mmap(NULL, bytes, first ? PROT_READ | PROT_WRITE : PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const unsigned long end = (unsigned long)from.offset + bytes;
  char line[512];
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long low, high, offset, number;
    char kind[5];
    if (sscanf(line, "%lx-%lx %4s %lx %*s %lu", &low, &high, kind, &offset, &number) != 5) continue;
    const unsigned long begin = low > (unsigned long)from.offset ? low : (unsigned long)from.offset;
    const size_t size = (high < end ? high : end) - begin;
    if (begin >= (high < end ? high : end)) continue;
    char* const part = at + (begin - (unsigned long)from.offset);
    if (first) {
      const struct iovec here = {part, size}, there = {(void*)begin, size};
      if (process_vm_readv(from.apid, &here, 1, &there, 1, 0) < 0) continue;
    } else if (kind[3] == 's' && strstr(line, "/memfd:buffers") != NULL) {
      const int file = open_file(from.apid, number);
      if (file < 0) continue;
      mmap(part, size, PROT_READ, MAP_SHARED | MAP_FIXED, file, (off_t)(offset + begin - low));
      close(file);
      ++attached;
    }
  }
  fclose(maps);
  for (int i = 0; i < most_attachments; ++i)
    if (attachments[i].at == NULL) {
      attachments[i].at = at;
      attachments[i].bytes = bytes;
      return at;
    }
  abort();
}

int xpmem_detach(void* at) {
  for (int i = 0; i < most_attachments; ++i)
    if (attachments[i].at == at) {
      attachments[i].at = NULL;
      return munmap(at, attachments[i].bytes);
    }
  abort(); /* attached twice, or never */
}

__attribute__((destructor)) static void print_attachments(void) {
  if (seen[0] != 0) printf("attachments %d\n", attached);
}
