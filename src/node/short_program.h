#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "node/program.h"

namespace toccata::node {

// A program whose messages fit the slots, bound to the sizes of its blocks: a call only writes
// flags, checks flags and copies. It acts on the board exactly like an Exchange, so one rank may
// run this and another rank an Exchange.
class ShortProgram {
 public:
  // The other arguments are those of Program::Run::start. Nothing if a message needs more than a
  // slot.
  static std::optional<ShortProgram> bind(const Program& program, const Board& board, int first,
                                          const Memory& memory, const Operator& reduction);

  // Runs one call. While a flag is not set, calls again() between two checks. Returns whether a
  // message was longer than its reader's memory.
  template <typename Again>
  bool run(Board& board, std::uint64_t call, char* send, char* recv, const Operator& reduction,
           Again&& again) {
    char* const bases[] = {send, recv, scratch_.data()};
    bool was_cut = false;
    for (const Round& round : rounds_) {
      for (const Publication& each : round.publications) {
        const Moment now{call, round.number, each.channel};
        while (!board.is_free(now)) again();
        publish(each, bases, board, now);
      }
      for (const Step& each : round.early_steps) run(each, bases, reduction);
      bool more = false;
      const char** found = found_.data();
      for (const Reading& each : round.readings) {
        const Moment now{call, round.number, each.channel};
        const Slot* slot;
        while ((slot = board.find(each.publisher, now)) == nullptr) again();
        const char* data = board.data(each.publisher, now, *slot);
        std::int64_t bytes = each.bytes;
        if (announces_) {
          const std::int64_t announced = Board::announcement(*slot, data).bytes;
          was_cut = was_cut || announced > bytes;
          const std::int64_t sent = std::min(announced, bytes);
          bytes = std::min<std::int64_t>(sent, slot->form.piece);
          // A direct publication is too long for us: the program passed a wrong size.
          Rest& rest = rest_[found - found_.data()];
          rest = {slot->form.direct ? 0 : sent, slot->form.piece};
          more = more || rest.bytes > bytes;
        }
        *found++ = data;
        if (!each.in_place) copy(bases[each.into.base] + each.into.offset, data, bytes);
      }
      for (std::uint32_t piece = 1; more; ++piece) {
        board.pass({call, round.number, piece * channels_});
        more = read_on(round.readings, piece, bases, board, {call, round.number, 0}, again);
      }
      for (const Step& each : round.steps) run(each, bases, reduction);
      if (!round.readings.empty()) board.pass({call, round.number + 1, 0});
    }
    // The next call is often like this one.
    for (const Round& round : rounds_)
      for (const Publication& each : round.publications)
        board.fetch({call + 1, round.number, each.channel}, each.form, each.most);
    return was_cut;
  }

 private:
  class Binder;

  // Memory: an offset from the beginning of a buffer, or the result of a reading.
  struct Place {
    static constexpr std::int8_t found = 3;
    std::int8_t base = 0;  // as Buffer, or `found`
    std::int64_t offset = 0;
  };
  struct Message {
    Place from;
    std::int64_t bytes;
  };
  struct Publication {
    std::uint32_t channel;
    std::uint32_t most;  // bytes, as for Board::form
    Slot::Form form;
    std::span<const Message> messages;  // 1: the same for all readers
    std::span<const int> readers;
  };
  struct Reading {
    std::uint32_t channel;
    int publisher;
    Place into;
    std::int64_t bytes;
    bool in_place;
  };
  struct Step {
    Place from, other, into;
    std::int64_t bytes;
    bool reduces;
  };
  struct Round {
    std::uint32_t number = 0;
    std::span<const Publication> publications = {};
    std::span<const Reading> readings = {};
    std::span<const Step> early_steps = {};
    std::span<const Step> steps = {};
  };

  // Reads the next piece of each message that a publisher had to cut. Returns whether any message
  // continues after that.
  template <typename Again>
  bool read_on(std::span<const Reading> readings, std::uint32_t piece, char* const* bases,
               Board& board, Moment now, Again&& again) const {
    bool more = false;
    const Rest* next = rest_.data();
    for (const Reading& each : readings) {
      const Rest& rest = *next++;
      const std::int64_t begin = rest.piece * piece;
      if (rest.bytes <= begin) continue;
      now.position = piece * channels_ + each.channel;
      const Slot* slot;
      while ((slot = board.find(each.publisher, now)) == nullptr) again();
      const char* data = board.data(each.publisher, now, *slot);
      static_cast<void>(Board::announcement(*slot, data));  // the same as before the first piece
      const std::int64_t bytes = std::min(rest.bytes - begin, rest.piece);
      copy(bases[each.into.base] + each.into.offset + begin, data, bytes);
      more = more || rest.bytes > begin + bytes;
    }
    return more;
  }
  // A copy onto itself must not write: in a scatter in place, the memory may be read only.
  static void copy(char* into, const char* from, std::int64_t bytes) {
    if (into == from) return;
    if (bytes == 8)
      std::memcpy(into, from, 8);
    else if (bytes > 0)  // an empty message has no address
      std::memcpy(into, from, static_cast<std::size_t>(bytes));
  }
  const char* address(const Place& place, char* const* bases) const {
    return place.base == Place::found ? found_[place.offset] : bases[place.base] + place.offset;
  }
  void run(const Step& step, char* const* bases, const Operator& reduction) const {
    const char* const from = address(step.from, bases);
    char* const into = bases[step.into.base] + step.into.offset;
    if (step.reduces)
      reduction(from, address(step.other, bases), into, step.bytes);
    else
      copy(into, from, step.bytes);
  }
  void publish(const Publication& publication, char* const* bases, Board& board,
               const Moment& now) const {
    Board::Place place = board.open(now, publication.form);
    const int* reader = publication.readers.data();
    for (const Message& message : publication.messages) {
      char* const into =
          announces_ ? place.of(*reader, {message.bytes, nullptr}) : place.of(*reader);
      copy(into, bases[message.from.base] + message.from.offset, message.bytes);
      ++reader;
    }
    board.publish(now, publication.form, place.bytes, publication.readers);
  }

  bool announces_ = false;
  std::uint32_t channels_ = 1;
  // The rounds and publications contain parts of the following arrays.
  std::vector<Round> rounds_;
  std::vector<Publication> publications_;
  std::vector<Message> messages_;
  std::vector<int> readers_;
  std::vector<Reading> readings_;
  std::vector<Step> steps_;
  std::vector<const char*> found_;  // by reading of the round
  struct Rest {
    std::int64_t bytes, piece;  // of the message, and of a piece of it
  };
  std::vector<Rest> rest_;  // also by reading
  std::vector<char> scratch_;
};

}  // namespace toccata::node
