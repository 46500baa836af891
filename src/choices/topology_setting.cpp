#include "choices/topology_setting.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "choices/cart_weights.h"
#include "choices/choice.h"
#include "topology/lines.h"
#include "topology/words.h"

namespace toccata {

namespace {

void read_reorder(std::string_view word, TopologySetting& setting) {
  if (word == "topologies")
    setting.reorders_topologies = true;
  else
    try {
      setting.reorder = parse_reorder(word);
    } catch (const ChoiceError&) {
      throw ChoiceError("reorder:" + std::string(word) +
                        ": expected off, auto, straight, exchange, shuffle or topologies");
    }
}

int dimensions_of(std::string_view weights) {
  return 1 + static_cast<int>(std::ranges::count(weights, ','));
}

void read_weights(std::string_view word, TopologySetting& setting) {
  const int dimensions = dimensions_of(word);
  parse_cart_weights(word, dimensions);
  if (const std::string before = setting.weights_of(dimensions); !before.empty())
    throw ChoiceError("weights:" + before + " and weights:" + std::string(word) +
                      " have the same length; drop one");
  setting.weights.emplace_back(word);
}

// Removes `key` from the beginning of `word`, if it is there.
bool takes(std::string_view& word, std::string_view key) {
  if (!word.starts_with(key)) return false;
  word.remove_prefix(key.size());
  return true;
}

}  // namespace

std::string TopologySetting::weights_of(int dimensions) const {
  const auto found = std::ranges::find(weights, dimensions, dimensions_of);
  return found == weights.end() ? "" : *found;
}

TopologySetting parse_topology_setting(std::string_view value) {
  TopologySetting setting;
  std::string* part = &setting.machine;  // a machine and a placement may have several words
  for (std::string_view word : split_words(value)) {
    if (takes(word, "reorder:")) {
      read_reorder(word, setting);
      continue;
    }
    if (takes(word, "weights:")) {
      read_weights(word, setting);
      continue;
    }
    if (takes(word, "placement:")) part = &setting.placement;
    *part += (part->empty() ? "" : " ") + std::string(word);
  }
  return setting;
}

std::string choices_in_topology(const std::string& machine) {
  const auto words = split_words(machine);
  std::error_code error;
  if (words.empty() || !std::filesystem::is_regular_file(words.front(), error)) return "";
  std::string rows;
  try {
    const std::string file(words.front()), text = text_of_topology(file);
    Lines lines(text, file);
    static constexpr std::string_view first = "machine ", word = "choice ";
    if (!lines.next() || !lines.line().starts_with(first)) return "";
    while (lines.next())
      if (lines.line().starts_with(word)) rows += lines.line().substr(word.size()) + "\n";
  } catch (const TopologyError&) {  // reported when the machine is read
  }
  return rows;
}

TopologyChoices parse_topology_choices(std::string_view rows) {
  TopologyChoices result;
  for (const std::string_view row : split(rows, '\n')) {
    const auto words = split_words(row);
    if (words.empty()) continue;
    const Collective* const collective = find_collective(words.front());
    if (collective == nullptr || words.size() < 2)
      throw ChoiceError("choice " + std::string(row) +
                        ": expected a collective, and algorithms as in TOCCATA_BCAST");
    const std::string_view text = row.substr(words[1].data() - row.data());
    result.emplace_back(collective, parse_sized_choice(*collective, text));
  }
  return result;
}

std::string reorders_text(const TopologySetting& setting) {
  std::string text;
  if (setting.reorder != Reorder::off)
    text += "reorder:" + std::string(reorder_words()[static_cast<std::size_t>(setting.reorder)]);
  if (setting.reorders_topologies)
    text += (text.empty() ? "" : " ") + std::string("reorder:topologies");
  for (const std::string& each : setting.weights)
    text += (text.empty() ? "" : " ") + ("weights:" + each);
  return text;
}

}  // namespace toccata
