#include "topology/process_mapping.h"

#include <charconv>

namespace toccata {

namespace {

struct Block {
  int first = 0, nodes = 0, ranks = 0;
};

// Removes `token` from the beginning of the text.
bool take(std::string_view& text, std::string_view token) {
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

bool take(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, Block& block) {
  return take(text, "(") && take(text, block.first) && take(text, ",") && take(text, block.nodes) &&
         take(text, ",") && take(text, block.ranks) && take(text, ")") && block.nodes > 0 &&
         block.ranks > 0;
}

// Empty if the text has another form.
std::vector<Block> blocks_in(std::string_view text) {
  std::vector<Block> blocks;
  if (!take(text, "(vector,")) return {};
  const bool repeats = take(text, "[");
  do {
    if (!take(text, blocks.emplace_back())) return {};
  } while (take(text, ","));
  int times = 0;  // the list repeats anyway
  if (repeats && !(take(text, "]x") && take(text, times))) return {};
  return text == ")" ? blocks : std::vector<Block>();
}

}  // namespace

std::vector<int> nodes_of_mapping(std::string_view text, int ranks) {
  std::vector<int> nodes;
  const std::vector<Block> blocks = blocks_in(text);
  const auto complete = [&] { return static_cast<int>(nodes.size()) >= ranks; };
  while (!blocks.empty() && !complete())
    for (const Block& block : blocks)
      for (int node = 0; node < block.nodes && !complete(); ++node)
        for (int rank = 0; rank < block.ranks && !complete(); ++rank)
          nodes.push_back(block.first + node);
  return nodes;
}

}  // namespace toccata
