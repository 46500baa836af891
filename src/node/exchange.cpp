#include "node/exchange.h"

#include <algorithm>
#include <cstring>

namespace toccata::node {

// `from` is set aside where the result is to lie in its memory.
void Operator::combine_in_two_steps(const char* from, const char* other, char* into,
                                    std::int64_t bytes) const {
  if (from != into || other == into) {
    if (other != into) std::memcpy(into, other, static_cast<std::size_t>(bytes));
    return apply(context, from, into, bytes);
  }
  alignas(64) char aside[Part::slot_bytes];
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
                    std::span<const Combination> combinations, const Operator& reduction) {
  board_ = &board;
  call_ = call;
  round_ = round;
  channels_ = channels;
  publications_ = publications;
  readings_ = readings;
  combinations_ = combinations;
  reduction_ = reduction;
  announcement_ = reduction ? 0 : announcement_bytes;
  was_cut_ = false;
  publishing_ = {.done = publications.empty()};
  reading_ = {.done = readings.empty()};
  bytes_ = 0;
  if (found_.size() < readings.size()) found_.resize(readings.size());
}

// Pieces of a reduction are all as short as those of which each reader has its own, so that the
// pieces of all ranks hold the same elements.
std::uint32_t Exchange::piece_bytes(bool common) const {
  if (!reduction_) return board_->piece(common) - announcement_;
  return static_cast<std::uint32_t>(board_->piece(false) / reduction_.element * reduction_.element);
}

bool Exchange::go_on() {
  publish_ahead();
  while (!reading_.done) {
    for (; reading_.next < readings_.size(); ++reading_.next)
      if (!read(reading_.next)) return false;
    if (bytes_ > 0) {
      if (!has_published(reading_.piece)) return false;
      combine();
    }
    bytes_ = 0;
    reading_ = {.piece = reading_.piece + 1, .done = !reading_.more};
    board_->pass(reading_.done ? Moment{call_, round_ + 1, 0} : moment(reading_.piece, 0));
    publish_ahead();
  }
  return publishing_.done;
}

void Exchange::publish_ahead() {
  while (!publishing_.done) {
    for (; publishing_.next < publications_.size(); ++publishing_.next)
      if (!publish(publications_[publishing_.next])) return;
    publishing_ = {.piece = publishing_.piece + 1, .done = !publishing_.more};
  }
}

// A message without bytes is published all the same: its reader waits to hear of us.
bool Exchange::publish(const Publication& publication) {
  const bool common = publication.common();
  const std::int64_t piece = piece_bytes(common);
  const std::int64_t first = piece * publishing_.piece;
  std::int64_t most = 0;
  for (const Stretch& each : publication.messages) most = std::max(most, each.bytes - first);
  if (most <= 0 && publishing_.piece > 0) return true;
  const Moment now = moment(publishing_.piece, publication.channel);
  if (!board_->is_free(now)) return false;
  publishing_.more = publishing_.more || most > piece;
  most = std::clamp<std::int64_t>(most, 0, piece);
  const Board::Place place =
      board_->open(now, common, static_cast<std::uint32_t>(most) + announcement_,
                   static_cast<std::uint32_t>(piece));
  for (std::size_t i = 0; i < publication.messages.size(); ++i) {
    const Stretch& message = publication.messages[i];
    const std::int64_t bytes = std::min(message.bytes - first, most);
    char* const place_of_reader =
        place.data + std::size_t{place.stride} * (common ? 0 : publication.readers[i]);
    if (announcement_ > 0) std::memcpy(place_of_reader, &message.bytes, sizeof message.bytes);
    if (bytes > 0)
      std::memcpy(place_of_reader + announcement_, message.data + first,
                  static_cast<std::size_t>(bytes));
  }
  board_->publish(now, publication.readers);
  return true;
}

bool Exchange::read(std::size_t reading) {
  const Reading& own = readings_[reading];
  Found& found = found_[reading];
  if (reading_.piece > 0 && found.bytes <= found.piece * reading_.piece)
    return true;  // ended earlier
  const Moment now = moment(reading_.piece, own.channel);
  const Slot* const slot = board_->find(own.publisher, now);
  if (slot == nullptr) return false;
  found = {board_->data(own.publisher, now, *slot), slot->piece, own.into.bytes};
  if (announcement_ > 0) {
    std::int64_t sent = 0;
    std::memcpy(&sent, found.data, sizeof sent);
    was_cut_ = was_cut_ || sent > own.into.bytes;
    found.bytes = std::min(sent, own.into.bytes);
    found.data += announcement_;
  }
  const std::int64_t first = found.piece * reading_.piece;
  const std::int64_t bytes = std::min(found.bytes - first, found.piece);
  reading_.more = reading_.more || found.bytes - first > found.piece;
  if (own.into.data == nullptr) {
    first_ = first;
    bytes_ = bytes;
  } else if (bytes > 0) {
    std::memcpy(own.into.data + first, found.data, static_cast<std::size_t>(bytes));
  }
  return true;
}

void Exchange::combine() {
  const auto address = [&](const Operand& each) {
    return each.reading >= 0 ? found_[each.reading].data : each.data + first_;
  };
  for (const Combination& each : combinations_) {
    const char* const from = address(each.from);
    char* const into = each.into + first_;
    if (each.reduces)
      reduction_(from, address(each.other), into, bytes_);
    else if (from != into)
      std::memcpy(into, from, static_cast<std::size_t>(bytes_));
  }
}

}  // namespace toccata::node
