#pragma once

#include <stdexcept>

namespace toccata {

// Invalid text or file for a machine or placement. what() is one line: the text or file, the
// position in it, and the accepted form.
class TopologyError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace toccata
