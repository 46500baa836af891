#pragma once

#include <mpi.h>

#include <utility>

namespace toccata {

// The number of ranks in the arrays of this communicator's collectives.
int peers_in(MPI_Comm comm);

// A communicator without the attributes and topology of `comm`, for calls that the MPI library
// serves. Collective; errors are MPI's.
int make_bare(MPI_Comm comm, MPI_Comm& made);

// Gives `code` to the communicator's error handler. MPI_COMM_WORLD stands for no communicator.
void call_errhandler(MPI_Comm comm, int code);

// Where this thread is inside functions of MPI that may call the program's error handler. If the
// handler throws, the exception belongs to the program, and passes through our functions.
class InHandlers {
 public:
  template <typename Function>
  static int call(Function&& function) {
    ++depth_;
    const int code = function();  // if it throws, the depth stays
    --depth_;
    return code;
  }
  static int depth() { return depth_; }
  // Whether the exception that a function received is the program's. `depth` was that at its begin.
  static bool have_thrown(int depth) { return std::exchange(depth_, depth) > depth; }

 private:
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local int depth_ = 0;
};

}  // namespace toccata
