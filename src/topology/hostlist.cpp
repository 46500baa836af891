#include "topology/hostlist.h"

#include <algorithm>
#include <cctype>

#include "topology/error.h"
#include "topology/words.h"

namespace toccata {

namespace {

constexpr std::size_t most_hosts = 1 << 22;

std::string padded(long number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

// "001-016,20"
std::vector<std::string> expand_numbers(std::string_view list) {
  std::vector<std::string> result;
  for (const std::string_view range : split(list, ',')) {
    const std::size_t dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == range.npos ? first : range.substr(dash + 1);
    const auto from = parse_number(first), to = parse_number(last);
    if (!from || !to)
      throw TopologyError(quoted("[" + std::string(list) + "]") + " is not a list of numbers");
    if (*to < *from) throw TopologyError("the range " + quoted(range) + " is in descending order");
    if (static_cast<std::size_t>(*to - *from) >= most_hosts)
      throw TopologyError("the range " + quoted(range) + " is too long");
    for (long number = *from; number <= *to; ++number)  // as an int it would never exceed INT_MAX
      result.push_back(padded(number, first.size()));
  }
  return result;
}

// One name with any number of brackets.
void expand_name(const std::string& before, std::string_view name,
                 std::vector<std::string>& hosts) {
  const std::size_t open = name.find('[');
  const std::size_t close = name.find(']');
  if ((open == name.npos) != (close == name.npos) || (open != name.npos && close < open))
    throw TopologyError("the brackets of " + quoted(before + std::string(name)) + " do not match");
  if (open == name.npos) {
    hosts.push_back(before + std::string(name));
    if (hosts.back().empty()) throw TopologyError("a name is empty");
    if (hosts.size() > most_hosts) throw TopologyError("there are too many hosts");
    return;
  }
  for (const std::string& number : expand_numbers(name.substr(open + 1, close - open - 1)))
    expand_name(before + std::string(name.substr(0, open)) + number, name.substr(close + 1), hosts);
}

// "n007" is "n" and 7 in 3 digits.
struct Numbered {
  std::string_view stem, digits;
  int number = -1;  // -1 if it does not end in a number

  explicit Numbered(std::string_view name) {
    std::size_t end = name.size();
    while (end > 0 && name.size() - end < 9 &&
           std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0)
      --end;
    stem = name.substr(0, end);
    digits = name.substr(end);
    if (!digits.empty()) number = *parse_number(digits);
  }
  bool precedes(const Numbered& next) const {
    return number >= 0 && next.number == number + 1 && next.stem == stem &&
           next.digits == padded(number + 1, digits.size());
  }
};

}  // namespace

std::vector<std::string> expand_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      expand_name("", list.substr(begin, i - begin), hosts);
      begin = i + 1;
    } else if (list[i] == '[' || list[i] == ']') {
      depth += list[i] == '[' ? 1 : -1;
    }
  }
  return hosts;
}

std::string fold_hosts(std::span<const std::string> hosts) {
  std::string result, ranges;
  std::string_view stem;
  const auto close = [&] {
    const bool several = ranges.find_first_of(",-") != ranges.npos;
    result += several ? "[" + ranges + "]" : ranges;
    ranges.clear();
  };
  for (std::size_t i = 0; i < hosts.size();) {
    const Numbered first(hosts[i]);
    std::size_t last = i;
    while (last + 1 < hosts.size() && Numbered(hosts[last]).precedes(Numbered(hosts[last + 1])))
      ++last;
    if (ranges.empty() || first.number < 0 || first.stem != stem) {
      close();
      if (i > 0) result += ',';
      result += first.stem;
      stem = first.stem;
    } else {
      ranges += ',';
    }
    ranges += first.digits;
    if (last > i) (ranges += '-') += Numbered(hosts[last]).digits;
    i = last + 1;
  }
  close();
  return result;
}

}  // namespace toccata
