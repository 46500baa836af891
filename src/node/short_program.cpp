#include "node/short_program.h"

#include <algorithm>

namespace toccata::node {

// Writes a program's rounds with the addresses and sizes of one call.
class ShortProgram::Binder {
 public:
  Binder(const Program& program, const Board& board, int first, const Memory& memory,
         const Operator& reduction)
      : program_(program), board_(board), first_(first), memory_(memory), reduction_(reduction) {
    bound_.channels_ = static_cast<std::uint32_t>(program.channels_);
    bound_.announces_ = !reduction;
    // Rounds keep parts of these arrays, which must not move.
    bound_.publications_.reserve(program.published_.size());
    bound_.messages_.reserve(program.messages_.size());
    bound_.readers_.reserve(program.readers_.size());
    bound_.readings_.reserve(program.reads_.size());
    bound_.steps_.reserve(program.steps_.size());
  }

  // Nothing if a message needs more than a slot.
  std::optional<ShortProgram> bind() {
    for (std::uint32_t number = 0; number + 1 < program_.rounds_.size(); ++number) {
      const Program::Round& begin = program_.rounds_[number];
      const Program::Round& end = program_.rounds_[number + 1];
      const bool reads = begin.reads < end.reads;
      most_ = board_.most_in_slot(static_cast<bool>(reduction_),
                                  reads && begin.published < end.published);
      in_place_ = begin.in_place && all_fit(begin, end);
      const std::size_t published = bound_.publications_.size(), read = bound_.readings_.size(),
                        stepped = bound_.steps_.size();
      for (std::uint32_t i = begin.published; i < end.published; ++i)
        if (!publish(program_.published_[i])) return {};
      for (std::uint32_t i = begin.reads; i < end.reads; ++i)
        if (!this->read(program_.reads_[i])) return {};
      bound_.rest_.resize(std::max<std::size_t>(bound_.rest_.size(), end.reads - begin.reads));
      bound_.found_.resize(std::max<std::size_t>(bound_.found_.size(), end.reads - begin.reads));
      const std::uint32_t early = step(begin, end);
      const std::span steps = added(bound_.steps_, stepped);
      bound_.rounds_.push_back({.number = number,
                                .publications = added(bound_.publications_, published),
                                .readings = added(bound_.readings_, read),
                                .early_steps = steps.first(early),
                                .steps = steps.subspan(early)});
    }
    bound_.scratch_.resize(static_cast<std::size_t>(scratch_));
    return std::move(bound_);
  }

 private:
  bool publish(const Program::Published& each) {
    const std::size_t messages = bound_.messages_.size(), readers = bound_.readers_.size();
    const bool common = each.messages == 1;
    const auto piece = static_cast<std::uint32_t>(this->piece(common));
    std::uint32_t most = 0;
    for (std::uint32_t j = 0; j < each.messages; ++j) {
      const Program::Blocks& blocks = program_.messages_[each.first_message + j];
      if (bytes(blocks) > std::min<std::int64_t>(piece, most_)) return false;
      most = std::max(most, static_cast<std::uint32_t>(bytes(blocks)));
      bound_.messages_.push_back({place(blocks), bytes(blocks)});
    }
    if (bound_.announces_ && !common) most += announcement_bytes;
    for (std::uint32_t j = 0; j < each.readers; ++j)
      bound_.readers_.push_back(board_rank(program_.readers_[each.first_reader + j]));
    bound_.publications_.push_back({.channel = static_cast<std::uint32_t>(each.channel),
                                    .most = most,
                                    .form = board_.form(common, most, piece),
                                    .messages = added(bound_.messages_, messages),
                                    .readers = added(bound_.readers_, readers)});
    return true;
  }

  bool read(const Program::Read& each) {
    if (bytes(each.into) > most_) return false;
    const bool in_place = in_place_ && each.in_place;
    // The reader does not know whether the publisher has to cut the message.
    if (in_place && bytes(each.into) > piece(false)) return false;
    bound_.readings_.push_back({static_cast<std::uint32_t>(each.channel),
                                board_rank(each.publisher), in_place ? Place{} : place(each.into),
                                bytes(each.into), in_place});
    return true;
  }

  // Returns the number of early ones: copies from send to recv at the beginning, which wait for no
  // other rank.
  std::uint32_t step(const Program::Round& begin, const Program::Round& end) {
    std::uint32_t number = 0;
    bool early = true;
    for (std::uint32_t i = begin.steps; i < end.steps; ++i) {
      const Program::Step& each = program_.steps_[i];
      early = early && !each.reduces && each.from.blocks.buffer == Buffer::send &&
              each.into.buffer == Buffer::recv;
      // A program may pass a size that is too small for its own block.
      const std::int64_t most = each.reduces ? bytes(each.into) : bytes(each.from.blocks);
      bound_.steps_.push_back({source(each.from), source(each.other), place(each.into),
                               std::min(most, bytes(each.into)), each.reduces});
      if (early) ++number;
    }
    return number;
  }

  template <typename Entry>
  static std::span<const Entry> added(const std::vector<Entry>& all, std::size_t first) {
    return std::span(all).subspan(first);
  }
  bool all_fit(const Program::Round& begin, const Program::Round& end) const {
    return std::all_of(program_.steps_.begin() + begin.steps, program_.steps_.begin() + end.steps,
                       [&](const Program::Step& each) {
                         return bytes(each.from.blocks) == bytes(each.into) &&
                                bytes(each.from.blocks) == bytes(program_.steps_[begin.steps].into);
                       });
  }
  std::int64_t piece(bool common) const {
    return reduction_ ? board_.piece(false) / reduction_.element * reduction_.element
                      : board_.piece(common) - announcement_bytes;
  }
  int board_rank(int rank) const { return (rank + first_) % board_.ranks(); }
  std::int64_t bytes(const Program::Blocks& blocks) const {
    return memory_.sides[static_cast<int>(blocks.buffer)].stretch(blocks.first, blocks.count).bytes;
  }
  Place place(const Program::Blocks& blocks) {
    const Memory::Side& side = memory_.sides[static_cast<int>(blocks.buffer)];
    const std::int64_t offset =
        side.begins.empty() ? std::int64_t{blocks.first} * side.block : side.begins[blocks.first];
    if (blocks.buffer == Buffer::scratch) scratch_ = std::max(scratch_, offset + bytes(blocks));
    return {static_cast<std::int8_t>(blocks.buffer), offset};
  }
  Place source(const Program::Source& each) {
    return in_place_ && each.reading >= 0 ? Place{Place::found, each.reading} : place(each.blocks);
  }

  const Program& program_;
  const Board& board_;
  int first_;
  const Memory& memory_;
  const Operator& reduction_;
  ShortProgram bound_;
  std::int64_t scratch_ = 0;
  // Of the current round: the most bytes of a message, and whether its steps read in place.
  std::int64_t most_ = 0;
  bool in_place_ = false;
};

std::optional<ShortProgram> ShortProgram::bind(const Program& program, const Board& board,
                                               int first, const Memory& memory,
                                               const Operator& reduction) {
  if (program.channels_ > Part::slots) return {};
  return Binder(program, board, first, memory, reduction).bind();
}

}  // namespace toccata::node
