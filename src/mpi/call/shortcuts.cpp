#include "mpi/call/shortcuts.h"

namespace toccata {

namespace {

// The number of looks at a flag before other work is done, if the awaited rank has a core.
constexpr int quick_looks = 200;

}  // namespace

int Shortcuts::Shortcut::run(const Signature& other) {
  Waiting waiting(communicator->process(), spare_cores, comm);
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
  const DatatypeTable& datatypes = communicator.process().datatypes();
  const auto stays = [&](MPI_Datatype type) {
    return type == MPI_Datatype{} || datatypes.is_predefined(type);
  };
  if (signature.has_arrays || !stays(signature.sent_type) || !stays(signature.received_type) ||
      signature.out == MPI_IN_PLACE || (signature.in == MPI_IN_PLACE && !call.collective.reduces))
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
  if (first == nullptr) return;
  const Seat seat = communicator.seat(call);
  made.communicator = &communicator;
  made.channel = &communicator.channel();
  made.board = transport.board();
  made.comm = transport.comm();
  made.spare_cores = transport.has_spare_cores();
  made.reads = seat.sends > 0 && signature.in != MPI_IN_PLACE;
  made.writes = seat.receives > 0 || signature.in == MPI_IN_PLACE;
  const std::int64_t own =
      seat.rank * memory.sides[static_cast<int>(Buffer::send)].stretch(0, 1).bytes;
  made.alias = &call.collective == &allgather || &call.collective == &gather ? own
               : &call.collective == &scatter                                ? -own
                                                                             : 0;
  made.reduction = reduction;
  made.combines = call.collective.reduces ? made.reduction.combines() : node::Operator{};
  made.program =
      node::ShortProgram::bind(*plan.program, *made.board, transport.turn(), memory, made.combines);
}

}  // namespace toccata
