/* plugins PLUGIN [MODE]: loads a plugin that calls collectives. With "deep", it finds the functions
 * of the MPI library before those of preloaded libraries. With "alone", only the plugin calls MPI;
 * with "apart", it does so with an MPI library of its own, in another namespace. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "guest.h"

int main(int argc, char** argv) {
  const char* const mode = argc > 2 ? argv[2] : "";
  const int deep = strcmp(mode, "deep") == 0, apart = strcmp(mode, "apart") == 0;
  const int alone = apart || strcmp(mode, "alone") == 0;
  if (!alone) start(&argc, &argv);
  void* const plugin = apart ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW)
                             : dlopen(argv[1], RTLD_NOW | (deep ? RTLD_DEEPBIND : 0));
  const char* const name = alone ? "plugin_alone" : "plugin_sums";
  int (*const sums)(int) = plugin == NULL ? NULL : (int (*)(int))dlsym(plugin, name);
  if (sums == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    faults = 1;
  } else {
    faults += sums(100);
  }
  if (!alone) finish();
  if (alone) puts(faults == 0 ? "right" : "wrong");
  return 0;
}
