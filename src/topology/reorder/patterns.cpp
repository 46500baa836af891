#include "topology/reorder/patterns.h"

#include <algorithm>
#include <array>
#include <bit>

#include "topology/reorder/fold.h"

namespace toccata {

bool Pattern::is_possible(int p) const {
  return takes_all || std::has_single_bit(static_cast<unsigned>(p));
}

std::span<const Pattern> patterns() {
  static constexpr std::array all{
      Pattern{"recursive_doubling", "RDMH", "long messages between ranks p/2 apart", rdmh, false},
      Pattern{"ring", "RMH", "every rank sends to the next rank", fold_ring},
      Pattern{"binomial_bcast", "BBMH", "down a binomial tree, messages of equal size", bbmh},
      Pattern{"binomial_gather", "BGMH", "up a binomial tree, growing messages", bgmh},
      Pattern{"bruck", "BKMH", "to the rank 2^k below, in messages that grow with k", bkmh},
      Pattern{"uniform", "none",
              "all pairs exchange the same amount: no mapping is better than another",
              [](const Placement& placement, const MappingOptions& options) {
                Mapping turned = identity(placement.p());
                std::ranges::rotate(turned, turned.begin() + options.root);
                return turned;
              }},
  };
  return all;
}

const Pattern* find_pattern(std::string_view name) {
  const auto found = std::ranges::find(patterns(), name, &Pattern::name);
  return found == patterns().end() ? nullptr : &*found;
}

}  // namespace toccata
