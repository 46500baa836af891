#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mpi/call/signature.h"
#include "mpi/data/datatype.h"

namespace toccata {

// What a Signature does not show: the contents of the arrays, and the meaning of derived datatypes.
// After one was freed, another one may have the same handle; we know that only if we have looked it
// up.
class KeptArguments {
 public:
  // Null for a call without arrays and derived datatypes.
  static std::unique_ptr<const KeptArguments> of(const Signature& signature, int blocks,
                                                 const DatatypeTable& datatypes) {
    std::uint64_t era = 0;
    for (const MPI_Datatype type : {signature.sent_type, signature.received_type})
      if (type != MPI_Datatype{} && !datatypes.is_predefined(type)) era = DatatypeTable::era();
    if (era == 0 && signature.width() == 0) return nullptr;
    return std::make_unique<KeptArguments>(signature, blocks, era);
  }
  KeptArguments(const Signature& signature, int blocks, std::uint64_t era)
      : era_(era),
        bytes_(static_cast<std::size_t>(blocks) * signature.width()),
        counts_(memory(signature.counts)),
        places_(memory(signature.places)) {}

  // Whether another call that is like this one has the same arguments. A function of its own, so
  // that other calls do not need its registers.
  [[gnu::noinline]] bool are_those_of(const Signature& other) const {
    return (era_ == 0 || era_ == DatatypeTable::era()) && memory(other.counts) == counts_ &&
           memory(other.places) == places_;
  }

  bool have_derived_datatypes() const { return era_ != 0; }

  // For more blocks, a call takes so long that finding its server does not matter.
  static constexpr int most_blocks = 512;

 private:
  std::string_view memory(const void* array) const {
    return {static_cast<const char*>(array), array == nullptr ? 0 : bytes_};
  }

  std::uint64_t era_;  // of derived datatypes; 0: there are none
  std::size_t bytes_;  // of an array
  std::string counts_, places_;
};

}  // namespace toccata
