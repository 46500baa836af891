#pragma once

#include <mpi.h>

#include <bit>
#include <cstdint>
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

// A thread's last calls that the MPI library serves, by communicator, collective and size class. A
// short call takes MPI 50 ns. Another call of the same class goes directly to MPI, with any root
// and any size in that class.
class Repeats {
 public:
  // Whether this is one more of them.
  static bool is_one_more(const Signature& signature) {
    Repeats* const mine = KeptByThread<Repeats>::get();
    if (mine == nullptr) return false;
    const Repeat* const last = mine->repeats_.find(
        key(signature), [&](const Repeat& one) { return one.is_for(signature); });
    if (last == nullptr || *last->left == 0) return false;
    --*last->left;
    return true;
  }

  // The same for a call of that form that makes a request; persistent ones are never repeated.
  static bool is_one_more(Signature& signature, Form form) {
    signature.opens = form == Form::nonblocking;
    return signature.opens && is_one_more(signature);
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
        arguments = KeptArguments::of(signature, seat.p, datatypes);
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
  // The calls of a class: all, or those whose number of sent or received elements is in this range.
  struct Range {
    bool all = false, by_sent = false;
    std::int64_t least = 0, most = 0;
  };
  struct Repeat {
    Signature signature = {};
    std::uint64_t era = 0;
    std::int64_t* left = nullptr;
    Range range = {};
    std::unique_ptr<const KeptArguments> arguments = {};

    // Arrays last: they have as many numbers as the communicator had ranks.
    bool is_for(const Signature& other) const {
      const std::int64_t elements = range.by_sent ? other.sent : other.received;
      return era == Communicator::era() && signature.comm == other.comm &&
             signature.collective == other.collective && signature.sent_type == other.sent_type &&
             signature.received_type == other.received_type &&
             signature.operation == other.operation && signature.root == other.root &&
             signature.width == other.width && signature.opens == other.opens &&
             ((range.least <= elements && elements <= range.most) || range.all) &&
             (arguments == nullptr || arguments->are_those_of(other));
    }
  };

  // Whether all calls are in one class: ranks do not know each other's sizes, or there are none.
  static bool is_in_one_class(const Collective& collective) {
    return collective.vector_of != nullptr || collective.among_neighbors || collective.synchronizes;
  }
  // For a class of calls with `least` to `most` bytes. Calls with arrays must have the same arrays.
  static std::optional<Range> range_of(const Signature& signature, const Operation& operation,
                                       const Seat& seat, std::int64_t least, std::int64_t most) {
    if (is_in_one_class(operation.collective)) return Range{.all = true};
    if (signature.width > 0)
      return seat.p <= KeptArguments::most_blocks ? std::optional(Range{.all = true})
                                                  : std::nullopt;
    const bool by_sent = operation.is_sized_by_sent(seat.rank);
    const std::int64_t elements = by_sent ? signature.sent : signature.received;
    if (elements < 0) return {};
    if (elements == 0) return Range{.by_sent = by_sent};
    const std::int64_t size = operation.unit(seat.rank, seat.p) / elements;
    if (size <= 0) return {};
    return Range{.by_sent = by_sent,
                 .least = least <= 0 ? 1 : (least + size - 1) / size,
                 .most = most / size};
  }

  static std::uint64_t key(const Signature& signature) {
    const auto handles = signature.handles() ^ static_cast<std::uintptr_t>(signature.opens);
    const auto size =
        std::bit_width(static_cast<std::uint64_t>(signature.sent | signature.received));
    return handles + static_cast<std::uint64_t>(size) * 8;
  }

  RecentCalls<Repeat> repeats_;
};

}  // namespace toccata
