#include "node/board.h"

#include <algorithm>
#include <utility>

namespace toccata::node {

// First back to the beginning of a call, then the call: whoever sees the new call sees a moment
// within it that has passed.
void Progress::set(const Moment& moment) {
  if (call.load(std::memory_order_relaxed) != moment.call) {
    within_call.store(0, std::memory_order_release);
    call.store(moment.call, std::memory_order_release);
  }
  within_call.store(moment.within_call(), std::memory_order_release);
}

bool Progress::has_passed(const Moment& moment) const {
  const std::uint64_t in = call.load(std::memory_order_acquire);
  return in > moment.call ||
         (in == moment.call && within_call.load(std::memory_order_acquire) > moment.within_call());
}

Board::Board(PartState& state, std::vector<Part*> parts, int own, std::uint64_t first_call)
    : state_(&state),
      parts_(std::move(parts)),
      heard_of_(parts_.size()),
      own_(own),
      own_piece_(Part::slot_bytes / ranks() / 16 * 16),  // aligned for any datatype
      next_call_(first_call) {
  for (PartState::Pending& pending : state.pending)
    for (PartState::Reader& reader : pending.readers) reader.rank = -1;
}

bool Board::is_free(const Moment& moment) {
  PartState::Pending& pending = state_->pending[index(moment)];
  while (!pending.readers.empty()) {
    const PartState::Reader& last = pending.readers.back();
    if ((last.rank < 0 || heard_of_[last.rank] <= pending.moment.call) &&
        !last.progress->has_passed(pending.moment))
      return false;
    pending.readers.pop_back();
  }
  return true;
}

Board::Place Board::open(const Moment& moment, bool common, std::uint32_t most,
                         std::uint32_t piece) {
  Slot& slot = state_->part->slot[index(moment)];
  const std::uint32_t stride = common ? 0 : std::min((most + 15) / 16 * 16, own_piece_);
  slot.stride = stride;
  slot.piece = piece;
  slot.inlined = (common ? most : stride * ranks()) <= inline_bytes ? 1 : 0;
  return {slot.inlined != 0 ? slot.payload : state_->part->data[index(moment)], stride};
}

void Board::publish(const Moment& moment, std::span<const int> readers) {
  PartState::Pending& pending = state_->pending[index(moment)];
  pending.moment = moment;
  for (const int reader : readers) pending.readers.push_back({&parts_[reader]->progress, reader});
  Slot& slot = state_->part->slot[index(moment)];
  slot.within_call.store(moment.within_call(), std::memory_order_release);
  slot.call.store(moment.call, std::memory_order_release);
}

const Slot* Board::find(int publisher, const Moment& moment) {
  const Slot& slot = parts_[publisher]->slot[index(moment)];
  if (slot.call.load(std::memory_order_acquire) != moment.call) return nullptr;
  if (slot.within_call.load(std::memory_order_acquire) != moment.within_call()) return nullptr;
  heard_of_[publisher] = moment.call;
  return &slot;
}

const char* Board::data(int publisher, const Moment& moment, const Slot& slot) const {
  const char* const first =
      slot.inlined != 0 ? slot.payload : parts_[publisher]->data[index(moment)];
  return first + std::size_t{slot.stride} * own_;
}

}  // namespace toccata::node
