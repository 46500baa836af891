/* Replaces libcuda.so.1 on machines without a GPU. "Device" memory is mapped without access,
 * so that every touch outside the copy functions ends the program; copies happen when their stream
 * is waited for, and no earlier. The functions have the names and arguments of CUDA's driver. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))
typedef unsigned long long Address;
enum { success = 0, invalid_value = 1, most = 4096, page = 4096 };

static struct {
  Address begin;
  size_t bytes;  // as they were requested
  size_t mapped;
  int is_open;
} memory[most];
static int pieces = 0;

typedef struct {
  size_t x, y;
  unsigned type;
  const void* host;
  Address device;
  void* array;
  size_t pitch;
} Side;
typedef struct {
  Side from, into;
  size_t width, height;
} Pitched;
static struct {
  Address into, from;
  size_t bytes;
} waiting[most];
static int copies = 0;
static int queries = 0, transfers = 0;
static int context_there, contexts_pushed = 0;

static int piece_of(Address address) {
  for (int i = 0; i < pieces; ++i)
    if (address >= memory[i].begin && address < memory[i].begin + memory[i].bytes) return i;
  return -1;
}

/* Opens the memory around an address to the host, until the copies at hand are over. */
static void open_piece(Address address, size_t bytes) {
  const int piece = piece_of(address);
  if (piece < 0) return;
  if (address + bytes > memory[piece].begin + memory[piece].bytes) abort();
  if (memory[piece].is_open) return;
  mprotect((void*)memory[piece].begin, memory[piece].mapped, PROT_READ | PROT_WRITE);
  memory[piece].is_open = 1;
}

static void close_pieces(void) {
  for (int i = 0; i < pieces; ++i) {
    if (memory[i].is_open) mprotect((void*)memory[i].begin, memory[i].mapped, PROT_NONE);
    memory[i].is_open = 0;
  }
}

static void move(Address into, Address from, size_t bytes) {
  open_piece(into, bytes);
  open_piece(from, bytes);
  memmove((void*)into, (const void*)from, bytes);
}

EXPORT int cuMemAlloc_v2(Address* address, size_t bytes) {
  const size_t mapped = (bytes / page + 1) * page;
  void* made = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int place = 0;
  while (place < pieces && memory[place].begin != 0) ++place;
  if (made == MAP_FAILED || place == most) return invalid_value;
  memory[place].begin = *address = (Address)made;
  memory[place].bytes = bytes;
  memory[place].mapped = mapped;
  if (place == pieces) ++pieces;
  return success;
}

EXPORT int cuMemFree_v2(Address address) {
  const int piece = piece_of(address);
  if (piece < 0) return invalid_value;
  munmap((void*)memory[piece].begin, memory[piece].mapped);
  memory[piece].begin = 0;
  memory[piece].bytes = 0;
  return success;
}

EXPORT int cuPointerGetAttribute(void* data, int attribute, Address address) {
  ++queries;
  if (piece_of(address) < 0) return invalid_value;
  switch (attribute) {
    case 1:  // context
      *(void**)data = &context_there;
      return success;
    case 2:  // type of memory: the device's
      *(unsigned*)data = 2;
      return success;
    case 8:  // managed
      *(unsigned*)data = 0;
      return success;
    default:
      return invalid_value;
  }
}

EXPORT int cuCtxPushCurrent_v2(void* context) {
  if (context != &context_there) return invalid_value;
  ++contexts_pushed;
  return success;
}

EXPORT int cuCtxPopCurrent_v2(void** context) {
  if (contexts_pushed-- == 0) abort();
  *context = &context_there;
  return success;
}

EXPORT int cuStreamCreate(void** stream, unsigned flags) {
  static int made;
  if (flags != 1 || contexts_pushed == 0) return invalid_value;
  *stream = &made;
  return success;
}

EXPORT int cuStreamSynchronize(void* stream) {
  if (stream == NULL) abort();  // a stream that others share
  for (int i = 0; i < copies; ++i) move(waiting[i].into, waiting[i].from, waiting[i].bytes);
  close_pieces();
  copies = 0;
  return success;
}

EXPORT int cuMemcpyAsync(Address into, Address from, size_t bytes, void* stream) {
  if (stream == NULL) abort();
  if (copies == most) cuStreamSynchronize(stream);
  waiting[copies].into = into;
  waiting[copies].from = from;
  waiting[copies++].bytes = bytes;
  ++transfers;
  return success;
}

EXPORT int cuMemcpy2DAsync_v2(const Pitched* all, void* stream) {
  const Address into = all->into.type == 2 ? all->into.device : (Address)all->into.host;
  const Address from = all->from.type == 2 ? all->from.device : (Address)all->from.host;
  if (all->into.type == all->from.type || all->into.pitch < all->width) return invalid_value;
  for (size_t row = 0; row < all->height; ++row)
    cuMemcpyAsync(into + row * all->into.pitch, from + row * all->from.pitch, all->width, stream);
  return success;
}

EXPORT int cuMemcpyHtoD_v2(Address into, const void* from, size_t bytes) {
  move(into, (Address)from, bytes);
  close_pieces();
  return success;
}

EXPORT int cuMemcpyDtoH_v2(void* into, Address from, size_t bytes) {
  move((Address)into, from, bytes);
  close_pieces();
  return success;
}

EXPORT int cuMemHostAlloc(void** made, size_t bytes, unsigned flags) {
  (void)flags;
  *made = malloc(bytes);
  return *made != NULL ? success : 2;
}

/* Not CUDA's: how many copies and queries there were. */
EXPORT int stand_in_transfers(void) { return transfers; }
EXPORT int stand_in_queries(void) { return queries; }
EXPORT int stand_in_pieces(void) {
  int result = 0;
  for (int i = 0; i < pieces; ++i) result += memory[i].begin != 0;
  return result;
}
