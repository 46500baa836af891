#pragma once

#include <vector>

#include "collectives/collective.h"
#include "schedule/schedule.h"

namespace toccata {

// The datum for which each block of one rank is meant. It determines the size of the block.
class Sizing {
 public:
  Sizing(const Collective& collective, const Shape& shape, int rank, const Schedule& schedule);

  Datum operator()(Buffer buffer, int block) const {
    return buffer == Buffer::scratch ? scratch_[block]
                                     : collective_->sized(*shape_, rank_, buffer, block);
  }
  int blocks(Buffer buffer) const {
    return buffer == Buffer::scratch ? static_cast<int>(scratch_.size())
                                     : collective_->blocks(*shape_, rank_, buffer);
  }

 private:
  const Collective* collective_;
  const Shape* shape_;
  int rank_;
  std::vector<Datum> scratch_;
};

}  // namespace toccata
