#include "mpi/call/shortcuts.h"

namespace toccata {

int Shortcuts::Shortcut::run(const Signature& other) {
  Waiting waiting(communicator->process(), spare_cores, comm);
  // The number of looks at a flag before other work is done, if the awaited rank has a core.
  static constexpr int quick_looks = 200;
  int looks = spare_cores ? quick_looks : 0;
  char* const recv = static_cast<char*>(other.out);
  char* const send =
      other.in == MPI_IN_PLACE ? recv : static_cast<char*>(const_cast<void*>(other.in));
  const bool was_cut = program->run(*board, board->begin_call(), send, recv, combines, [&] {
    if (looks > 0)
      --looks;
    else
      waiting.again();
  });
  if (!was_cut) return MPI_SUCCESS;
  communicator->channel().spoil();
  return communicator->raise(MPI_ERR_TRUNCATE);
}

void Shortcuts::keep(const Signature& signature, const Operation& call, Communicator& communicator,
                     const Plan& plan, const node::Memory& memory, const Transport& transport,
                     const Reduction& reduction) {
  const Seat seat = communicator.seat(call);
  const bool other_arrays = signature.width > 0 && (call.collective.vector_of != nullptr ||
                                                    call.collective.among_neighbors);
  if (other_arrays || seat.p > KeptArguments::most_blocks || signature.out == MPI_IN_PLACE ||
      (signature.in == MPI_IN_PLACE && !call.collective.reduces))
    return;
  Shortcuts* const mine = KeptByThread<Shortcuts>::make();
  if (mine == nullptr) return;
  Shortcut* const first = mine->shortcuts_.find(
      key(signature), [&](const Shortcut& one) { return one.is_for(signature); });
  Shortcut* const found = first != nullptr ? first : &mine->shortcuts_.replace(key(signature));
  Shortcut& made = *found;
  made.program.reset();
  made.signature = signature;
  made.era = Communicator::era();
  if (first == nullptr)
    made.arguments = KeptArguments(signature, seat.p, communicator.process().datatypes());
  const node::Memory::Side& sends = memory.sides[static_cast<int>(Buffer::send)];
  const node::Memory::Side& receives = memory.sides[static_cast<int>(Buffer::recv)];
  // The first block of an array may lie elsewhere.
  const bool begins_in_buffer = signature.width == 0 || receives.base == signature.out;
  if (first == nullptr || !begins_in_buffer) return;
  made.communicator = &communicator;
  made.channel = &communicator.channel();
  made.board = transport.board();
  made.comm = transport.comm();
  made.spare_cores = transport.has_spare_cores();
  made.reads = seat.sends > 0 && signature.in != MPI_IN_PLACE;
  made.writes = seat.receives > 0 || signature.in == MPI_IN_PLACE;
  made.alias = &call.collective == &allgather || &call.collective == &gather
                   ? receives.stretch(0, seat.rank).bytes
               : &call.collective == &scatter ? -sends.stretch(0, seat.rank).bytes
                                              : 0;
  made.reduction = reduction;
  made.combines = call.collective.reduces ? made.reduction.combines() : node::Operator{};
  made.program =
      node::ShortProgram::bind(*plan.program, *made.board, transport.turn(), memory, made.combines);
}

}  // namespace toccata
