#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "choices/choice.h"

namespace toccata {

// The user's request, which may differ by size:
//
//   locality_bruck<=4K, hierarchical:leaders=2<=256K, native
//
// Sizes are bytes of a block (in an all-to-all: for one rank), or of the message. `<4K` is
// possible, too.
class SizedChoice {
 public:
  // `choice` for all sizes.
  SizedChoice(Choice choice = {}) { ranges_.push_back({most_bytes, std::move(choice)}); }

  // The choice for a call of `bytes`; pass most_bytes if ranks do not know each other's sizes.
  const Choice& at(std::int64_t bytes) const;
  // Whether one choice serves all sizes.
  bool is_fixed() const { return ranges_.size() == 1; }
  // Whether native serves all sizes.
  bool native() const { return is_fixed() && ranges_.front().choice.native(); }

  struct Range {
    std::int64_t most;  // bytes
    Choice choice;
  };
  const std::vector<Range>& ranges() const { return ranges_; }

  static constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

 private:
  friend SizedChoice parse_sized_choice(const Collective& collective, std::string_view text);
  std::vector<Range> ranges_;  // ascending, the last with most_bytes
};

// One entry of such a text: the choice and the largest size for it. Removed from the beginning of
// `rest`. ChoiceError if the limit is invalid.
struct SizedEntry {
  std::string_view choice;
  std::int64_t most;  // bytes
};
SizedEntry take_entry(std::string_view& rest);

// ChoiceError if the text is invalid. If the last entry has a limit, native serves above it.
SizedChoice parse_sized_choice(const Collective& collective, std::string_view text);

}  // namespace toccata
