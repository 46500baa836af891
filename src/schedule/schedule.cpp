#include "schedule/schedule.h"

#include <algorithm>
#include <utility>

namespace toccata {

const char* name(Travel travel) {
  switch (travel) {
    case Travel::whole:
      return "whole";
    case Travel::packed:
      return "packed";
    case Travel::datatype:
      return "datatype";
    case Travel::per_block:
      return "per_block";
    case Travel::published:
      return "published";
  }
  return "?";
}

namespace {

// Readers find a publication by its publisher, round and channel. Sender and receiver have the same
// messages in a round, so both leave the same ones as they are.
void publish(std::span<Message> messages) {
  const auto key = [](const Message& each) { return std::pair(each.peer, each.channel); };
  std::vector<std::pair<std::int32_t, std::uint16_t>> keys;
  for (const Message& each : messages) keys.push_back(key(each));
  std::ranges::sort(keys);
  for (Message& each : messages)
    if (each.travel == Travel::whole && std::ranges::equal_range(keys, key(each)).size() == 1)
      each.travel = Travel::published;
}

}  // namespace

void Schedule::set_travel(Travel travel) {
  if (travel == Travel::published) {
    for (int i = 0; i < rounds(); ++i) {
      publish({sends_.data() + rounds_[i].sends, sends(i).size()});
      publish({recvs_.data() + rounds_[i].recvs, recvs(i).size()});
    }
    return;
  }
  for (auto* messages : {&sends_, &recvs_})
    for (Message& each : *messages)
      if (each.travel == Travel::whole) each.travel = travel;
}

bool Schedule::publishes() const {
  const auto is_published = [](const Message& each) { return each.travel == Travel::published; };
  return std::ranges::any_of(sends_, is_published) || std::ranges::any_of(recvs_, is_published);
}

bool Schedule::have_same_blocks(const Message& one, const Message& other) const {
  return std::ranges::equal(ranges(one), ranges(other));
}

std::int64_t pieces(const Schedule& schedule, const Message& message) {
  std::int64_t blocks = 0;
  for (const BlockRange& range : schedule.ranges(message)) blocks += range.blocks();
  return message.travel == Travel::per_block && blocks > 0 ? blocks : 1;
}

std::size_t Schedule::memory() const {
  return sizeof(*this) + rounds_.capacity() * sizeof(Round) +
         (sends_.capacity() + recvs_.capacity()) * sizeof(Message) +
         steps_.capacity() * sizeof(Step) +
         (ranges_.capacity() + scratch_.capacity()) * sizeof(BlockRange);
}

}  // namespace toccata
