#include "choices/proved.h"

#include <algorithm>

namespace toccata {

bool is_proved(const Algorithm& algorithm) {
  return algorithm.outside == nullptr &&
         std::ranges::binary_search(proved_paths(), std::string_view(algorithm.path()));
}

}  // namespace toccata
