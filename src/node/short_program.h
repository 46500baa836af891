#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
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
    const Publication *publication = publications_.data(), *next = publication;
    const Reading* reading = readings_.data();
    const Step* step = steps_.data();
    for (const Round& round : rounds_) {
      for (; publication != publications_.data() + round.publications; ++publication) {
        const Moment now{call, round.number, publication->channel};
        while (!board.is_free(now)) again();
        publish(*publication, bases, board, now);
      }
      for (; step != steps_.data() + round.early_steps; ++step) run(*step, bases, reduction);
      const Reading* const first = reading;
      bool more = false;
      for (; reading != readings_.data() + round.readings; ++reading) {
        const Moment now{call, round.number, reading->channel};
        const Slot* slot;
        while ((slot = board.find(reading->publisher, now)) == nullptr) again();
        const char* data = board.data(reading->publisher, now, *slot);
        std::int64_t bytes = reading->bytes;
        if (announces_) {
          const std::int64_t announced = Board::announcement(*slot, data).bytes;
          was_cut = was_cut || announced > bytes;
          const std::int64_t sent = std::min(announced, bytes);
          bytes = std::min<std::int64_t>(sent, slot->piece);
          // A direct publication is too long for us: the program passed a wrong size.
          rest_[reading - first] = {slot->direct ? 0 : sent, slot->piece};
          more = more || rest_[reading - first].bytes > bytes;
        }
        found_[reading - first] = data;
        if (!reading->in_place) copy(bases[reading->into.base] + reading->into.offset, data, bytes);
      }
      for (std::uint32_t piece = 1; more; ++piece) {
        board.pass({call, round.number, piece * channels_});
        more = read_on(first, reading, piece, bases, board, {call, round.number, 0}, again);
      }
      for (; step != steps_.data() + round.steps; ++step) run(*step, bases, reduction);
      if (round.reads) board.pass({call, round.number + 1, 0});
    }
    // The next call is often like this one.
    for (const Round& round : rounds_)
      for (; next != publications_.data() + round.publications; ++next)
        board.fetch({call + 1, round.number, next->channel}, next->messages == 1, next->most);
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
  struct Publication {
    std::uint32_t channel;
    std::uint32_t first_message, messages;  // 1 message: the same for all readers
    std::uint32_t first_reader, readers;
    std::uint32_t most, piece;  // bytes, as for Board::open
  };
  struct Message {
    Place from;
    std::int64_t bytes;
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
  // The ends of the round's entries.
  struct Round {
    std::uint32_t number = 0, publications = 0, readings = 0, early_steps = 0, steps = 0;
    bool reads = false;
  };

  // Reads the next piece of each message that a publisher had to cut. Returns whether any message
  // continues after that.
  template <typename Again>
  bool read_on(const Reading* first, const Reading* end, std::uint32_t piece, char* const* bases,
               Board& board, Moment now, Again&& again) const {
    bool more = false;
    for (const Reading* reading = first; reading != end; ++reading) {
      const Rest& rest = rest_[reading - first];
      const std::int64_t begin = rest.piece * piece;
      if (rest.bytes <= begin) continue;
      now.position = piece * channels_ + reading->channel;
      const Slot* slot;
      while ((slot = board.find(reading->publisher, now)) == nullptr) again();
      const char* data = board.data(reading->publisher, now, *slot);
      static_cast<void>(Board::announcement(*slot, data));  // the same as before the first piece
      const std::int64_t bytes = std::min(rest.bytes - begin, rest.piece);
      copy(bases[reading->into.base] + reading->into.offset + begin, data, bytes);
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
    const bool common = publication.messages == 1;
    Board::Place place = board.open(now, common, publication.most, publication.piece);
    const int* const readers = readers_.data() + publication.first_reader;
    const Message* message = messages_.data() + publication.first_message;
    for (std::uint32_t i = 0; i < publication.messages; ++i, ++message)
      copy(announces_ ? place.of(readers[i], {message->bytes, nullptr}) : place.of(readers[i]),
           bases[message->from.base] + message->from.offset, message->bytes);
    board.publish(place, now, {readers, publication.readers});
  }

  bool announces_ = false;
  std::uint32_t channels_ = 1;
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
