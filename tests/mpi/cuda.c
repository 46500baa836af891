/* Replaces libcuda.so.1 on machines without a GPU. The functions have the names and arguments of
 * CUDA's driver. */
#include "stand_in.h"

typedef unsigned long long Address;

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
static int context_there, contexts_pushed = 0;

EXPORT int cuInit(unsigned flags) { return flags == 0 ? begin() : invalid_value; }
EXPORT int cuDeviceGetCount(int* count) {
  *count = has_device();
  return has_device() ? success : invalid_value;
}
EXPORT int cuDeviceGet(int* device, int number) {
  *device = 7;
  return number == 0 ? success : invalid_value;
}
EXPORT int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &context_there;
  return device == 7 ? success : invalid_value;
}
EXPORT int cuCtxGetCurrent(void** context) {
  *context = contexts_pushed > 0 ? &context_there : NULL;
  return success;
}

/* Each process has its own device, unless the tests request one device for all. */
EXPORT int cuDeviceGetUuid(unsigned char* uuid, int device) {
  const int mine = getenv("SAME_DEVICE") != NULL ? 1 : (int)getpid();
  memset(uuid, 7, 16);
  memcpy(uuid, &mine, sizeof mine);
  return device == 7 ? success : invalid_value;
}

EXPORT int cuMemAlloc_v2(Address* address, size_t bytes) {
  *address = has_device() ? (Address)make_piece(bytes, 0) : 0;
  return *address != 0 ? success : invalid_value;
}

EXPORT int cuMemFree_v2(Address address) { return free_piece(address); }

EXPORT int cuPointerGetAttribute(void* data, int attribute, Address address) {
  ++queries;
  const int piece = piece_of(address);
  if (piece < 0) return invalid_value;
  switch (attribute) {
    case 1:  // context; every other piece is of a pool, which has none
      *(void**)data = piece % 2 == 0 ? &context_there : NULL;
      return success;
    case 2:  // type of memory: the device's
      *(unsigned*)data = 2;
      return success;
    case 9:  // number of the device
      *(int*)data = 0;
      return success;
    case 8:  // managed
      *(unsigned*)data = memory[piece].is_managed;
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

static unsigned made; /* the flags of our stream */

EXPORT int cuStreamCreate(void** stream, unsigned flags) {
  if (flags > 1 || contexts_pushed == 0) return invalid_value;
  made = flags;
  *stream = &made;
  return success;
}

EXPORT int cuStreamSynchronize(void* stream) {
  if (stream == NULL) abort();  // the default stream, which the program shares
  move_all();
  return success;
}

EXPORT int cuMemcpyAsync(Address into, Address from, size_t bytes, void* stream) {
  if (stream == NULL) abort();
  if (made == 0) end_running();
  move_later(into, from, bytes);
  return success;
}

EXPORT int cuMemcpy2DAsync_v2(const Pitched* all, void* stream) {
  const Address into = all->into.type == 2 ? all->into.device : (Address)all->into.host;
  const Address from = all->from.type == 2 ? all->from.device : (Address)all->from.host;
  if ((all->into.type == 2) != (piece_of(into) >= 0)) return invalid_value;
  if ((all->from.type == 2) != (piece_of(from) >= 0)) return invalid_value;
  if (all->into.pitch < all->width || all->from.pitch < all->width) return invalid_value;
  for (size_t row = 0; row < all->height; ++row)
    cuMemcpyAsync(into + row * all->into.pitch, from + row * all->from.pitch, all->width, stream);
  return success;
}

EXPORT int cuMemcpyHtoD_v2(Address into, const void* from, size_t bytes) {
  end_running();
  move_at_once(into, (Address)from, bytes);
  return success;
}

EXPORT int cuMemcpyDtoH_v2(void* into, Address from, size_t bytes) {
  end_running();
  move_at_once((Address)into, from, bytes);
  return success;
}

EXPORT int cuMemHostAlloc(void** made, size_t bytes, unsigned flags) {
  (void)flags;
  *made = malloc(bytes);
  return *made != NULL ? success : 2;
}
