/* The common part of the substitutes for GPU runtimes. "Device" memory is mapped without access, so
 * that every access outside the copy functions ends the program. Copies happen only when the
 * program waits for them. */
#ifndef STAND_IN_H
#define STAND_IN_H

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { success = 0, invalid_value = 1, most = 4096, page = 4096 };

static struct {
  uintptr_t begin;
  size_t bytes;  // the requested size
  size_t mapped;
  int is_open;
  int is_managed;  // the host may touch it, too
} memory[most];
static int pieces = 0;

static struct {
  uintptr_t into, from;
  size_t bytes;
} waiting[most];
static int copies = 0;
/* Copies from pageable memory to the device return before they end, as with CUDA. They end before
 * later work of the default stream, and of streams that wait for it. */
static struct {
  uintptr_t into;
  void* data;
  size_t bytes;
} running[most];
static int runs = 0;
static int queries = 0, transfers = 0;

/* Before its initialisation, a runtime has no devices. With NO_DEVICE, it has none afterwards. */
static int begun = 0;
static int has_device(void) { return begun && getenv("NO_DEVICE") == NULL; }
static int begin(void) {
  if (!begun) usleep(1000);  // a real one takes longer
  begun = 1;
  return has_device() ? success : invalid_value;
}

static int piece_of(uintptr_t address) {
  for (int i = 0; i < pieces; ++i)
    if (address >= memory[i].begin && address < memory[i].begin + memory[i].bytes) return i;
  return -1;
}

/* Gives the host access to the memory around an address until the current copies end. */
static void open_piece(uintptr_t address, size_t bytes) {
  const int piece = piece_of(address);
  if (piece < 0) return;
  if (address + bytes > memory[piece].begin + memory[piece].bytes) abort();
  if (memory[piece].is_open || memory[piece].is_managed) return;
  mprotect((void*)memory[piece].begin, memory[piece].mapped, PROT_READ | PROT_WRITE);
  memory[piece].is_open = 1;
}

static void close_pieces(void) {
  for (int i = 0; i < pieces; ++i) {
    if (memory[i].is_open) mprotect((void*)memory[i].begin, memory[i].mapped, PROT_NONE);
    memory[i].is_open = 0;
  }
}

static void move(uintptr_t into, uintptr_t from, size_t bytes) {
  open_piece(into, bytes);
  open_piece(from, bytes);
  memmove((void*)into, (const void*)from, bytes);
}

static void move_at_once(uintptr_t into, uintptr_t from, size_t bytes) {
  move(into, from, bytes);
  close_pieces();
}

static void end_running(void) {
  for (int i = 0; i < runs; ++i) {
    move_at_once(running[i].into, (uintptr_t)running[i].data, running[i].bytes);
    free(running[i].data);
  }
  runs = 0;
}

static void move_all(void) {
  for (int i = 0; i < copies; ++i) move(waiting[i].into, waiting[i].from, waiting[i].bytes);
  close_pieces();
  copies = 0;
}

static void move_later(uintptr_t into, uintptr_t from, size_t bytes) {
  if (copies == most) move_all();
  waiting[copies].into = into;
  waiting[copies].from = from;
  waiting[copies++].bytes = bytes;
  ++transfers;
}

static void* make_piece(size_t bytes, int is_managed) {
  const size_t mapped = (bytes / page + 1) * page;
  const int access = is_managed ? PROT_READ | PROT_WRITE : PROT_NONE;
  void* made = mmap(NULL, mapped, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int place = 0;
  while (place < pieces && memory[place].begin != 0) ++place;
  if (made == MAP_FAILED || place == most) return NULL;
  memory[place].begin = (uintptr_t)made;
  memory[place].bytes = bytes;
  memory[place].mapped = mapped;
  memory[place].is_managed = is_managed;
  if (place == pieces) ++pieces;
  return made;
}

static int free_piece(uintptr_t address) {
  end_running();
  const int piece = piece_of(address);
  if (piece < 0) return invalid_value;
  munmap((void*)memory[piece].begin, memory[piece].mapped);
  memory[piece].begin = 0;
  memory[piece].bytes = 0;
  return success;
}

/* For programs that do not initialise it. */
__attribute__((constructor)) static void begin_at_once(void) {
  if (getenv("STAND_IN_BEGUN") != NULL) begin();
}

/* Not part of a runtime: memory for tests, and the numbers of copies and queries. */
EXPORT int stand_in_begin(void) { return begin(); }
EXPORT void* stand_in_allocate(size_t bytes, int is_managed) {
  if (begin() != success) return NULL;
  return make_piece(bytes, is_managed);
}
EXPORT int stand_in_free(void* address) { return free_piece((uintptr_t)address); }
EXPORT int stand_in_copy(void* into, const void* from, size_t bytes) {
  const int piece = piece_of((uintptr_t)into);
  if (piece < 0 || memory[piece].is_managed || bytes == 0 || runs == most) {
    end_running();
    move_at_once((uintptr_t)into, (uintptr_t)from, bytes);
    return success;
  }
  running[runs].into = (uintptr_t)into;
  running[runs].data = malloc(bytes);
  running[runs].bytes = bytes;
  memcpy(running[runs++].data, from, bytes);
  return success;
}
EXPORT int stand_in_is_device(const void* address) {
  const int piece = piece_of((uintptr_t)address);
  return piece >= 0 && !memory[piece].is_managed;
}
EXPORT int stand_in_transfers(void) { return transfers; }
EXPORT int stand_in_queries(void) { return queries; }
EXPORT int stand_in_pieces(void) {
  int result = 0;
  for (int i = 0; i < pieces; ++i) result += memory[i].begin != 0;
  return result;
}

#endif
