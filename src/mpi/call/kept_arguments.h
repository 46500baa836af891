#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "mpi/call/signature.h"
#include "mpi/data/datatype.h"

namespace toccata {

// What a Signature does not show: the contents of the arrays, and the meaning of derived datatypes.
// After one was freed, another one may have the same handle.
class KeptArguments {
 public:
  KeptArguments() = default;
  KeptArguments(const Signature& signature, int blocks, const DatatypeTable& datatypes) {
    for (const MPI_Datatype type : {signature.sent_type, signature.received_type})
      if (type != MPI_Datatype{} && !datatypes.is_predefined(type)) era_ = DatatypeTable::era();
    bytes_ = static_cast<std::size_t>(blocks) * signature.width;
    counts_ = memory(signature.counts);
    places_ = memory(signature.places);
    are_none_ = era_ == 0 && bytes_ == 0;
  }

  // Whether another call that is like this one has the same arguments.
  bool are_those_of(const Signature& other) const { return are_none_ || compare(other); }

  // For more blocks, a call takes so long that finding its server does not matter.
  static constexpr int most_blocks = 512;

 private:
  // A function of its own, so that other calls do not need its registers.
  [[gnu::noinline]] bool compare(const Signature& other) const {
    return (era_ == 0 || era_ == DatatypeTable::era()) && memory(other.counts) == counts_ &&
           memory(other.places) == places_;
  }
  std::string_view memory(const void* array) const {
    return {static_cast<const char*>(array), array == nullptr ? 0 : bytes_};
  }

  bool are_none_ = true;
  std::uint64_t era_ = 0;
  std::size_t bytes_ = 0;  // of an array
  std::string counts_, places_;
};

}  // namespace toccata
