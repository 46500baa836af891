#pragma once

#include <string_view>

namespace toccata::recording {

// The algorithm of Toccata that served the last call of a collective in this thread; "" for the MPI
// library's own. libtoccata.so sets it by toccata_record_served() (mpi/call/recorded.h).
[[gnu::tls_model("initial-exec")]] constinit inline thread_local std::string_view served_by;

}  // namespace toccata::recording
