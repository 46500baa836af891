#pragma once

#include <exception>

namespace toccata {

void call_on_roomy_stack(void (*function)(void*), void* argument);

// Calls a function in this thread, but on a stack of 1 MiB. Threads and coroutines of the program
// may have only what MPI's own collectives need. Use this for rare steps that take much more:
// hwloc, and what takes 128 KiB in MPICH 4.0: MPI_Pack, new communicators, predefined operations.
template <typename Function>
void on_roomy_stack(Function&& function) {
  struct Task {
    Function& function;
    std::exception_ptr thrown = {};
  } task{function};
  call_on_roomy_stack(
      [](void* argument) {
        Task& here = *static_cast<Task*>(argument);
        try {
          here.function();
        } catch (...) {
          here.thrown = std::current_exception();
        }
      },
      &task);
  if (task.thrown) std::rethrow_exception(task.thrown);
}

}  // namespace toccata
