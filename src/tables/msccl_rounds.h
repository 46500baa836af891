#pragma once

#include <utility>
#include <vector>

#include "tables/msccl_program.h"

namespace toccata::msccl {

inline constexpr int most_chunks_of_a_step = 4096;

// A message, or a local step.
struct Action {
  enum class Type : std::uint8_t { message, copy, reduce, none } type = Type::none;
  int rank = 0;          // the sender's
  int other = -1;        // the receiver's
  Place from{}, into{};  // buffer `t` holds received chunks to be reduced, by thread block
  int count = 0;
  std::size_t line = 0;
  // The actions before it, and the minimum number of rounds between them.
  std::vector<std::pair<int, int>> after = {};
  int round = 0;
};

// The actions of a program, in the order of their rounds. MscclError if messages have no partner,
// or if steps wait for each other.
std::vector<Action> actions_by_rounds(const Program& program);

}  // namespace toccata::msccl
