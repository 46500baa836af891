#include "choices/rule_table.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "choices/proved.h"
#include "choices/sized_choice.h"
#include "choices/spelling.h"
#include "collectives/shape.h"
#include "topology/file.h"
#include "topology/words.h"

namespace toccata {

namespace {

// In the order of RuleTable::Section.
constexpr std::string_view sections[] = {"libraries",    "node",
                                         "node crowded", "node crowded direct",
                                         "persistent",   "persistent crowded",
                                         "nonblocking",  "nonblocking crowded",
                                         "own",          "own nodes",
                                         "own apart",    "own requests",
                                         "rivals",       "candidates",
                                         "unknown rival"};

// Whether rows contain choices only.
bool is_list(RuleTable::Section section) {
  return section == RuleTable::Section::rivals || section == RuleTable::Section::candidates;
}

// Whether such rows may have that word instead of an algorithm.
bool permits(RuleTable::Section section, std::string_view word) {
  using Section = RuleTable::Section;
  if (word == RuleTable::as_blocking)
    return section >= Section::persistent && section <= Section::nonblocking_crowded;
  return word == RuleTable::least_regret && section == Section::unknown_rival;
}

// Whether rows name the algorithms that an MPI library uses itself.
bool is_own(RuleTable::Section section) {
  return section >= RuleTable::Section::own && section <= RuleTable::Section::own_requests;
}

// Removes the version from the title of a section, such as "own nodes 5.0", and returns it; 0 if
// there is none. Only the sections of its algorithms by nodes have versions.
int take_version(std::string_view& title) {
  const std::size_t end = std::min(title.rfind(' '), title.size());
  const std::string_view section = title.substr(0, end);
  const std::string_view version = title.substr(std::min(end + 1, title.size()));
  const std::size_t dot = version.find('.');
  if ((section != "own nodes" && section != "own apart") || dot == std::string_view::npos) return 0;
  const auto major = parse_number(version.substr(0, dot));
  const auto minor = parse_number(version.substr(dot + 1));
  if (!major || !minor || *major > 999 || *minor > 99) return 0;
  title = section;
  return 100 * *major + *minor;
}

// Whether a text begins with a word, which is removed from it.
bool take_prefix(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// The first word of a row, which is removed from it.
std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest = trimmed(rest.substr(word.size()));
  return word;
}

// The bytes of a rank's longer buffer, if a block, or the message, has `bytes`.
std::int64_t longer_buffer(const Collective& collective, int p, std::int64_t bytes) {
  Shape shape;
  shape.p = p;
  const std::int64_t blocks = std::max({collective.blocks(shape, shape.root, Buffer::send),
                                        collective.blocks(shape, shape.root, Buffer::recv), 1});
  return bytes <= SizedChoice::most_bytes / blocks ? bytes * blocks : SizedChoice::most_bytes;
}

// "4", "2-8" or "2-"; false for another text.
bool parse_range(std::string_view text, int& least, int& most) {
  const std::size_t dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const std::string_view end = dash == std::string_view::npos ? text : text.substr(dash + 1);
  const auto last = end.empty() ? std::numeric_limits<int>::max() : parse_number(end);
  least = first.value_or(0);
  most = last.value_or(0);
  return first && last && least <= most;
}

}  // namespace

RuleTable::RuleTable(std::string text, std::string_view file)
    : file_(file), text_(std::make_shared<const std::string>(std::move(text))) {
  int line = 0, since = 0;
  const auto* section = std::end(sections);
  for (const std::string_view each : split(*text_, '\n')) {
    ++line;
    const std::string_view row = trimmed(each.substr(0, each.find('#')));
    if (row.empty()) continue;
    if (row.starts_with('[')) {
      std::string_view title = row.substr(1, row.size() - 2);
      if (!row.ends_with(']')) fail(line, "a section's title must end with ]");
      since = take_version(title);
      section = std::ranges::find(sections, title);
      if (section == std::end(sections))
        fail(line, "unknown section " + toccata::quoted(row) + "; see docs/design/0023-rules.md");
    } else {
      if (section == std::end(sections)) fail(line, "a section, such as [node], must come first");
      add({.section = static_cast<Section>(section - std::begin(sections)),
           .since = since,
           .line = line},
          row);
    }
  }
}

void RuleTable::fail(int line, const std::string& why) const {
  throw RulesError(file_ + ":" + std::to_string(line) + ": " + why);
}

void RuleTable::add(Row row, std::string_view text) {
  if (row.section == Section::libraries) {
    auto parts = split(text, '|');
    if (parts.size() < 4) fail(row.line, "expected name | version text | ABI | versions");
    parts.resize(5);
    for (std::string_view& part : parts) part = trimmed(part);
    const auto has = [&](std::string_view word) {
      return parts[4].find(word) != std::string_view::npos;
    };
    libraries_.push_back({.name = parts[0],
                          .sign = parts[1],
                          .family = parts[2],
                          .tested = parts[3],
                          .is_predictable = has("predictable"),
                          .is_checkable = has("checkable"),
                          .sends_only_messages = has("sends_only_messages")});
    return;
  }
  row.collective = take_word(text);
  if (!is_list(row.section)) {
    const std::string_view ranks = take_word(text), size = take_word(text);
    std::string_view range = ranks;
    if (row.section == Section::own_nodes) {
      row.only_even = take_prefix(range, "even:");
      row.of_nodes = row.only_even || take_prefix(range, "nodes:");
    }
    row.only_powers = range == "powers";
    if (!parse_range(row.only_powers ? "1-" : range, row.least, row.most))
      fail(row.line,
           toccata::quoted(ranks) + " is not a number of ranks, such as 4, 2-8, 2- or powers");
    row.of_buffer = size == "buffer";
    if (!row.of_buffer && size != "block")
      fail(row.line, toccata::quoted(size) + " is unknown; expected block or buffer");
  }
  if (text.empty()) fail(row.line, "a choice is missing");
  row.choices = text;
  rows_.push_back(row);
}

std::string_view RuleTable::find(Section section, const Collective& collective,
                                 const Spread& spread, std::int64_t bytes, int version) const {
  const auto row = std::ranges::find_if(rows_, [&](const Row& each) {
    const int number = each.of_nodes ? spread.nodes : spread.ranks;
    return each.section == section && each.since <= version && each.collective == collective.name &&
           number >= each.least && number <= each.most && (!each.only_even || spread.even) &&
           (!each.only_powers || std::has_single_bit(static_cast<unsigned>(number)));
  });
  if (row == rows_.end()) return {};
  const std::int64_t size = row->of_buffer ? longer_buffer(collective, spread.ranks, bytes) : bytes;
  for (std::string_view rest = row->choices; !rest.empty();)
    if (const SizedEntry entry = take_entry(rest); size <= entry.most) return entry.choice;
  return {};
}

std::vector<std::string_view> RuleTable::list(Section section, const Collective& collective) const {
  std::vector<std::string_view> found;
  for (const Row& row : rows_)
    if (row.section == section && row.collective == collective.name)
      std::ranges::copy(split_words(row.choices), std::back_inserter(found));
  return found;
}

void RuleTable::check() const {
  for (const Row& row : rows_) try {
      const Collective* const collective = find_collective(row.collective);
      if (collective == nullptr)
        throw ChoiceError("there is no collective " + toccata::quoted(row.collective));
      const auto check_choice = [&](std::string_view text) {
        const Choice choice = parse_choice(*collective, text);
        if (choice.native() && is_own(row.section))
          throw ChoiceError("native is not an algorithm of the MPI library");
        if (!choice.native() && !is_proved(*choice.algorithm))
          throw ChoiceError(choice.algorithm->path() + " is " + std::string(not_proved));
      };
      if (is_list(row.section)) {
        std::ranges::for_each(split_words(row.choices), check_choice);
        continue;
      }
      std::int64_t before = -1;
      for (std::string_view rest = row.choices; !rest.empty();) {
        const SizedEntry entry = take_entry(rest);
        if (entry.most <= before) throw ChoiceError("sizes must ascend");
        before = entry.most;
        if (!permits(row.section, entry.choice)) check_choice(entry.choice);
      }
    } catch (const ChoiceError& error) {
      fail(row.line, error.what());
    }
}

RuleTable read_rules_file(const std::string& path) {
  try {
    RuleTable table(read_regular_file(path, most_bytes_of_settings), path);
    table.check();
    return table;
  } catch (const FileError& error) {
    throw RulesError(error.what());
  }
}

}  // namespace toccata
