#pragma once

#include <string_view>

#include "algorithms/algorithm.h"

namespace toccata {

// An algorithm that knows of no levels, as a part of one that does. Allgather's lay every block in
// its place at once, so that they can be given parts of our recv; none cuts its message into
// segments, which is for the whole to do; one that ends in an allgather takes Sparbit's, of few
// rounds, as all nodes are far from each other. The root is rank 0.
class Flat {
 public:
  // The name is that of the file; it must exist. A radix of 0 is its standard, if it has any.
  Flat(const Collective& collective, std::string_view name, int radix = 0);

  const Algorithm& algorithm() const { return algorithm_; }
  Schedule schedule(int p, int rank) const { return algorithm_.schedule(shape(p), rank); }
  // Into how many parts it cuts its message.
  int parts(int p) const { return shape(p).parts; }
  // How many rounds the schedule of any rank has at most: those of the first ranks and the last, as
  // patterns begin and end with them. Proofs see it where rounds do not line up.
  int rounds(int p) const { return extent(p).rounds; }
  // The most messages that a rank of them sends, or receives, one after the other.
  int busy(int p) const { return static_cast<int>(extent(p).busy); }
  std::string why_impossible(int p) const { return algorithm_.why_impossible(shape(p)); }

 private:
  struct Extent {
    int rounds = 0;
    std::int64_t busy = 0;
  };
  const Extent& extent(int p) const;
  Shape shape(int p) const { return algorithm_.complete({.p = p, .parameters = parameters_}); }

  const Algorithm& algorithm_;
  int radix_;
  Parameters parameters_;
};

}  // namespace toccata
