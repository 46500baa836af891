/* Stands in for a GPU's runtime: memory that the program has named is "on the device". It is host
 * memory in truth, so that MPI can move it; only who asks this library can tell. */
static unsigned long long first, last;

__attribute__((visibility("default"))) void fake_device_range(void* begin, void* end);
__attribute__((visibility("default"))) int cuPointerGetAttribute(void* data, int attribute,
                                                                 unsigned long long pointer);

void fake_device_range(void* begin, void* end) {
  first = (unsigned long long)begin;
  last = (unsigned long long)end;
}

int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  enum { memory_type = 2, device = 2, invalid_value = 1 };
  if (attribute != memory_type || pointer < first || pointer >= last) return invalid_value;
  *(unsigned*)data = device;
  return 0;
}
