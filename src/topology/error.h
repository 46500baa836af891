#pragma once

#include <stdexcept>

namespace toccata {

// A machine, or where ranks are on it, that cannot be read as it is written; what() says so in one
// line: the text or file, the place in it, and what would be accepted.
class TopologyError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace toccata
