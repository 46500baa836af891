#pragma once

namespace toccata {

// The properties in which MPI libraries differ, as far as they matter here: one constant of this
// type per MPI library, in libraries/<name>/facts.h. `library.h` selects it.
struct LibraryFacts {
  const char* family = "";  // lib/<family>/libtoccata.so is for this MPI library

  // Calls
  bool releases_cores = false;        // a rank in a blocking call releases a core that it shares
  bool detects_aliases = false;       // in all collectives, not in some of them only
  bool has_slow_reductions = false;   // MPI_Reduce_local takes as long as our loops, or longer
  bool needs_init_to_reduce = false;  // MPI_Reduce_local, in programs that use sessions only

  // Communicators
  // One without an error handler of its own uses the world's, but a query says otherwise.
  bool hides_errhandler = false;
  bool drops_unknown_hints = false;  // from the info of a communicator

  // Requests
  bool mixes_generalized = false;     // MPI_Waitall takes open generalized requests and null ones
  bool progresses_by_thread = false;  // one thread may advance requests while another one waits

  // Sessions
  bool gives_all_threads = false;  // all have MPI_THREAD_MULTIPLE
  bool may_give_threads = false;   // one with an info has it if the info does not say otherwise
  // MPI_Finalize deletes the attributes of MPI_COMM_SELF although a session stays.
  bool ends_self_early = false;

  // Whether the program was started so that it can continue after the death of a rank (ULFM). The
  // same on all ranks.
  bool (*tolerates_faults)() = [] { return false; };
  // Whether blocking collectives certainly choose by the fixed rules that choices/native_algorithm
  // contains. `one_per_node`: whether each rank of the communicator has a node of its own.
  bool (*follows_known_rules)(bool one_per_node) = [](bool) { return false; };
  // Whether a network, or a library that may use one, may serve collectives.
  bool (*has_network_functions)() = [] { return false; };
};

}  // namespace toccata
