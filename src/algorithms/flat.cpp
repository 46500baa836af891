#include "algorithms/flat.h"

#include "algorithms/registry.h"

namespace toccata {

Flat::Flat(const Collective& collective, std::string_view name)
    : algorithm_(*find_algorithm(collective, name)), parameters_(algorithm_.parameters) {
  for (const Parameter& parameter : algorithm_.parameters)
    if (parameter.name == "rotation")
      for (int value = 0; value <= parameter.most; ++value)
        if (parameter.text(value) == "none") parameters_.set(parameter, value);
}

}  // namespace toccata
