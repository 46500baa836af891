#include "choices/topology_setting.h"

#include "choices/choice.h"
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

// Removes `key` from the beginning of `word`, if it is there.
bool takes(std::string_view& word, std::string_view key) {
  if (!word.starts_with(key)) return false;
  word.remove_prefix(key.size());
  return true;
}

}  // namespace

TopologySetting parse_topology_setting(std::string_view value) {
  TopologySetting setting;
  std::string* part = &setting.machine;  // a machine and a placement may have several words
  for (std::string_view word : split_words(value)) {
    if (takes(word, "reorder:")) {
      read_reorder(word, setting);
      continue;
    }
    if (takes(word, "placement:")) part = &setting.placement;
    *part += (part->empty() ? "" : " ") + std::string(word);
  }
  return setting;
}

std::string reorders_text(const TopologySetting& setting) {
  std::string text;
  if (setting.reorder != Reorder::off)
    text += "reorder:" + std::string(reorder_words()[static_cast<std::size_t>(setting.reorder)]);
  if (setting.reorders_topologies)
    text += (text.empty() ? "" : " ") + std::string("reorder:topologies");
  return text;
}

}  // namespace toccata
