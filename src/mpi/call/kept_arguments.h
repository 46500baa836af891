#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "mpi/call/signature.h"
#include "mpi/data/datatype.h"

namespace toccata {

// What a Signature does not show: the contents of the arrays, and the meaning of derived datatypes.
// After one was freed, another one may have the same handle; we know that only if we have looked it
// up.
class KeptArguments {
 public:
  // Null for a call without arrays and derived datatypes. `sent` and `received`: the lengths of its
  // arrays.
  static std::unique_ptr<const KeptArguments> of(const Signature& signature, int sent, int received,
                                                 const DatatypeTable& datatypes) {
    std::uint64_t era = 0;
    for (const MPI_Datatype type : {signature.sent_type, signature.received_type})
      if (type != MPI_Datatype{} && !datatypes.is_predefined(type)) era = DatatypeTable::era();
    if (era == 0 && signature.width() == 0) return nullptr;
    return std::make_unique<KeptArguments>(signature, sent, received, era);
  }
  KeptArguments(const Signature& signature, int sent, int received, std::uint64_t era) : era_(era) {
    const std::size_t width = signature.width();
    const std::size_t bytes[] = {sent * width, received * width};
    const std::array<const void*, 4> arrays = arrays_of(signature);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i] != nullptr) kept_[i].assign(static_cast<const char*>(arrays[i]), bytes[i / 2]);
  }

  // Whether another call that is like this one has the same arguments. A function of its own, so
  // that other calls do not need its registers.
  [[gnu::noinline]] bool are_those_of(const Signature& other) const {
    if (era_ != 0 && era_ != DatatypeTable::era()) return false;
    const std::array<const void*, 4> arrays = arrays_of(other);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (!kept_[i].empty() &&
          (arrays[i] == nullptr || std::memcmp(kept_[i].data(), arrays[i], kept_[i].size()) != 0))
        return false;
    return true;
  }

  bool have_derived_datatypes() const { return era_ != 0; }

  // For more blocks, a call takes so long that finding its server does not matter.
  static constexpr int most_blocks = 512;

 private:
  static std::array<const void*, 4> arrays_of(const Signature& signature) {
    return {signature.sent_counts, signature.sent_places, signature.received_counts,
            signature.received_places};
  }

  std::uint64_t era_;  // of derived datatypes; 0: there are none
  std::array<std::string, 4> kept_;
};

}  // namespace toccata
