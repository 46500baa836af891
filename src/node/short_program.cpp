#include "node/short_program.h"

#include <algorithm>

namespace toccata::node {

std::optional<ShortProgram> ShortProgram::bind(const Program& program, const Board& board,
                                               int first, const Memory& memory,
                                               const Operator& reduction) {
  if (program.channels_ > Part::slots) return {};
  ShortProgram bound;
  bound.channels_ = static_cast<std::uint32_t>(program.channels_);
  bound.announces_ = !reduction;
  const auto piece = [&](bool common) -> std::int64_t {
    return reduction ? board.piece(false) / reduction.element * reduction.element
                     : board.piece(common) - announcement_bytes;
  };
  const auto board_rank = [&](int rank) { return (rank + first) % board.ranks(); };
  std::int64_t scratch = 0;
  const auto bytes = [&](const Program::Blocks& blocks) {
    return memory.sides[static_cast<int>(blocks.buffer)].stretch(blocks.first, blocks.count).bytes;
  };
  const auto place = [&](const Program::Blocks& blocks) {
    Memory::Side side = memory.sides[static_cast<int>(blocks.buffer)];
    const std::int64_t offset =
        side.begins.empty() ? std::int64_t{blocks.first} * side.block : side.begins[blocks.first];
    if (blocks.buffer == Buffer::scratch) scratch = std::max(scratch, offset + bytes(blocks));
    return Place{static_cast<std::int8_t>(blocks.buffer), offset};
  };
  const auto source = [&](const Program::Source& each, bool in_place) {
    return in_place && each.reading >= 0 ? Place{Place::found, each.reading} : place(each.blocks);
  };

  for (std::uint32_t number = 0; number + 1 < program.rounds_.size(); ++number) {
    const Program::Round& begin = program.rounds_[number];
    const Program::Round& end = program.rounds_[number + 1];
    Round round{.number = number, .reads = begin.reads < end.reads};
    const std::int64_t most = board.most_in_slot(static_cast<bool>(reduction),
                                                 round.reads && begin.published < end.published);
    for (std::uint32_t i = begin.published; i < end.published; ++i) {
      const Program::Published& each = program.published_[i];
      Publication added{.channel = static_cast<std::uint32_t>(each.channel),
                        .first_message = static_cast<std::uint32_t>(bound.messages_.size()),
                        .messages = each.messages,
                        .first_reader = static_cast<std::uint32_t>(bound.readers_.size()),
                        .readers = each.readers,
                        .most = 0,
                        .piece = static_cast<std::uint32_t>(piece(each.messages == 1))};
      for (std::uint32_t j = 0; j < each.messages; ++j) {
        const Program::Blocks& blocks = program.messages_[each.first_message + j];
        if (bytes(blocks) > std::min<std::int64_t>(added.piece, most)) return {};
        added.most = std::max(added.most, static_cast<std::uint32_t>(bytes(blocks)));
        bound.messages_.push_back({place(blocks), bytes(blocks)});
      }
      if (bound.announces_ && each.messages > 1) added.most += announcement_bytes;
      for (std::uint32_t j = 0; j < each.readers; ++j)
        bound.readers_.push_back(board_rank(program.readers_[each.first_reader + j]));
      bound.publications_.push_back(added);
    }
    const auto fits = [&](const Program::Step& each) {
      return bytes(each.from.blocks) == bytes(each.into) &&
             bytes(each.from.blocks) == bytes(program.steps_[begin.steps].into);
    };
    const bool in_place = begin.in_place && std::all_of(program.steps_.begin() + begin.steps,
                                                        program.steps_.begin() + end.steps, fits);
    for (std::uint32_t i = begin.reads; i < end.reads; ++i) {
      const Program::Read& each = program.reads_[i];
      if (bytes(each.into) > most) return {};
      const bool reads_in_place = in_place && each.in_place;
      // The reader does not know whether the publisher has to cut the message.
      if (reads_in_place && bytes(each.into) > piece(false)) return {};
      bound.readings_.push_back(
          {static_cast<std::uint32_t>(each.channel), board_rank(each.publisher),
           reads_in_place ? Place{} : place(each.into), bytes(each.into), reads_in_place});
    }
    bound.rest_.resize(std::max<std::size_t>(bound.rest_.size(), end.reads - begin.reads));
    bound.found_.resize(std::max<std::size_t>(bound.found_.size(), end.reads - begin.reads));
    // Copies from send to recv at the beginning wait for no other rank.
    bool early = true;
    round.early_steps = static_cast<std::uint32_t>(bound.steps_.size());
    for (std::uint32_t i = begin.steps; i < end.steps; ++i) {
      const Program::Step& each = program.steps_[i];
      early = early && !each.reduces && each.from.blocks.buffer == Buffer::send &&
              each.into.buffer == Buffer::recv;
      bound.steps_.push_back({source(each.from, in_place), source(each.other, in_place),
                              place(each.into), bytes(each.into), each.reduces});
      if (early) round.early_steps = static_cast<std::uint32_t>(bound.steps_.size());
    }
    round.publications = static_cast<std::uint32_t>(bound.publications_.size());
    round.readings = static_cast<std::uint32_t>(bound.readings_.size());
    round.steps = static_cast<std::uint32_t>(bound.steps_.size());
    bound.rounds_.push_back(round);
  }
  bound.scratch_.resize(static_cast<std::size_t>(scratch));
  return bound;
}

}  // namespace toccata::node
