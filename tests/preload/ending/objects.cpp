// Collectives in destructors.
//
//   objects global           of a global object, which also ends MPI
//   objects local            of a static object of a function, made before MPI_Init
//   objects thread           of a thread_local object of the main thread, which also ends MPI
//   objects threads          of thread_local objects and POSIX keys of other threads, one at a time
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <malloc.h>
#include <pthread.h>
#include <thread>

#include "calls.h"

namespace {

constexpr const char kinds[] = "bagnid";
constexpr int times = 40, few = 10;

// Calls collectives at its end, if it was told to.
struct Ending {
  const char* where = nullptr;
  int calls = times;
  bool finalizes = false;

  ~Ending() {
    if (where != nullptr) ::calls(where, kinds, calls);
    if (finalizes) MPI_Finalize();
  }
};

Ending global;
thread_local Ending of_thread;

Ending& local() {
  static Ending ending;
  return ending;
}

void call_at_end(void*) { calls("key", kinds, few); }

// POSIX destroys the values of keys in the order in which the keys were created. One is older than
// any key of the MPI library, the other younger.
pthread_key_t older, younger;

void run_thread() {
  std::thread([] {
    of_thread.where = "thread_local";
    of_thread.calls = few;
    pthread_setspecific(older, &older);
    pthread_setspecific(younger, &younger);
    calls("thread", kinds, few);
  }).join();
}

// Five threads, and whether they leave more than 1 KiB each behind.
bool leak() {
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 5; ++i) run_thread();
  return mallinfo2().uordblks > before + (std::size_t{5} << 10);
}

// Threads leave no memory behind. Where calls take long, trials begin meanwhile and need some once.
void run_threads() {
  pthread_key_create(&younger, call_at_end);
  int leaks = 0;
  for (int i = 0; i < 6; ++i) leaks += leak() ? 1 : 0;
  if (leaks >= 5) std::puts("leaks");
}

}  // namespace

int main(int argc, char** argv) {
  pthread_key_create(&older, call_at_end);
  Ending& ending = std::strcmp(argv[1], "global") == 0   ? global
                   : std::strcmp(argv[1], "local") == 0  ? local()
                   : std::strcmp(argv[1], "thread") == 0 ? of_thread
                                                         : global;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  calls("main", kinds, times);
  if (std::strcmp(argv[1], "threads") == 0) run_threads();
  ending.where = "destructor";
  ending.finalizes = true;
}
