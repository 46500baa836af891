/* Replaces libze_loader.so.1 on machines without a GPU. The functions have the names and arguments
 * of Level Zero. There are two drivers: the device of the second one has all memory, which only its
 * contexts recognise. */
#include "stand_in.h"

enum { uninitialized = 0x78000001, drivers = 2, asynchronous = 2 };
typedef struct {
  int structure;
  void* next;
  int type;
  uint64_t id, page_size;
} Properties;
typedef struct {
  int structure;
  const void* next;
  uint32_t ordinal, index, flags;
  int mode, priority;
} Queue;
typedef struct {
  int structure;
  const void* next;
  uint32_t flags;
} Wanted;
typedef struct {
  uint32_t x, y, z, width, height, depth;
} Region;
static struct {
  int contexts;  // created so far
  int context, device;
} driver[drivers];
static int list_made;

EXPORT int zeInit(uint32_t flags) { return flags <= 2 ? begin() : invalid_value; }

EXPORT int zeDriverGet(uint32_t* number, void** handles) {
  if (!begun) return uninitialized;
  if (*number == 0 || *number > drivers) *number = drivers;
  for (uint32_t i = 0; handles != NULL && i < *number; ++i) handles[i] = &driver[i];
  return success;
}

EXPORT int zeDeviceGet(void* of, uint32_t* number, void** devices) {
  if (of == &driver[0] || !has_device()) {
    *number = 0;
    return success;
  }
  *number = 1;
  if (devices != NULL) devices[0] = &driver[1].device;
  return success;
}

EXPORT int zeContextCreate(void* of, const Wanted* wanted, void** context) {
  for (int i = 0; i < drivers; ++i)
    if (of == &driver[i] && wanted->structure == 0xd) {
      if (driver[i].contexts++ > 0) abort();  // one is enough
      *context = &driver[i].context;
      return success;
    }
  return invalid_value;
}

EXPORT int zeMemGetAllocProperties(void* context, const void* address, Properties* found,
                                   void** device) {
  ++queries;
  if (found->structure != 0x17 || found->next != NULL) return invalid_value;
  const int piece = piece_of((uintptr_t)address);
  const int is_there = context == &driver[1].context && piece >= 0;
  found->type = !is_there ? 0 : memory[piece].is_managed ? 3 : 2;
  if (device != NULL) *device = is_there ? &driver[1].device : NULL;
  return success;
}

EXPORT int zeCommandListCreateImmediate(void* context, void* device, const Queue* queue,
                                        void** list) {
  if (context != &driver[1].context || device != &driver[1].device) return invalid_value;
  if (queue->structure != 0xe || queue->mode != asynchronous) return invalid_value;
  *list = &list_made;
  return success;
}

EXPORT int zeCommandListAppendMemoryCopy(void* list, void* into, const void* from, size_t bytes,
                                         void* event, uint32_t waits, void** wait_for) {
  if (list != &list_made || event != NULL || waits != 0 || wait_for != NULL) return invalid_value;
  end_running();
  move_later((uintptr_t)into, (uintptr_t)from, bytes);
  return success;
}

EXPORT int zeCommandListHostSynchronize(void* list, uint64_t nanoseconds) {
  if (list != &list_made || nanoseconds != UINT64_MAX) return invalid_value;
  move_all();
  return success;
}

EXPORT int zeCommandListAppendMemoryCopyRegion(void* list, void* into, const Region* there,
                                               uint32_t into_pitch, uint32_t into_slice,
                                               const void* from, const Region* here,
                                               uint32_t from_pitch, uint32_t from_slice,
                                               void* event, uint32_t waits, void** wait_for) {
  if (there->width != here->width || there->height != here->height || there->depth != 1 ||
      here->depth != 1 || into_slice != 0 || from_slice != 0 || into_pitch < there->width ||
      from_pitch < here->width)
    return invalid_value;
  for (uint32_t row = 0; row < there->height; ++row)
    if (zeCommandListAppendMemoryCopy(list, (char*)into + (size_t)row * into_pitch,
                                      (const char*)from + (size_t)row * from_pitch, there->width,
                                      event, waits, wait_for) != success)
      return invalid_value;
  return success;
}

EXPORT int zeMemAllocDevice(void* context, const Wanted* wanted, size_t bytes, size_t alignment,
                            void* device, void** made) {
  if (context != &driver[1].context || device != &driver[1].device || wanted->structure != 0x15 ||
      alignment > page)
    return invalid_value;
  *made = make_piece(bytes, 0);
  return *made != NULL ? success : invalid_value;
}

EXPORT int zeMemFree(void* context, void* address) {
  return context == &driver[1].context ? free_piece((uintptr_t)address) : invalid_value;
}

EXPORT int zeMemAllocHost(void* context, const Wanted* wanted, size_t bytes, size_t alignment,
                          void** made) {
  if (context != &driver[1].context || wanted->structure != 0x16) return invalid_value;
  *made = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  return *made != NULL ? success : invalid_value;
}
