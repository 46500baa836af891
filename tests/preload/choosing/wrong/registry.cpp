// The registry of the build, and allgather/wrong.
#define all_algorithms built_algorithms
#define find_algorithm find_built_algorithm
#include "src/registry.cpp"  // as the build made it
#undef all_algorithms
#undef find_algorithm

#include <algorithm>
#include <vector>

namespace toccata {

namespace algorithms::allgather {
extern const Algorithm wrong;
}

std::span<const Algorithm* const> all_algorithms() {
  static const std::vector<const Algorithm*> all = [] {
    const auto built = built_algorithms();
    std::vector<const Algorithm*> result(built.begin(), built.end());
    result.push_back(&algorithms::allgather::wrong);
    std::ranges::sort(result, {}, &Algorithm::path);
    return result;
  }();
  return all;
}

const Algorithm* find_algorithm(const Collective& collective, std::string_view name) {
  for (const Algorithm* each : all_algorithms())
    if (each->serves(collective) && each->name == name) return each;
  return nullptr;
}

}  // namespace toccata
