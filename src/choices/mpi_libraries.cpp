#include "choices/mpi_libraries.h"

#include <algorithm>
#include <tuple>

#include "choices/shipped_rules.h"
#include "topology/words.h"

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

// The version after the sign of a library, such as "4.1.4".
static std::string_view version_text(const MpiLibrary& library, std::string_view text) {
  text.remove_prefix(text.find(library.sign) + library.sign.size());
  const auto begin = std::min(text.find_first_of("0123456789"), text.size());
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

int version_of(std::string_view text) {
  const MpiLibrary* const library = mpi_library_of(text);
  if (library == nullptr) return 0;
  const auto numbers = split(version_text(*library, text), '.');
  const auto number = [&](std::size_t i) {
    return i < numbers.size() ? std::min(parse_number(numbers[i]).value_or(0), 99) : 0;
  };
  return 100 * number(0) + number(1);
}

bool is_tested(std::string_view text) {
  const MpiLibrary* const library = mpi_library_of(text);
  if (library == nullptr) return false;
  const std::string_view version = version_text(*library, text);
  for (std::string_view rest = library->tested; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (version.starts_with(one) && (version.size() == one.size() || version[one.size()] == '.'))
      return true;
    rest.remove_prefix(std::min(rest.size(), one.size() + 2));
  }
  return false;
}

}  // namespace toccata
