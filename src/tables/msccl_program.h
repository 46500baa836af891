#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"

namespace toccata {

// A program that cannot be imported, or a schedule that cannot be exported; what() names it and the
// reason.
class MscclError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace msccl {

inline constexpr std::int64_t most_blocks = 1 << 24;  // in all messages and local steps

// A program of MSCCL as in its file.

enum class Kind : std::uint8_t {
  send,
  recv,
  recv_copy_send,
  recv_reduce,
  recv_reduce_send,
  recv_reduce_copy_send,
  copy,
  reduce,
  nothing
};

struct KindWord {
  std::string_view word;
  Kind kind;
  bool receives, sends;
};
inline constexpr std::array kinds{
    KindWord{"s", Kind::send, false, true},
    KindWord{"r", Kind::recv, true, false},
    KindWord{"rcs", Kind::recv_copy_send, true, true},
    KindWord{"rrc", Kind::recv_reduce, true, false},
    KindWord{"rrs", Kind::recv_reduce_send, true, true},
    KindWord{"rrcs", Kind::recv_reduce_copy_send, true, true},
    KindWord{"cpy", Kind::copy, false, false},
    KindWord{"re", Kind::reduce, false, false},
    KindWord{"nop", Kind::nothing, false, false},
};

struct Place {
  char buffer;  // i, o, s
  int chunk;
};

struct ProgramStep {
  const KindWord* kind;
  Place from, into;
  int count;
  int depends_block, depends_step;  // -1: on nothing
  std::size_t line;
};

struct ThreadBlock {
  int send = -1, recv = -1, channel = 0;
  std::vector<ProgramStep> steps;
};

struct Gpu {
  int input = 0, output = 0, scratch = 0;  // chunks
  std::vector<ThreadBlock> blocks;
};

struct Program {
  std::string name;
  const Collective* collective = nullptr;
  bool in_place = false;
  std::vector<Gpu> gpus;
};

// MscclError, with the line, if the text is not such a program.
Program read_program(std::string_view xml);

}  // namespace msccl

}  // namespace toccata
