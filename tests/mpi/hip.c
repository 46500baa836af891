/* Replaces libamdhip64.so.6 on machines without a GPU. The functions have the names and arguments
 * of HIP. There are two devices: the second one has all memory, but the first one is current. */
#include "stand_in.h"

typedef struct {
  int type, device;
  void *on_device, *on_host;
  int is_managed;
  unsigned flags;
} Attributes;
enum { device_memory = 2, any_direction = 4, owner = 1 };
static int current = 0;

EXPORT int hipInit(unsigned flags) { return flags == 0 ? begin() : invalid_value; }

/* HSA knows a processor, and the GPU. */
EXPORT int hsa_iterate_agents(int (*look_at)(uint64_t agent, void* into), void* into) {
  if (!begun) return invalid_value;
  for (int agent = 0; agent <= has_device(); ++agent) {
    const int code = look_at(agent, into);
    if (code != success) return code;
  }
  return success;
}
EXPORT int hsa_agent_get_info(uint64_t agent, int attribute, void* value) {
  if (attribute != 17) return invalid_value;
  *(int*)value = agent == 1;
  return success;
}

/* Initialises HIP, as all its functions do. */
EXPORT int hipGetDeviceCount(int* count) {
  begin();
  *count = has_device();
  return has_device() ? success : invalid_value;
}

EXPORT int hipPointerGetAttributes(Attributes* found, const void* address) {
  ++queries;
  begin();
  const int piece = piece_of((uintptr_t)address);
  if (piece < 0) return invalid_value;
  memset(found, 0, sizeof *found);
  found->is_managed = memory[piece].is_managed;
  found->type = device_memory;
  found->device = owner;
  found->on_device = (void*)address;
  return success;
}

EXPORT int hipGetDevice(int* device) {
  *device = current;
  return success;
}

EXPORT int hipSetDevice(int device) {
  if (device < 0 || device > owner) return invalid_value;
  current = device;
  return success;
}

static unsigned made; /* the flags of our stream */

EXPORT int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  if (flags > 1 || current != owner) return invalid_value;
  made = flags;
  *stream = &made;
  return success;
}

EXPORT int hipStreamSynchronize(void* stream) {
  if (stream == NULL) abort();  // the default stream, which the program shares
  move_all();
  return success;
}

EXPORT int hipMemcpyAsync(void* into, const void* from, size_t bytes, int direction, void* stream) {
  if (stream == NULL || current != owner) abort();
  if (direction != any_direction) return invalid_value;
  if (made == 0) end_running();
  move_later((uintptr_t)into, (uintptr_t)from, bytes);
  return success;
}

EXPORT int hipMemcpy2DAsync(void* into, size_t into_pitch, const void* from, size_t from_pitch,
                            size_t width, size_t height, int direction, void* stream) {
  if (into_pitch < width || from_pitch < width) return invalid_value;
  for (size_t row = 0; row < height; ++row)
    if (hipMemcpyAsync((char*)into + row * into_pitch, (const char*)from + row * from_pitch, width,
                       direction, stream) != success)
      return invalid_value;
  return success;
}

EXPORT int hipDeviceGetUuid(unsigned char* uuid, int device) {
  const int mine = (int)getpid();
  memset(uuid, 7, 16);
  memcpy(uuid, &mine, sizeof mine);
  return device == owner ? success : invalid_value;
}

EXPORT int hipMalloc(void** made, size_t bytes) {
  *made = make_piece(bytes, 0);
  return *made != NULL ? success : 2;
}

EXPORT int hipFree(void* address) { return free_piece((uintptr_t)address); }

EXPORT int hipHostMalloc(void** made, size_t bytes, unsigned flags) {
  (void)flags;
  *made = malloc(bytes);
  return *made != NULL ? success : 2;
}
