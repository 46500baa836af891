#include "schedule/schedule.h"

namespace toccata {

const char* name(Travel travel) {
  switch (travel) {
    case Travel::whole:
      return "whole";
    case Travel::packed:
      return "packed";
    case Travel::datatype:
      return "datatype";
    case Travel::per_range:
      return "per_range";
    case Travel::per_block:
      return "per_block";
  }
  return "?";
}

template <typename Entry>
std::span<const Entry> Schedule::entries(const std::vector<Entry>& all, std::uint32_t Round::*begin,
                                         int round) const {
  const std::size_t first = rounds_[round].*begin;
  const std::size_t end = round + 1 < rounds() ? rounds_[round + 1].*begin : all.size();
  return {all.data() + first, end - first};
}

std::span<const Message> Schedule::sends(int round) const {
  return entries(sends_, &Round::sends, round);
}

std::span<const Message> Schedule::recvs(int round) const {
  return entries(recvs_, &Round::recvs, round);
}

std::span<const Copy> Schedule::copies(int round) const {
  return entries(copies_, &Round::copies, round);
}

void Schedule::set_travel(Travel travel) {
  for (auto* messages : {&sends_, &recvs_})
    for (Message& each : *messages)
      if (each.travel == Travel::whole) each.travel = travel;
}

std::size_t Schedule::memory() const {
  return sizeof(*this) + rounds_.capacity() * sizeof(Round) +
         (sends_.capacity() + recvs_.capacity()) * sizeof(Message) +
         copies_.capacity() * sizeof(Copy) +
         (ranges_.capacity() + scratch_.capacity()) * sizeof(BlockRange);
}

}  // namespace toccata
