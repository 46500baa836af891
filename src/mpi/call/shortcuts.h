#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/call/kept_arguments.h"
#include "mpi/call/kept_by_thread.h"
#include "mpi/call/recent_calls.h"
#include "mpi/call/signature.h"
#include "mpi/communicator/communicator.h"
#include "mpi/data/kernels.h"
#include "mpi/devices/device_memory.h"
#include "mpi/execution/execution.h"
#include "mpi/execution/waiting.h"
#include "node/short_program.h"

namespace toccata {

// A thread's last calls with short messages that the ranks of a node serve in their memory. Another
// call with the same arguments, except for its buffers, goes directly to the flags: an allreduce of
// 8 bytes takes two hundred nanoseconds, and finding its server would take as long again.
//
// Whether a call takes a shortcut is local: other ranks neither see nor need to know it.
class Shortcuts {
 public:
  // Runs a call if there is a shortcut for it; `code` is what MPI returns.
  static bool take(const Signature& signature, int& code);

  // Call this after a call that could take a shortcut. The second one of its kind creates it, if
  // there is memory.
  static void keep(const Signature& signature, const Operation& call, Communicator& communicator,
                   const Plan& plan, Execution& execution, const Transport& transport);

 private:
  struct Shortcut {
    Signature signature = {};
    std::uint64_t era = 0;
    std::unique_ptr<const KeptArguments> arguments = {};
    std::optional<node::ShortProgram> program = {};
    Communicator* communicator = nullptr;
    const Channel* channel = nullptr;
    node::Board* board = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;  // the private one
    bool spare_cores = true;
    bool reads = false, writes = false;  // this rank's buffers
    std::int64_t alias = 0;              // send - recv, in case MPI refuses it
    Reduction reduction = {};
    node::Operator combines = {};
    // The packed data of buffers with gaps.
    struct Packed {
      int elements = 0;  // 0: the buffer has no gaps
      MPI_Datatype type = MPI_DATATYPE_NULL;
      std::vector<char> data = {};
    };
    struct Gaps {
      Packed sends, receives;
      bool is_root;  // of a broadcast: what it sends is in `receives`
      bool keeps;    // blocks of `receives` that no rank sends: of neighbors that do not exist
    };
    std::unique_ptr<Gaps> gaps = {};  // null if no buffer has gaps

    bool is_for(const Signature& other) const {
      return signature.is_like(other) && era == Communicator::era() &&
             (signature.in == MPI_IN_PLACE) == (other.in == MPI_IN_PLACE) &&
             (arguments == nullptr || arguments->are_those_of(other));
    }
    // MPI judges invalid calls, and the general path serves calls in place, except for reductions.
    bool fits(const Signature& other) const {
      return program && is_for(other) && other.out != MPI_IN_PLACE &&
             (!reads || other.in != nullptr) && (!writes || other.out != nullptr) &&
             (!reads || !writes ||
              reinterpret_cast<std::intptr_t>(other.in) -
                      reinterpret_cast<std::intptr_t>(other.out) !=
                  alias) &&
             !channel->has_open_publications() && (!has_device_runtime() || !is_on_device(other));
    }
    bool is_on_device(const Signature& other) const {
      return (reads && device_runtime_of(other.in) != nullptr) ||
             (writes && device_runtime_of(other.out) != nullptr);
    }
    int run(const Signature& other);
    int run_packed(char* send, char* recv);
    bool run_program(char* send, char* recv);
  };

  static void make(Shortcut& made, const Operation& call, Communicator& communicator,
                   const Plan& plan, Execution& execution, const Transport& transport,
                   const node::Memory& memory);

  static std::uint64_t key(const Signature& signature) {
    return signature.handles() + static_cast<std::uint64_t>(signature.sent + signature.received) +
           static_cast<std::uint64_t>(signature.named_root) * 64;
  }

  RecentCalls<Shortcut> shortcuts_;
};

}  // namespace toccata
