#include "node/exchange.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace toccata::node {

// `from` is copied to other memory if the result overwrites it.
void Operator::combine_in_two_steps(const char* from, const char* other, char* into,
                                    std::int64_t bytes) const {
  if (from != into || other == into) {
    if (other != into) std::memcpy(into, other, static_cast<std::size_t>(bytes));
    return apply(context, from, into, bytes);
  }
  alignas(64) char aside[Part::most_element];
  const std::int64_t most = static_cast<std::int64_t>(sizeof aside) / element * element;
  for (std::int64_t first = 0; first < bytes; first += most) {
    const std::int64_t some = std::min(most, bytes - first);
    std::memcpy(aside, from + first, static_cast<std::size_t>(some));
    std::memcpy(into + first, other + first, static_cast<std::size_t>(some));
    apply(context, aside, into + first, some);
  }
}

void Exchange::open(Board& board, std::uint64_t call, std::uint32_t round, int channels,
                    std::span<const Publication> publications, std::span<const Reading> readings,
                    std::span<const Combination> combinations, const Operator& reduction,
                    bool times_paths) {
  board_ = &board;
  call_ = call;
  round_ = round;
  channels_ = channels;
  publications_ = publications;
  readings_ = readings;
  combinations_ = combinations;
  reduction_ = reduction;
  was_cut_ = false;
  publishing_ = {.done = publications.empty()};
  reading_ = {.done = readings.empty()};
  bytes_ = 0;
  has_refused_ = is_late_ = has_begun_announced_ = false;
  combinations_change_publications_.reset();
  length_ = 0;
  for (std::size_t i = 0; i < readings.size() && length_ == 0; ++i)
    if (is_used_in_place(i)) length_ = readings[i].into.bytes;
  if (found_.size() < readings.size()) found_.resize(readings.size());
  choose_path(times_paths);
}

// All pieces of a reduction have the length of pieces with one share per reader, so that the pieces
// of all ranks hold the same elements.
std::uint32_t Exchange::piece_bytes(bool common) const {
  if (!reduction_) return board_->piece(common) - announcement_bytes;
  return static_cast<std::uint32_t>(board_->piece(false) / reduction_.element * reduction_.element);
}

bool Exchange::go_on() {
  publish_ahead();
  while (!reading_.done) {
    for (; reading_.next < readings_.size(); ++reading_.next)
      if (!read(reading_.next)) return false;
    if (reading_.piece == 0 && !read_announced()) return false;
    if (bytes_ > 0) {
      if (!has_published(reading_.piece)) return false;
      combine(first_, bytes_);
    }
    bytes_ = 0;
    reading_ = {.piece = reading_.piece + 1, .done = !reading_.more};
    board_->pass(reading_.done ? Moment{call_, round_ + 1, 0} : moment(reading_.piece, 0));
    publish_ahead();
  }
  if (is_late_ && publishing_.done) {
    for (std::size_t i = 0; i < readings_.size(); ++i)
      if (is_used_in_place(i)) found_[i].data = aside(i) + combined_;
    combine(combined_, end_ - combined_);
    is_late_ = false;
  }
  return finish();
}

void Exchange::publish_ahead() {
  while (!publishing_.done) {
    for (; publishing_.next < publications_.size(); ++publishing_.next)
      if (!publish(publications_[publishing_.next])) return;
    publishing_ = {.piece = publishing_.piece + 1, .done = !publishing_.more};
  }
}

bool Exchange::publish(const Publication& publication) {
  return directly_ ? publish_directly(publication)
                   : publish_piece(publication, publication.readers, publishing_.piece);
}

// Readers of a direct publication read its memory until they pass. So it is possible only if no
// step of this round changes that memory. And all messages must be long: a reader whose message
// fits a slot expects it there.
void Exchange::choose_path(bool times_paths) {
  directly_ = false;
  timed_.reset();
  std::int64_t most = 0, least = std::numeric_limits<std::int64_t>::max();
  bool common = true;
  for (const Publication& publication : publications_) {
    common = common && publication.common();
    for (const Stretch& each : publication.messages) {
      most = std::max(most, each.bytes);
      if (each.bytes > 0) least = std::min(least, each.bytes);
    }
  }
  if (most == 0 ||
      !board_->may_publish_directly(least, static_cast<bool>(reduction_), !readings_.empty()) ||
      combinations_change_publications())
    return;
  directly_ = board_->always_directly();
  if (directly_) return;
  const PublicationPaths::Kind kind(
      most, PublicationPaths::Round{.reads = !readings_.empty(),
                                    .combines = !combinations_.empty(),
                                    .common = common,
                                    .slots_must_win_clearly = board_->slots_must_win_clearly()});
  directly_ = board_->paths().next(kind);
  if (!times_paths) return;
  timed_ = kind;
  if (board_->paths().is_try(kind)) begin_ = std::chrono::steady_clock::now();
}

bool Exchange::finish() {
  if (!publishing_.done) return false;
  if (timed_) {
    std::chrono::duration<double> time{};
    if (board_->paths().is_try(*timed_)) {
      if (!board_->is_all_read()) return false;
      time = std::chrono::steady_clock::now() - begin_;
    }
    board_->paths().took(*timed_, directly_, time.count());
    timed_.reset();
  }
  // The next call is often like this one.
  if (directly_)
    for (const Publication& each : publications_)
      board_->fetch({call_ + 1, round_, static_cast<std::uint32_t>(each.channel)},
                    board_->form(each.common(), sizeof(Announcement), 0), sizeof(Announcement));
  return true;
}

bool Exchange::publish_directly(const Publication& publication) {
  const Moment announced = moment(0, publication.channel);
  if (publishing_.piece == 0) {
    if (!board_->is_free(announced)) return false;
    const bool common = publication.common();
    const bool helps = readings_.empty() && board_->helps();
    // Nothing may fail between taking an offer and finishing it.
    if (helps && reduction_) {
      const Stretch& longest = std::ranges::max(publication.messages, {}, &Stretch::bytes);
      reserve_aside(std::min(chunk_bytes(1), longest.bytes), 1);
    }
    Board::Place place = board_->open_directly(
        announced, common, helps ? static_cast<int>(publication.readers.size()) : 0);
    for (std::size_t i = 0; i < publication.messages.size(); ++i) {
      const Stretch& message = publication.messages[i];
      place.of(publication.readers[i], {message.bytes, message.data});
    }
    board_->publish(place, announced, publication.readers);
    publishing_.more = true;
    return true;
  }
  if (publishing_.piece == 1 && !board_->is_free(announced)) {
    if (readings_.empty()) help(publication, announced);
    return false;
  }
  refusing_.clear();
  for (const int reader : publication.readers)
    if (board_->has_refused(reader, announced)) refusing_.push_back(reader);
  if (refusing_.empty()) return true;
  board_->publish_nothing_directly();
  return publish_piece(publication, refusing_, publishing_.piece - 1);
}

void Exchange::help(const Publication& publication, const Moment& announced) {
  for (const int reader : publication.readers)
    if (const Offer::Work* const offered = board_->take(announced, reader))
      board_->finish(announced, reader, work(*offered, reader));
}

// Combines in chunks that stay in the cache between their copies.
bool Exchange::work(const Offer::Work& work, int reader) {
  if (work.operand == nullptr)
    return board_->write_directly(reader, work.from, work.into, work.bytes);
  const std::int64_t chunk = chunk_bytes(1);
  char* const operand = aside(0);
  for (std::int64_t first = 0; first < work.bytes; first += chunk) {
    const std::int64_t bytes = std::min(chunk, work.bytes - first);
    const char* const from = work.from + first;
    if (!board_->read_directly(reader, work.operand + first, operand, bytes)) return false;
    reduction_(work.from_is_first ? from : operand, work.from_is_first ? operand : from, operand,
               bytes);
    if (!board_->write_directly(reader, operand, work.into + first, bytes)) return false;
  }
  return true;
}

// Publishes the piece of that number for some of the publication's readers. A message without bytes
// is published, too, because its reader waits for it.
bool Exchange::publish_piece(const Publication& publication, std::span<const int> readers,
                             std::uint32_t number) {
  const bool common = publication.common();
  const std::int64_t piece = piece_bytes(common);
  const std::int64_t first = piece * number;
  std::int64_t most = 0;
  for (const Stretch& each : publication.messages) most = std::max(most, each.bytes - first);
  if (most <= 0 && number > 0) return true;
  const Moment now = moment(publishing_.piece, publication.channel);
  if (!board_->is_free(now)) return false;
  publishing_.more = publishing_.more || most > piece;
  most = std::clamp<std::int64_t>(most, 0, piece);
  const std::uint32_t announcement = reduction_ || common ? 0 : announcement_bytes;
  const Slot::Form form = board_->form(common, static_cast<std::uint32_t>(most) + announcement,
                                       static_cast<std::uint32_t>(piece));
  Board::Place place = board_->open(now, form);
  for (std::size_t i = 0; i < publication.messages.size(); ++i) {
    const Stretch& message = publication.messages[i];
    const int reader = publication.readers[i];
    char* const memory = reduction_ ? place.of(reader) : place.of(reader, {message.bytes, nullptr});
    const std::int64_t bytes = std::min(message.bytes - first, most);
    if (bytes > 0) std::memcpy(memory, message.data + first, static_cast<std::size_t>(bytes));
  }
  board_->publish(place, now, readers);
  return true;
}

bool Exchange::read(std::size_t reading) {
  const Reading& own = readings_[reading];
  Found& found = found_[reading];
  const bool begins = reading_.piece == 0;
  const bool repeated = !begins && found.direct;
  if (repeated && (!has_refused_ || found.read)) return true;
  const std::uint32_t number = reading_.piece - (repeated ? 1 : 0);
  if (number > 0 && found.bytes <= found.piece * number) return true;  // ended earlier
  const Moment now = moment(reading_.piece, own.channel);
  const Slot* const slot = board_->find(own.publisher, now);
  if (slot == nullptr) return false;
  const char* data = board_->data(own.publisher, now, *slot);
  if (begins) found = {.bytes = own.into.bytes, .direct = slot->form.direct};
  if (!reduction_ || (begins && found.direct)) {
    const Announcement announcement = Board::announcement(*slot, data);
    was_cut_ = was_cut_ || announcement.bytes > own.into.bytes;
    found.bytes = std::min(announcement.bytes, own.into.bytes);
    if (begins) found.address = announcement.address;
  }
  if (begins && found.direct) {
    found.helped = slot->form.helped;
    if (is_used_in_place(reading)) return true;
    // If the rest of a message turned out to be unreadable after combinations have used others, the
    // round would be repeated, and combine these twice.
    if (!has_refused_ && length_ == 0)
      found.offered = offer(reading, found.bytes, own.into.data, nullptr);
    read_directly(reading, own.into.data, 0, found.bytes - found.offered);
    return true;
  }
  found.data = data;
  found.piece = slot->form.piece;
  const std::int64_t first = found.piece * number;
  const std::int64_t bytes = std::min(found.bytes - first, found.piece);
  reading_.more = reading_.more || found.bytes - first > found.piece;
  if (is_used_in_place(reading) && !is_late_) {
    first_ = first;
    bytes_ = bytes;
  } else if (bytes > 0) {
    char* const into = is_late_ && is_used_in_place(reading) ? aside(reading) : own.into.data;
    std::memcpy(into + first, found.data, static_cast<std::size_t>(bytes));
  }
  return true;
}

// Rejects the round if some memory cannot be read, here or by read().
bool Exchange::read_announced() {
  if (!has_begun_announced_) begin_announced();
  has_begun_announced_ = true;
  if (!settle_offers()) return false;
  if (is_late_ || (has_refused_ && combined_ < end_)) set_aside();
  if (!has_refused_) return true;
  board_->refuse(moment(0, 0));
  reading_.more = true;
  return true;
}

// Reads the direct publications that combinations use in place.
void Exchange::begin_announced() {
  bool in_place = false, all = true;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    in_place = in_place || (found_[i].direct && is_used_in_place(i));
    all = all && found_[i].direct;
  }
  combined_ = 0;
  end_ = in_place ? length_ : 0;
  if (!in_place) return;
  is_late_ = !all || combinations_change_publications();
  if (is_late_ || has_refused_) return;
  // From an offer on until it is settled, nothing may fail.
  mapped_.resize(std::max(mapped_.size(), readings_.size()));
  if (!copies_to_result())
    reserve_aside(std::min(chunk_bytes(readings_.size()), length_), readings_.size());
  offer_combination();
  has_refused_ = !combine_directly(length_ - found_[0].offered);
}

// Reads what no publisher has taken over.
bool Exchange::settle_offers() {
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    Found& found = found_[i];
    if (found.offered == 0) continue;
    const Offer::Phase phase = board_->withdraw(moment(0, 0), readings_[i].publisher);
    if (phase == Offer::taken) return false;
    const std::int64_t offered = std::exchange(found.offered, 0);
    if (phase == Offer::done) {
      if (is_used_in_place(i)) end_ -= offered;
    } else if (!is_used_in_place(i)) {
      found.read = false;
      read_directly(i, readings_[i].into.data, found.bytes - offered, found.bytes);
    } else if (!has_refused_) {
      has_refused_ = !combine_directly(length_);
    }
  }
  return true;
}

// Both ranks shall end at the same time. A reader of k messages, each of whose publishers has q
// readers, reads q / (k + q) of each. A publisher that combines copies twice.
std::int64_t Exchange::offer(std::size_t reading, std::int64_t bytes, char* into,
                             const Combination* combination) {
  constexpr std::int64_t page = 4 << 10;
  const std::int64_t least = combination != nullptr ? 24 << 10 : 16 << 10;
  const Found& found = found_[reading];
  if (found.helped == 0) return 0;
  const auto messages = static_cast<std::int64_t>(readings_.size());
  std::int64_t own =
      combination != nullptr ? bytes / 5 * 3 : bytes / (messages + found.helped) * found.helped;
  own -= static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(into + own) % page);
  own -= own % reduction_.element;
  if (own <= 0 || bytes - own < least) return 0;
  Offer::Work work{.from = found.address + own,
                   .operand = nullptr,
                   .into = into + own,
                   .bytes = bytes - own,
                   .from_is_first = true};
  if (combination != nullptr) {
    work.from_is_first = combination->from.reading >= 0;
    work.operand = (work.from_is_first ? combination->other : combination->from).data + own;
  }
  return board_->offer(moment(0, 0), readings_[reading].publisher, work) ? work.bytes : 0;
}

// Whether a round is into = from ∘ other, where one of them is a message, and the other one stays
// as it is. Then the content of `into` before the round does not matter, and a part can be
// repeated.
bool Exchange::combination_is_simple() const {
  if (readings_.size() != 1 || combinations_.size() != 1) return false;
  const Combination& only = combinations_.front();
  if (!only.reduces || (only.from.reading >= 0) == (only.other.reading >= 0)) return false;
  const char* const operand = only.from.reading >= 0 ? only.other.data : only.from.data;
  const std::less<const char*> before;
  return !before(operand, only.into + length_) || !before(only.into, operand + length_);
}

// Without `combine`, a publisher whose message is the second operand would copy the first one
// again.
void Exchange::offer_combination() {
  if (!combination_is_simple() || found_[0].helped != 1 || found_[0].bytes < length_) return;
  const Combination& only = combinations_.front();
  if (only.from.reading < 0 && reduction_.combine == nullptr) return;
  if (board_->map(readings_[0].publisher, found_[0].address, length_) != nullptr) return;
  found_[0].offered = offer(0, length_, only.into, &only);
}

void Exchange::read_directly(std::size_t reading, char* into, std::int64_t first,
                             std::int64_t end) {
  Found& found = found_[reading];
  if (has_refused_) return;
  found.read =
      first == end || board_->read_directly(readings_[reading].publisher, found.address + first,
                                            into + first, end - first);
  has_refused_ = !found.read;
}

// Some operands of the combinations are direct, others arrive in pieces: wait for all of them.
void Exchange::set_aside() {
  is_late_ = true;
  reserve_aside(length_, readings_.size());
  bytes_ = 0;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    if (!is_used_in_place(i)) continue;
    const Found& found = found_[i];
    if (!found.direct)
      std::memcpy(aside(i), found.data,
                  static_cast<std::size_t>(std::min(found.bytes, found.piece)));
    else
      read_directly(i, aside(i), 0, found.bytes);
  }
}

// The operands of a chunk stay in the cache between the copy and the combination.
std::int64_t Exchange::chunk_bytes(std::size_t operands) const {
  constexpr std::int64_t most = 128 << 10, cached = 256 << 10, least = 8 << 10;
  const std::int64_t chunk =
      std::clamp<std::int64_t>(cached / static_cast<std::int64_t>(operands), least, most);
  return std::max<std::int64_t>(chunk / reduction_.element, 1) * reduction_.element;
}

// Copies one message to the result's memory if possible, so that its combination uses less of the
// cache. Without `combine`, the operator would copy such a first operand again.
bool Exchange::copies_to_result() const {
  return combination_is_simple() &&
         (reduction_.combine != nullptr || combinations_.front().from.reading < 0);
}

// Uses the memory of the publishers where it can be mapped. Otherwise copies.
bool Exchange::combine_directly(std::int64_t end) {
  for (std::size_t i = 0; i < readings_.size(); ++i)
    mapped_[i] = is_used_in_place(i)
                     ? board_->map(readings_[i].publisher, found_[i].address, length_)
                     : nullptr;
  const bool done = combine_chunks(end);
  std::ranges::fill(mapped_, nullptr);
  return done;
}

bool Exchange::combine_chunks(std::int64_t end) {
  const std::int64_t chunk = chunk_bytes(readings_.size());
  const bool to_result = copies_to_result();
  while (combined_ < end) {
    const std::int64_t bytes = std::min(chunk, end - combined_);
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      if (!is_used_in_place(i)) continue;
      if (mapped_[i] != nullptr) {
        found_[i].data = mapped_[i].get() + combined_;
        continue;
      }
      char* const copy = to_result ? combinations_.front().into + combined_ : aside(i);
      if (!board_->read_directly(readings_[i].publisher, found_[i].address + combined_, copy,
                                 bytes))
        return false;
      found_[i].data = copy;
    }
    combine(combined_, bytes);
    combined_ += bytes;
  }
  return true;
}

void Exchange::reserve_aside(std::int64_t bytes, std::size_t operands) {
  pages_aside_ = (static_cast<std::size_t>(bytes) + sizeof(Page) - 1) / sizeof(Page);
  aside_.resize(std::max(aside_.size(), pages_aside_ * operands));
}

bool Exchange::combinations_change_publications() {
  const auto change = [&](const Stretch& message) {
    return std::ranges::any_of(combinations_, [&](const Combination& each) {
      const std::less<const char*> before;
      return before(each.into, message.data + message.bytes) &&
             before(message.data, each.into + length_);
    });
  };
  if (!combinations_change_publications_)
    combinations_change_publications_ = std::ranges::any_of(
        publications_,
        [&](const Publication& each) { return std::ranges::any_of(each.messages, change); });
  return *combinations_change_publications_;
}

void Exchange::combine(std::int64_t first, std::int64_t bytes) {
  const auto address = [&](const Operand& each) {
    return each.reading >= 0 ? found_[each.reading].data : each.data + first;
  };
  for (const Combination& each : combinations_) {
    const char* const from = address(each.from);
    char* const into = each.into + first;
    if (each.reduces)
      reduction_(from, address(each.other), into, bytes);
    else if (from != into)
      std::memcpy(into, from, static_cast<std::size_t>(bytes));
  }
}

}  // namespace toccata::node
