#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "algorithms/algorithm.h"

namespace toccata {

// A program that cannot be taken over, or a schedule that cannot be written as one; which, and why.
class MscclError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Programs of MSCCL (github.com/microsoft/msccl), as its tools write them: XML, for one number of
// ranks. A gpu is a rank, a chunk is a block; what its thread blocks do, each in order and after
// the steps that it depends on, becomes rounds.
namespace msccl {

inline constexpr std::size_t most_bytes = 64 << 20;

// Makes the program of a file known as an algorithm of that name. MscclError.
const Algorithm& add(std::string_view xml, std::string_view name);

// These schedules, one for each rank, in a complete shape. A message in each direction between two
// ranks is a thread block's, and so are local steps; a round waits for the one before. MscclError.
std::string text(const Algorithm& algorithm, const Shape& shape,
                 std::span<const Schedule> schedules);

}  // namespace msccl

}  // namespace toccata
