/* plugins PLUGIN [deep]: all ranks load a plugin that calls collectives. With "deep", it finds the
 * functions of the MPI library before those of preloaded libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "guest.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  void* const plugin = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_DEEPBIND : 0));
  int (*const sums)(int) = plugin == NULL ? NULL : (int (*)(int))dlsym(plugin, "plugin_sums");
  if (sums == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    faults = 1;
  } else {
    faults += sums(100);
  }
  finish();
  return 0;
}
