#include "node/board.h"

#include <utility>

namespace toccata::node {

Board::Board(PartState& state, std::vector<Part*> parts, int own, std::uint64_t first_call,
             DirectReading direct)
    : state_(&state),
      parts_(std::move(parts)),
      heard_of_(parts_.size()),
      own_(own),
      slot_bytes_(ranks() == 2 ? Part::usual
                               : std::ranges::min(parts_, {}, &Part::slot_bytes)->slot_bytes),
      own_piece_(slot_bytes_ / ranks() / 16 * 16),  // aligned for any datatype
      next_call_(first_call),
      direct_(std::move(direct)),
      least_direct_(direct_.peers.empty() ? std::numeric_limits<std::int64_t>::max()
                                          : direct_.least) {
  for (PartState::Pending& pending : state.pending)
    for (PartState::Reader& reader : pending.readers) reader.rank = -1;
}

}  // namespace toccata::node
