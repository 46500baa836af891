#include "selection/sized_choice.h"

#include <algorithm>
#include <charconv>

#include "selection/spelling.h"
#include "topology/words.h"

namespace toccata {

namespace {

// "4K", "256", "1M": powers of 1024.
std::int64_t parse_size(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, text.data() + text.size() - end);
  const auto power = std::string_view("KMG").find(unit.empty() ? ' ' : unit.front());
  const bool has_unit = unit.size() == 1 && power != std::string_view::npos;
  if (error != std::errc{} || value < 0 || value > (1 << 30) || !(unit.empty() || has_unit))
    throw ChoiceError("invalid size " + toccata::quoted(text) +
                      " after '<=': expected bytes, such as 512, 4K or 1M");
  return has_unit ? value << (10 * (power + 1)) : value;
}

}  // namespace

const Choice& SizedChoice::at(std::int64_t bytes) const {
  return std::ranges::lower_bound(ranges_, bytes, {}, &Range::most)->choice;
}

// Commas also separate parameters, so an entry ends after its limit.
SizedChoice parse_sized_choice(const Collective& collective, std::string_view text) {
  SizedChoice result;
  result.ranges_.clear();
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const std::size_t limit = rest.find("<=");
    // Names and values of parameters contain no such character.
    if (const std::size_t less = rest.find_first_of("<>"); less < limit)
      throw ChoiceError("unexpected " +
                        toccata::quoted(rest.substr(less, rest.find_first_of(", ", less) - less)) +
                        " after an algorithm: write '<=' for all sizes up to a limit, "
                        "as in bruck<=4K, pairwise");
    const Choice choice = parse_choice(collective, trimmed(rest.substr(0, limit)));
    if (limit == std::string_view::npos) {
      result.ranges_.push_back({SizedChoice::most_bytes, choice});
      return result;
    }
    rest.remove_prefix(limit + 2);
    const std::size_t comma = rest.find(',');
    const std::int64_t most = parse_size(trimmed(rest.substr(0, comma)));
    if (!result.ranges_.empty() && most <= result.ranges_.back().most)
      throw ChoiceError("sizes after '<=' must ascend");
    result.ranges_.push_back({most, choice});
    if (comma == std::string_view::npos) break;
    rest = trimmed(rest.substr(comma + 1));
    if (rest.empty()) throw ChoiceError("an algorithm is missing after the last ','");
  }
  if (result.ranges_.empty()) return SizedChoice(parse_choice(collective, ""));
  result.ranges_.push_back({SizedChoice::most_bytes, {}});
  return result;
}

}  // namespace toccata
