#pragma once

#include <string_view>

#include "algorithms/count.h"

namespace toccata {

// An algorithm that knows of no levels, as a part of one that does. Allgather's lay every block in
// its place at once, so that they can be given parts of our recv.
class Flat {
 public:
  // The name is that of the file; it must exist.
  Flat(const Collective& collective, std::string_view name);

  const Algorithm& algorithm() const { return algorithm_; }
  Schedule schedule(int p, int rank) const { return algorithm_.schedule(shape(p), rank); }
  // How many rounds the schedule of any rank has at most.
  int rounds(int p) const { return toccata::rounds(algorithm_, shape(p)); }
  std::string why_impossible(int p) const { return algorithm_.why_impossible(shape(p)); }

 private:
  Shape shape(int p) const { return {.p = p, .parameters = parameters_}; }

  const Algorithm& algorithm_;
  Parameters parameters_;
};

}  // namespace toccata
