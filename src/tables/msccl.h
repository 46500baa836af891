#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tables/msccl_program.h"
#include "writing/algorithm.h"

namespace toccata {

// Programs of MSCCL (github.com/microsoft/msccl), as its tools write them: XML, for one number of
// ranks. A gpu is a rank, a chunk is a block. The steps of its thread blocks become rounds. Each
// step runs in order, after the steps on which it depends.
namespace msccl {

inline constexpr std::size_t most_bytes = 64 << 20;

// Registers the program of a file as an algorithm of that name. MscclError.
const Algorithm& add(std::string_view xml, std::string_view name);

// The program for these schedules, one per rank, in a complete shape. There is one thread block for
// the messages of each pair of ranks and direction, and one for local steps; a round waits for the
// previous one. MscclError.
std::string text(const Algorithm& algorithm, const Shape& shape,
                 std::span<const Schedule> schedules);

}  // namespace msccl

}  // namespace toccata
