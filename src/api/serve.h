#pragma once

#include <mpi.h>

#include "mpi/call/call.h"
#include "mpi/call/function_ref.h"
#include "mpi/call/said.h"
#include "mpi/data/operation.h"

namespace toccata {

// Serves a blocking call, as run() in mpi/call/blocking.h. No exception leaves this function.
int serve(const Said& said, const Operation& call, const char* algorithm,
          FunctionRef<int()> native) noexcept;

}  // namespace toccata
