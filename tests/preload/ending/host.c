// Loads a plugin that calls MPI, and unloads it: host PLUGIN
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int ended = 0;
  void* const plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (plugin == NULL) {
    puts(dlerror());
    return 1;
  }
  ((void (*)(void))dlsym(plugin, "work"))();
  dlclose(plugin);
  MPI_Finalized(&ended);
  if (!ended) puts("not ended");
  return 0;
}
