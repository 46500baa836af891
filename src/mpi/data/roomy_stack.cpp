#include "mpi/data/roomy_stack.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <ucontext.h>

namespace toccata {

namespace {

// Contexts are large, so they lie at the low end of the roomy stack.
struct Contexts {
  ucontext_t here, there;
  void (*function)(void*);
  void* argument;
};

// makecontext passes only ints.
void enter(unsigned high, unsigned low) {
  const auto address = static_cast<std::uintptr_t>(high) << 32 | low;
  const auto* const contexts = reinterpret_cast<Contexts*>(address);
  contexts->function(contexts->argument);
}

constexpr std::size_t bytes = 1 << 20;

// The stack of the last call, for the next one: a program may create a datatype for each call.
constinit std::atomic<void*> kept = nullptr;

// A function of its own, because a context that is entered again must not keep its variables.
[[gnu::noinline]] void* take_stack() {
  if (void* const found = kept.exchange(nullptr)) return found;
  void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? nullptr : made;
}

void give_back(void* stack) {
  void* none = nullptr;
  if (!kept.compare_exchange_strong(none, stack)) munmap(stack, bytes);
}

}  // namespace

// Only touched pages of the stack take memory. If there is none, the caller's stack has to do.
void call_on_roomy_stack(void (*function)(void*), void* argument) {
  static constexpr std::size_t reserved = 4 << 10;
  static_assert(sizeof(Contexts) <= reserved);
  void* const memory = take_stack();
  if (memory == nullptr) return function(argument);
  auto* const contexts = new (memory) Contexts;
  contexts->function = function;
  contexts->argument = argument;
  getcontext(&contexts->there);
  contexts->there.uc_stack.ss_sp = static_cast<char*>(memory) + reserved;
  contexts->there.uc_stack.ss_size = bytes - reserved;
  contexts->there.uc_link = &contexts->here;
  const auto address = reinterpret_cast<std::uintptr_t>(contexts);
  makecontext(&contexts->there, reinterpret_cast<void (*)()>(enter), 2,
              static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  swapcontext(&contexts->here, &contexts->there);
  give_back(memory);
}

}  // namespace toccata
