#include "topology/synthetic.h"

#include <algorithm>
#include <cctype>

#include "topology/error.h"
#include "topology/words.h"

namespace toccata {

namespace {

constexpr std::int64_t most_objects = 1 << 24;  // of one level: 64 MB

// Reads the words of one machine; errors name the word.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  Reader(std::string_view text, const Machine& outside)
      : text_(text), network_(outside.network()), trees_(outside.trees()) {
    for (int level = 0; level < outside.levels(); ++level) levels_.push_back(outside.level(level));
  }

  Machine read() {
    std::vector<std::string_view> words = split_words(text_);
    if (words.empty()) fail("is empty");
    if (levels_.empty() &&
        (words.front().starts_with("torus:") || words.front().starts_with("mesh:"))) {
      const bool node_follows = std::ranges::any_of(
          words, [](std::string_view word) { return word.starts_with("node:"); });
      read_network(words.front(), node_follows ? "router" : "node");
      words.erase(words.begin());
    }
    for (const std::string_view word : words) read_level(word);
    return Machine(std::move(levels_), std::move(network_), std::move(trees_));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw TopologyError("machine " + quoted(text_) + " " + what +
                        "; expected words like node:2 socket:2 core:8, or torus:8x8 core:2");
  }
  [[noreturn]] void fail(std::string_view word, const std::string& what) const {
    fail("cannot have " + quoted(word) + ": " + what);
  }

  int positive(std::string_view word, std::string_view number) const {
    if (number.size() > 8 &&
        std::ranges::all_of(number, [](char c) { return '0' <= c && c <= '9'; }))
      fail(word,
           std::string(number) + " is too large; the maximum is " + std::to_string(most_objects));
    const std::optional<int> value = number.empty() ? std::nullopt : parse_number(number);
    if (!value || *value < 1) fail(word, quoted(number) + " is not an integer of at least 1");
    return *value;
  }

  // "torus:8x8x8", "mesh:4x~4", "torus:4x4:router"
  void read_network(std::string_view word, std::string_view standard_name) {
    const auto pieces = split(word, ':');
    if (pieces.size() > 3) fail(word, "only the name of its cells may follow the sizes");
    Mesh mesh;
    std::int64_t cells = 1;
    for (std::string_view size : split(pieces[1], 'x')) {
      const bool wraps = size.starts_with('~');
      if (wraps) size.remove_prefix(1);
      mesh.dims.push_back(positive(word, size));
      mesh.periodic.push_back(wraps || pieces[0] == "torus");
      cells *= mesh.dims.back();
      check_objects(word, cells);
    }
    add_level(word, pieces.size() == 3 ? pieces[2] : standard_name,
              std::vector<std::int32_t>(cells, 0));
    network_ = std::move(mesh);
  }

  // "node:8", "node:4,2,3", "core:64*511,32"
  void read_level(std::string_view word) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) fail(word, "a count is missing, as in node:2");
    std::vector<int> counts;
    for (const std::string_view piece : split(word.substr(colon + 1), ',')) {
      const std::size_t star = piece.find('*');
      const int count = positive(word, piece.substr(0, star));
      const int times = star == piece.npos ? 1 : positive(word, piece.substr(star + 1));
      check_objects(word, static_cast<std::int64_t>(counts.size()) + times);
      counts.insert(counts.end(), times, count);
    }
    const std::size_t many = counts.size();
    if (levels_.empty() && many > 1) add_level(word, "group", std::vector<std::int32_t>(many, 0));
    const std::size_t outer = levels_.empty() ? 1 : levels_.back().outer.size();
    if (many != 1 && many != outer)
      fail(word, "it has " + std::to_string(many) + " counts, but there are " +
                     std::to_string(outer) + " objects of level " + levels_.back().name);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < outer; ++i) total += counts[many == 1 ? 0 : i];
    check_objects(word, total);
    std::vector<std::int32_t> outers;
    outers.reserve(total);
    for (std::size_t i = 0; i < outer; ++i)
      outers.insert(outers.end(), counts[many == 1 ? 0 : i], static_cast<std::int32_t>(i));
    add_level(word, word.substr(0, colon), std::move(outers));
  }

  void add_level(std::string_view word, std::string_view name, std::vector<std::int32_t> outer) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
    if (name.empty() || !std::ranges::all_of(name, fits))
      fail(word, "the name of a level consists of letters, digits, _ and -");
    if (name == "torus" || name == "mesh") fail(word, "a network must come first and only once");
    if (std::ranges::find(levels_, name, &Machine::Level::name) != levels_.end())
      fail(word, "level " + quoted(name) + " occurs twice");
    levels_.push_back({std::string(name), std::move(outer)});
  }

  void check_objects(std::string_view word, std::int64_t count) const {
    if (count > most_objects)
      fail(word, "the machine would have more than " + std::to_string(most_objects) + " objects");
  }

  std::string_view text_;
  std::vector<Machine::Level> levels_;
  std::optional<Mesh> network_;
  std::shared_ptr<const PackedTrees> trees_;
};

std::string network_text(const Machine& machine) {
  const Mesh& mesh = *machine.network();
  const bool torus = std::ranges::count(mesh.periodic, true) == mesh.dimensions();
  std::string result = torus ? "torus:" : "mesh:";
  for (int i = 0; i < mesh.dimensions(); ++i)
    result += (i > 0 ? "x" : "") + std::string(!torus && mesh.periodic[i] ? "~" : "") +
              std::to_string(mesh.dims[i]);
  if (machine.name(0) != (machine.find("node") > 0 ? "router" : "node"))
    result += ":" + std::string(machine.name(0));
  return result;
}

std::string level_text(const Machine& machine, int level) {
  const std::vector<int> counts = machine.counts(level);
  std::string result = std::string(machine.name(level)) + ":";
  const bool even = std::ranges::adjacent_find(counts, std::not_equal_to{}) == counts.end();
  for (std::size_t i = 0; i < (even ? 1 : counts.size());) {
    const auto run = std::ranges::find_if(counts.begin() + i, counts.end(),
                                          [&](int count) { return count != counts[i]; });
    const std::size_t times = even ? 1 : run - counts.begin() - i;
    result += (i > 0 ? "," : "") + std::to_string(counts[i]);
    if (times > 1) result += "*" + std::to_string(times);
    i += times;
  }
  return result;
}

}  // namespace

Machine parse_machine(std::string_view text) { return Reader(text).read(); }

Machine parse_inside(const Machine& outside, std::string_view text) {
  return Reader(text, outside).read();
}

std::string text(const Machine& machine) {
  std::string result;
  for (int level = 0; level < machine.levels(); ++level) {
    if (level > 0) result += ' ';
    result += level == 0 && machine.network() ? network_text(machine) : level_text(machine, level);
  }
  return result;
}

}  // namespace toccata
