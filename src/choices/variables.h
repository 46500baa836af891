#pragma once

#include <span>
#include <string>
#include <string_view>

namespace toccata {

// A setting, in the environment or in toccata.conf. The manual, docs/settings.md, `toccata doctor`
// and error messages use these texts.
struct Variable {
  std::string_view name;
  std::string_view values = "";    // the accepted values, such as "auto, off or FILE.json"
  std::string_view standard = "";  // the default
  std::string_view unit = "";      // of numbers in the value; "" if it has none
  std::string_view example = "";   // a value
  std::string_view meaning = "";   // a verb phrase; "" for settings that are not for users
};

// All settings except TOCCATA_<COLLECTIVE>.
std::span<const Variable> variables();

// "" for the name of a setting, and for names that do not begin with TOCCATA_. Otherwise an error
// message with the nearest known name.
std::string complaint_of_variable(std::string_view name);

// "" for a value that this setting accepts, as far as the word alone tells; otherwise the accepted
// values. An empty value counts as not set.
std::string complaint_of_value(std::string_view name, std::string_view value);

}  // namespace toccata
