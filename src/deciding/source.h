#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace toccata {

// Where a choice comes from.
enum class Source : std::uint8_t {
  apart,     // native, while candidates are measured by calls of their own
  forced,    // the user named it
  learned,   // an earlier run
  modelled,  // a model, without trials
  native,    // nothing else
  network,   // the rule for networks
  node,      // the rule for nodes
  shared,    // an earlier communicator of the same shape
  topology,  // the topology's file, for its slow links
  trials,    // of this run, which compare it with native
  tuned      // a tuning file
};

// Its word in the report and in messages.
inline constexpr std::array<std::string_view, 11> words_of_sources = {
    "next-run", "forced", "learned",  "modelled", "native", "network",
    "node",     "shared", "topology", "trials",   "tuned"};
constexpr std::string_view word_of(Source source) {
  return words_of_sources[static_cast<std::size_t>(source)];
}
// The source with that word; native for any other word.
constexpr Source source_of(std::string_view word) {
  const auto* const found = std::ranges::find(words_of_sources, word);
  return found == words_of_sources.end() ? Source::native
                                         : static_cast<Source>(found - words_of_sources.begin());
}

}  // namespace toccata
