#include "api/serve.h"

#include "api/guard.h"
#include "mpi/call/blocking.h"

namespace toccata {

int serve(const Said& said, const Operation& call, const char* algorithm,
          FunctionRef<int()> native) noexcept {
  return guarded_collective(said.comm, [&] { return run(said, call, algorithm, native); });
}

}  // namespace toccata
