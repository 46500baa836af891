// The library that a user preloads. It exports all functions of the second stage,
// libtoccata_mpi.so, which it loads at the first call of one of them. So a process that never calls
// MPI, such as a wrapper script, gets neither an MPI library nor its threads and signal handlers.
// This file depends on libc only; first_stage.S calls it.

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char toccata_first_names[];
extern const int32_t toccata_first_offsets[];
extern _Atomic(void*) toccata_first_slots[];
__attribute__((visibility("hidden"))) void* toccata_first_find(unsigned index, void* caller);

// Two threads may load the second stage at the same time: then both do the same. Without a lock, a
// forked child cannot wait for a thread that it does not have.
static _Atomic(void*) second_stage;
static atomic_flag has_failed = ATOMIC_FLAG_INIT;

// The next definition in the loader's order: of another preloaded tool, or of the MPI library. The
// loader searches after the file that calls dlsym, so this call must not become a jump.
static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  __asm__ volatile("" : "+r"(found));
  return found;
}

static const void* base_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

// If a program or a plugin loads its MPI library privately, the loader's order does not contain it.
static void* definition_for(void* caller, const char* name) {
  Dl_info info;
  struct link_map* map = NULL;
  if (dladdr1(caller, &info, (void**)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) return NULL;
  void* const library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  void* const found = library != NULL ? dlsym(library, name) : NULL;
  return base_of(found) != base_of((void*)&toccata_first_find) ? found : NULL;
}

// This file may have been found through a symbolic link, or by a relative path before the program
// changed its folder. Apart, because its frame is large.
__attribute__((noinline)) static void* open_beside(void) {
  static const char rest[] = "/" TOCCATA_WHOLE;
  Dl_info here;
  struct link_map* map = NULL;
  char named[2 * PATH_MAX], path[PATH_MAX + sizeof rest];
  if (dladdr1((void*)&toccata_first_find, &here, (void**)&map, RTLD_DL_LINKMAP) == 0 ||
      map == NULL || dlinfo(map, RTLD_DI_ORIGIN, named) != 0)
    return NULL;
  const char* const slash = strrchr(here.dli_fname, '/');
  const char* const file = slash != NULL ? slash + 1 : here.dli_fname;
  if (strlen(named) + strlen(file) + 2 > sizeof named) return NULL;
  strcat(strcat(named, "/"), file);
  if (realpath(named, path) == NULL) return NULL;
  strcpy(strrchr(path, '/'), rest);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static int is_first_rank(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                      "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* const rank = getenv(names[i]);
    if (rank != NULL) return strcmp(rank, "0") == 0;
  }
  return 1;
}

static void* load(void) {
  void* found = atomic_load_explicit(&second_stage, memory_order_acquire);
  if (found != NULL) return found;
  found = open_beside();
  if (found == NULL) {
    const char* const why = dlerror();
    if (!atomic_flag_test_and_set(&has_failed) && is_first_rank())
      fprintf(stderr,
              "toccata: Toccata is off, because " TOCCATA_WHOLE
              " cannot be loaded: %s. Install it next to libtoccata.so, and add its libraries' "
              "folders to LD_LIBRARY_PATH.\n",
              why != NULL ? why : "its folder is unknown");
    return NULL;
  }
  void (*begin)(void* (*next)(const char* name)) = NULL;
  *(void**)&begin = dlsym(found, "toccata_stage_begin");
  if (begin != NULL) begin(next);
  atomic_store_explicit(&second_stage, found, memory_order_release);
  return found;
}

void* toccata_first_find(unsigned index, void* caller) {
  const int error = errno;
  const char* const name = toccata_first_names + toccata_first_offsets[index];
  void* const library = load();
  void* found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) found = next(name);
  if (found == NULL) found = definition_for(caller, name);
  if (found == NULL) {
    fprintf(stderr,
            "toccata: no library defines %s; run the program with the MPI that it was built for\n",
            name);
    abort();
  }
  atomic_store_explicit(&toccata_first_slots[index], found, memory_order_release);
  errno = error;
  return found;
}

// A program that gets MPI's functions by a handle never calls ours. If its user expects a report,
// the second stage prints the reason for its absence.
static int look_for_mpi(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  const char* const slash = strrchr(info->dlpi_name, '/');
  return slash != NULL && strncmp(slash + 1, "libmpi", 6) == 0;
}

static void say_if_nothing_came(void) {
  if (atomic_load(&second_stage) != NULL || dl_iterate_phdr(look_for_mpi, NULL) == 0) return;
  void* const library = load();
  void (*end)(void) = NULL;
  if (library != NULL) *(void**)&end = dlsym(library, "toccata_stage_end");
  if (end != NULL) end();
}

__attribute__((constructor)) static void begin(void) {
  if (getenv("TOCCATA_REPORT") != NULL || getenv("TOCCATA_DOCTOR") != NULL)
    atexit(say_if_nothing_came);
}
