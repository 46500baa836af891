#include "mpi/libraries/progress_hook.h"

namespace toccata {

bool ProgressHook::install(bool) { return false; }
void ProgressHook::drive(Background*) {}
bool ProgressHook::wake() { return true; }

}  // namespace toccata
