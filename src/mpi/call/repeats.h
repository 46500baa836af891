#pragma once

#include <mpi.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "mpi/call/kept_arguments.h"
#include "mpi/call/kept_by_thread.h"
#include "mpi/call/recent_calls.h"
#include "mpi/call/signature.h"
#include "mpi/communicator/communicator.h"

namespace toccata {

// Whether that error code means that MPI rejected a call's arguments, before it sent any message.
[[gnu::noinline]] inline bool rejects_arguments(int code) {
  int found = MPI_ERR_OTHER;
  PMPI_Error_class(code, &found);
  return found == MPI_ERR_BUFFER || found == MPI_ERR_COUNT || found == MPI_ERR_TYPE ||
         found == MPI_ERR_ROOT || found == MPI_ERR_OP || found == MPI_ERR_ARG;
}

// A thread's last calls that the MPI library serves, by communicator, collective and size class. A
// short call takes MPI 50 ns. Another call of the same class goes directly to MPI, with any root
// and any size in that class.
class Repeats {
 public:
  // Whether this is one more of them. In the caller, so that the arguments stay in registers.
  [[gnu::always_inline]] static inline bool is_one_more(const Signature& signature) {
    Repeats* const mine = KeptByThread<Repeats>::get();
    if (mine == nullptr) return false;
    const std::uint64_t its = key(signature);
    const Repeat* const last =
        mine->repeats_.find(its, [&](const Repeat& one) { return one.is_like(signature); });
    if (last == nullptr) return false;
    if (last->arguments != nullptr) return mine->is_one_more_with_arrays(its, signature);
    return mine->take_one(its, *last);
  }

  // Call this with the error code of native for such a call. If native rejected the arguments, this
  // rank has not made the call, so it is not counted: others would make it one call later.
  static int judged(int code, const Signature& signature) {
    if (code != MPI_SUCCESS && rejects_arguments(code)) take_back(signature);
    return code;
  }

  // The same for a call of that form that makes a request; persistent ones are never repeated.
  static bool is_one_more(Signature& signature, Form form) {
    if (form != Form::nonblocking) return false;
    signature.set_nonblocking();
    return is_one_more(signature);
  }

  // `operation` is the same call, on that rank of that number of ranks; `calls` is its class, of
  // blocking or of nonblocking calls.
  template <typename SizeClass>
  static void remember(const Signature& signature, const Operation& operation, const Seat& seat,
                       SizeClass& calls, const DatatypeTable& datatypes) {
    const std::optional<Range> range =
        range_of(signature, operation, seat, calls.least, calls.most);
    if (!range) return;
    std::unique_ptr<const KeptArguments> arguments;
    try {
      if (!is_in_one_class(operation.collective))
        arguments = KeptArguments::of(signature, 0, seat.p, datatypes);
    } catch (const std::bad_alloc&) {
      return;
    }
    // Native serves calls without a look at their datatypes.
    if (arguments != nullptr && arguments->have_derived_datatypes()) return;
    Repeats* const mine = KeptByThread<Repeats>::make();
    if (mine == nullptr) return;
    RecentCalls<Repeat>& all = mine->repeats_;
    Repeat* kept =
        all.find(key(signature), [&](const Repeat& one) { return one.is_for(signature); });
    if (kept == nullptr) kept = &all.replace(key(signature));
    *kept = {.signature = signature,
             .era = Communicator::era(),
             .left = &calls.left,
             .range = *range,
             .arguments = std::move(arguments)};
  }

 private:
  // The calls of a class: those whose number of sent or received elements is in this range.
  struct Range {
    bool by_sent = false;
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
  };
  struct Repeat {
    Signature signature = {};
    std::uint64_t era = 0;
    std::int64_t* left = nullptr;
    Range range = {};
    std::unique_ptr<const KeptArguments> arguments = {};

    // Compares all except the arrays.
    bool is_like(const Signature& other) const {
      const std::int64_t elements = range.by_sent ? other.sent : other.received;
      return era == Communicator::era() && signature.comm == other.comm &&
             signature.collective == other.collective && signature.sent_type == other.sent_type &&
             signature.received_type == other.received_type &&
             signature.operation == other.operation && signature.kind() == other.kind() &&
             range.least <= elements && elements <= range.most;
    }
    // Arrays last: they have as many numbers as the communicator had ranks.
    bool is_for(const Signature& other) const {
      return is_like(other) && (arguments == nullptr || arguments->are_those_of(other));
    }
  };

  [[gnu::noinline]] static void take_back(const Signature& signature) {
    Repeats* const mine = KeptByThread<Repeats>::get();
    const Repeat* const last =
        mine == nullptr ? nullptr : mine->repeats_.find(key(signature), [&](const Repeat& one) {
          return one.is_for(signature);
        });
    if (last != nullptr) Decisions::SizeClass::add_back(*last->left);
  }
  // Counts one more call, if its class has not come to an end. An algorithm may serve later ones.
  bool take_one(std::uint64_t key, const Repeat& last) {
    if (*last.left == 0) {
      repeats_.forget(key, &last);
      return false;
    }
    --*last.left;
    return true;
  }
  // A function of its own, so that other calls do not need its registers.
  [[gnu::noinline]] bool is_one_more_with_arrays(std::uint64_t key, const Signature& signature) {
    const Repeat* const last =
        repeats_.find(key, [&](const Repeat& one) { return one.is_for(signature); });
    return last != nullptr && take_one(key, *last);
  }

  // Whether all calls are in one class: ranks do not know each other's sizes, or there are none.
  static bool is_in_one_class(const Collective& collective) {
    return collective.vector_of != nullptr || collective.among_neighbors || collective.synchronizes;
  }
  // For a class of calls with `least` to `most` bytes. Calls with arrays must have the same arrays.
  static std::optional<Range> range_of(const Signature& signature, const Operation& operation,
                                       const Seat& seat, std::int64_t least, std::int64_t most) {
    if (is_in_one_class(operation.collective)) return Range{};
    if (signature.width() > 0)
      return seat.p <= KeptArguments::most_blocks ? std::optional(Range{}) : std::nullopt;
    const bool by_sent = operation.is_sized_by_sent(seat.rank);
    const std::int64_t elements = by_sent ? signature.sent : signature.received;
    if (elements < 0) return {};
    if (elements == 0) return Range{.by_sent = by_sent, .least = 0, .most = 0};
    const std::int64_t size = operation.unit(seat.rank, seat.p) / elements;
    if (size <= 0) return {};
    return Range{.by_sent = by_sent,
                 .least = least <= 0 ? 1 : (least + size - 1) / size,
                 .most = most / size};
  }

  static std::uint64_t key(const Signature& signature) {
    const auto handles = signature.handles() ^ signature.kind();
    const auto size =
        std::bit_width(static_cast<std::uint64_t>(signature.sent | signature.received));
    return handles + static_cast<std::uint64_t>(size) * 8;
  }

  RecentCalls<Repeat> repeats_;
};

}  // namespace toccata
