#pragma once

#include <span>
#include <string>
#include <string_view>

namespace toccata {

// A setting, in the environment or in toccata.conf. The manual, `toccata doctor` and complaints go
// by these.
struct Variable {
  std::string_view name;
  std::string_view values;   // as one writes them
  std::string_view meaning;  // a sentence without its stop; "" for such as are not users'
};

// All but those of the collectives, each of which names its own.
std::span<const Variable> variables();

// "" for the name of a variable that means something to Toccata, or that is none of its own: all of
// those begin with TOCCATA_. Otherwise what is wrong with it, with the nearest that there is.
std::string complaint_of_variable(std::string_view name);

// "" for a value that one of those variables may have, as far as the word alone tells; otherwise
// what it takes. An empty value is as good as none.
std::string complaint_of_value(std::string_view name, std::string_view value);

}  // namespace toccata
