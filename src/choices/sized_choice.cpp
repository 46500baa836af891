#include "choices/sized_choice.h"

#include <algorithm>
#include <charconv>

#include "choices/spelling.h"
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
                      " after '<=' or '<': expected bytes, such as 512, 4K or 1M");
  return has_unit ? value << (10 * (power + 1)) : value;
}

}  // namespace

const Choice& SizedChoice::at(std::int64_t bytes) const {
  return std::ranges::lower_bound(ranges_, bytes, {}, &Range::most)->choice;
}

// Commas also separate parameters, so an entry ends after its limit.
SizedEntry take_entry(std::string_view& rest) {
  const std::size_t sign = rest.find_first_of("<>");  // no name or value contains one
  const SizedEntry last{trimmed(rest.substr(0, sign)), SizedChoice::most_bytes};
  if (sign == std::string_view::npos) {
    rest = {};
    return last;
  }
  if (rest[sign] == '>')
    throw ChoiceError("unexpected " +
                      toccata::quoted(rest.substr(sign, rest.find_first_of(", ", sign) - sign)) +
                      " after an algorithm: write '<=' for all sizes up to a limit, "
                      "as in bruck<=4K, pairwise");
  rest.remove_prefix(sign + 1);
  const bool includes = rest.starts_with('=');
  if (includes) rest.remove_prefix(1);
  const std::size_t comma = rest.find(',');
  const std::int64_t limit = parse_size(trimmed(rest.substr(0, comma)));
  rest = comma == std::string_view::npos ? "" : trimmed(rest.substr(comma + 1));
  if (comma != std::string_view::npos && rest.empty())
    throw ChoiceError("an algorithm is missing after the last ','");
  return {last.choice, includes ? limit : limit - 1};
}

SizedChoice parse_sized_choice(const Collective& collective, std::string_view text) {
  SizedChoice result;
  result.ranges_.clear();
  for (std::string_view rest = trimmed(text); !rest.empty();) {
    const SizedEntry entry = take_entry(rest);
    const std::int64_t before = result.ranges_.empty() ? -1 : result.ranges_.back().most;
    if (entry.most <= before) throw ChoiceError("sizes must ascend");
    result.ranges_.push_back({entry.most, parse_choice(collective, entry.choice)});
  }
  if (result.ranges_.empty()) return SizedChoice(parse_choice(collective, ""));
  if (result.ranges_.back().most != SizedChoice::most_bytes)
    result.ranges_.push_back({SizedChoice::most_bytes, {}});
  return result;
}

}  // namespace toccata
