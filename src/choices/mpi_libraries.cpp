#include "choices/mpi_libraries.h"

#include <algorithm>
#include <tuple>

#include "choices/shipped_rules.h"

namespace toccata {

const std::vector<MpiLibrary>& mpi_libraries() {
  static const std::vector<MpiLibrary> all = [] {
    std::vector<MpiLibrary> found;
    for (const RuleTable& table : shipped_rules())
      for (MpiLibrary each : table.libraries()) {
        each.rules = &table;
        found.push_back(each);
      }
    return found;
  }();
  return all;
}

// For example:
//   Open MPI v3.1.0, package: IBM Spectrum MPI, ident: 10.03.01.00rtm0, ...
//   MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)
//   FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)
const MpiLibrary* mpi_library_of(std::string_view text) {
  const MpiLibrary* best = nullptr;
  const auto rank = [](const MpiLibrary& each) {
    return std::tuple(!each.is_predictable, each.sign.size());
  };
  for (const MpiLibrary& each : mpi_libraries())
    if (text.find(each.sign) != std::string_view::npos &&
        (best == nullptr || rank(each) > rank(*best)))
      best = &each;
  return best;
}

bool is_tested(std::string_view text) {
  const MpiLibrary* const library = mpi_library_of(text);
  if (library == nullptr) return false;
  text.remove_prefix(text.find(library->sign) + library->sign.size());
  const auto begin = std::min(text.find_first_of("0123456789"), text.size());
  const auto version = text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
  for (std::string_view rest = library->tested; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (version.starts_with(one) && (version.size() == one.size() || version[one.size()] == '.'))
      return true;
    rest.remove_prefix(std::min(rest.size(), one.size() + 2));
  }
  return false;
}

}  // namespace toccata
