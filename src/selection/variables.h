#pragma once

#include <string>
#include <string_view>

namespace toccata {

// "" for the name of a variable that means something to Toccata, or that is none of its own: all of
// those begin with TOCCATA_. Otherwise what is wrong with it, with the nearest that there is.
std::string complaint_of_variable(std::string_view name);

}  // namespace toccata
