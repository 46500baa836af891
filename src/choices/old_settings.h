#pragma once

#include <span>
#include <string>
#include <string_view>

namespace toccata {

// A setting of version 0.3, and what replaces it: TOCCATA_GUARD=off is now TOCCATA=model. Version
// 0.4 reads the old name and prints one line.
struct OldSetting {
  std::string_view name;
  std::string_view value;    // a word as in Variable::values
  std::string_view setting;  // that replaces it; "" if this value is the default
  std::string_view now;      // its value; a word in capitals at its end stands for the old value
  char separator = 0;        // between this and the setting's own value; 0: only one can be set
};

// All rows with the name and the value of a setting apply. If several old settings set the same
// new one, and only one can be set, the first in this list does.
std::span<const OldSetting> old_settings();

// Whether this is the row for the value of an old setting: the first one with a word that fits, and
// the others with the same word.
bool applies(const OldSetting& row, std::string_view value);

// The value of the new setting, such as "learn:here.json".
std::string value_now(const OldSetting& row, std::string_view value);

// One line: that TOCCATA_GUARD=off is now TOCCATA=model, or the accepted values.
std::string remark_on_old_setting(std::string_view name, std::string_view value);

}  // namespace toccata
