/* CUDA's driver behind the interface of the substitutes (cuda.c), so that the same tests run on a
 * GPU. This library passes the driver's functions on, and counts copies. CUDA_DRIVER may name the
 * driver's file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

typedef unsigned long long Address;
typedef int (*Function)(Address, Address, Address, Address);

static int transfers = 0, queries = 0;

static Function find(const char* name) {
  static void* driver;
  if (driver == NULL) {
    const char* const path = getenv("CUDA_DRIVER");
    driver = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  }
  Function function = NULL;
  if (driver != NULL) *(void**)&function = dlsym(driver, name);
  if (function == NULL) {
    fprintf(stderr, "real_cuda: the driver of CUDA has no %s: %s\n", name, dlerror());
    abort();
  }
  return function;
}

/* All functions here take integers and addresses, which use the same registers. */
#define PASS_ON(name, counter)                                  \
  EXPORT int name(Address a, Address b, Address c, Address d) { \
    static Function function;                                   \
    if (function == NULL) function = find(#name);               \
    counter;                                                    \
    return function(a, b, c, d);                                \
  }
PASS_ON(cuInit, (void)0)
PASS_ON(cuDeviceGetCount, (void)0)
PASS_ON(cuDeviceGet, (void)0)
PASS_ON(cuDeviceGetUuid, (void)0)
PASS_ON(cuDevicePrimaryCtxRetain, (void)0)
PASS_ON(cuCtxGetCurrent, (void)0)
PASS_ON(cuCtxSetCurrent, (void)0)
PASS_ON(cuCtxPushCurrent_v2, (void)0)
PASS_ON(cuCtxPopCurrent_v2, (void)0)
PASS_ON(cuStreamCreate, (void)0)
PASS_ON(cuStreamSynchronize, (void)0)
PASS_ON(cuPointerGetAttribute, ++queries)
PASS_ON(cuMemAlloc_v2, (void)0)
PASS_ON(cuMemAllocManaged, (void)0)
PASS_ON(cuMemFree_v2, (void)0)
PASS_ON(cuMemHostAlloc, (void)0)
PASS_ON(cuMemcpy, (void)0)
PASS_ON(cuMemcpyAsync, ++transfers)
PASS_ON(cuMemcpy2DAsync_v2, ++transfers)

static Address at(const void* address) { return (uintptr_t)address; }

static int begin(void) {
  int device = 0;
  void* context = NULL;
  return cuInit(0, 0, 0, 0) != 0 || cuDeviceGet(at(&device), 0, 0, 0) != 0 ||
         cuDevicePrimaryCtxRetain(at(&context), (Address)device, 0, 0) != 0 ||
         cuCtxSetCurrent(at(context), 0, 0, 0) != 0;
}

EXPORT int stand_in_begin(void) {
  static int begun = 0;
  if (!begun && begin() == 0) begun = 1;
  return !begun;
}
EXPORT void* stand_in_allocate(size_t bytes, int is_managed) {
  if (stand_in_begin() != 0) return NULL;
  Address made = 0;
  if (bytes == 0) bytes = 1;
  const int code = is_managed ? cuMemAllocManaged(at(&made), bytes, 1, 0)
                              : cuMemAlloc_v2(at(&made), bytes, 0, 0);
  return code == 0 ? (void*)(uintptr_t)made : NULL;
}
EXPORT int stand_in_free(void* address) { return cuMemFree_v2(at(address), 0, 0, 0); }
EXPORT int stand_in_copy(void* into, const void* from, size_t bytes) {
  return bytes == 0 ? 0 : cuMemcpy(at(into), at(from), bytes, 0);
}
EXPORT int stand_in_is_device(const void* address) {
  unsigned type = 0, managed = 0;
  return cuPointerGetAttribute(at(&type), 2, at(address), 0) == 0 && type == 2 &&
         (cuPointerGetAttribute(at(&managed), 8, at(address), 0) != 0 || managed == 0);
}
EXPORT int stand_in_transfers(void) { return transfers; }
EXPORT int stand_in_queries(void) { return queries; }
