// Replaces the library's allocations (C++ new). The allocation with the number FAIL_ALLOCATION
// fails. Counting starts with the process and ends with MPI_Init, or with UNTIL_END at the end of
// MPI_Finalize. Without FAIL_ALLOCATION, it prints the number of allocations before main() and
// until then.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <new>

namespace {

std::atomic<long> allocations = 0, before_main = 0;
std::atomic<bool> is_over = false;

long failing() {
  static const char* const text = std::getenv("FAIL_ALLOCATION");
  return text == nullptr ? 0 : std::atol(text);
}

void* allocate(std::size_t bytes) {
  if (!is_over && ++allocations == failing()) return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void end() {
  is_over = true;
  if (failing() == 0)
    std::fprintf(stderr, "allocations %ld %ld\n", before_main.load(), allocations.load());
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* memory = allocate(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

extern "C" __attribute__((visibility("default"))) int MPI_Init(int* argc, char*** argv) {
  before_main = allocations.load();
  const auto next = reinterpret_cast<decltype(&MPI_Init)>(dlsym(RTLD_NEXT, "MPI_Init"));
  const int code = next(argc, argv);
  if (std::getenv("UNTIL_END") == nullptr) end();
  return code;
}

extern "C" __attribute__((visibility("default"))) int MPI_Finalize() {
  const auto next = reinterpret_cast<decltype(&MPI_Finalize)>(dlsym(RTLD_NEXT, "MPI_Finalize"));
  const int code = next();
  if (!is_over) end();
  return code;
}
