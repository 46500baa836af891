#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "algorithms/algorithm.h"

namespace toccata {

// What a user asked for cannot be; what() says so in one line, with what would be accepted.
class ChoiceError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// An algorithm with its parameters, or the MPI library's own (`algorithm` null).
struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters = {};
  Travel travel = Travel::whole;  // for the messages about which the algorithm does not care

  bool native() const { return algorithm == nullptr; }
  bool operator==(const Choice& other) const = default;
  // "sparbit:messages=per_block" or "native"
  std::string text() const;
  // The shape of this choice in what is known of a communicator (p, root, placement, grid).
  // ChoiceError if the algorithm cannot run there.
  Shape in(const Shape& known) const;
  // One rank's schedule there.
  Schedule schedule(const Shape& known, int rank) const;
};

// Reads "NAME" or "NAME:PARAMETER=VALUE,...", where NAME is "native", "sparbit" or
// "allgather/sparbit". Every algorithm takes `travel=whole|packed|datatype|per_block`: how messages
// of several pieces travel. ChoiceError on anything else.
Choice parse_choice(const Collective& collective, std::string_view text);

}  // namespace toccata
