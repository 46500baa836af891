#include "mpi/call/shortcuts.h"

#include <algorithm>
#include <new>
#include <utility>

namespace toccata {

// Whether a message was longer than its reader's memory.
bool Shortcuts::Shortcut::run_program(char* send, char* recv) {
  // The number of looks at a flag before other work is done, if the awaited rank has a core.
  static constexpr int quick_looks = 200;
  const std::uint64_t call = board->begin_call();
  Waiting::advance_at(call, comm);
  Waiting waiting(communicator->process(), spare_cores, comm);
  int looks = spare_cores ? quick_looks : 0;
  // A function of its own, so that the program's loops do not need its registers.
  const auto again = [&]() __attribute__((noinline)) {
    if (looks > 0)
      --looks;
    else
      waiting.again();
  };
  return program->run(*board, call, send, recv, combines, again);
}

inline int Shortcuts::Shortcut::run(const Signature& other) {
  char* const recv = static_cast<char*>(other.out);
  char* const send =
      other.in == MPI_IN_PLACE ? recv : static_cast<char*>(const_cast<void*>(other.in));
  if (gaps == nullptr && !run_program(send, recv)) return MPI_SUCCESS;
  const int code = gaps != nullptr ? run_packed(send, recv) : MPI_ERR_TRUNCATE;
  if (code == MPI_SUCCESS) return code;
  communicator->channel().spoil();
  return communicator->raise(code);
}

bool Shortcuts::take(const Signature& signature, int& code) {
  Shortcuts* const mine = KeptByThread<Shortcuts>::get();
  if (mine == nullptr) return false;
  Shortcut* const found = mine->shortcuts_.find(
      key(signature), [&](const Shortcut& one) { return one.fits(signature); });
  if (found == nullptr) return false;
  code = found->run(signature);
  return true;
}

// If packing fails, the other ranks still get this rank's flags.
int Shortcuts::Shortcut::run_packed(char* send, char* recv) {
  auto& [sends, receives, is_root, keeps] = *gaps;
  int code = MPI_SUCCESS;
  const auto note = [&](int its) { code = code == MPI_SUCCESS ? its : code; };
  const auto pack = [&](Packed& into, const char* from) {
    int position = 0;
    note(PMPI_Pack(from, into.elements, into.type, into.data.data(),
                   static_cast<int>(into.data.size()), &position, comm));
    return into.data.data();
  };
  const bool unpacks = receives.elements > 0 && !is_root;
  char* const packed_send = sends.elements > 0 ? pack(sends, send) : send;
  char* const packed_recv = receives.elements == 0 ? recv
                            : is_root || keeps     ? pack(receives, recv)
                                                   : receives.data.data();
  if (run_program(packed_send, packed_recv)) note(MPI_ERR_TRUNCATE);
  int position = 0;
  if (unpacks)
    note(PMPI_Unpack(packed_recv, static_cast<int>(receives.data.size()), &position, recv,
                     receives.elements, receives.type, comm));
  return code;
}

void Shortcuts::keep(const Signature& signature, const Operation& call, Communicator& communicator,
                     const Plan& plan, Execution& execution, const Transport& transport) {
  const Seat seat = communicator.seat(call);
  const bool among_neighbors = call.collective.among_neighbors;
  const bool sizes_unknown = call.collective.vector_of != nullptr && !among_neighbors;
  const int received = among_neighbors ? seat.receives : seat.p;
  if ((signature.width() > 0 && sizes_unknown) || call.recv.typed ||
      std::max(seat.sends, received) > KeptArguments::most_blocks ||
      signature.out == MPI_IN_PLACE || (signature.in == MPI_IN_PLACE && !call.collective.reduces))
    return;
  const auto memory = execution.memory_on_board();
  Shortcuts* const mine = memory ? KeptByThread<Shortcuts>::make() : nullptr;
  if (mine == nullptr) return;
  Shortcut* const first = mine->shortcuts_.find(
      key(signature), [&](const Shortcut& one) { return one.is_for(signature); });
  Shortcut* const found = first != nullptr ? first : &mine->shortcuts_.replace(key(signature));
  Shortcut& made = *found;
  // The first block of an array may lie elsewhere.
  const auto begins_at = [&](const Layout& blocks, int number, const void* buffer) {
    return signature.width() == 0 || number == 0 || blocks.block(0).address == buffer;
  };
  const bool begins_in_buffer =
      begins_at(execution.binding.recv, seat.receives, signature.out) &&
      (!among_neighbors || begins_at(execution.binding.send, seat.sends, signature.in));
  try {
    if (first != nullptr) {
      made.program.reset();
      made.gaps.reset();
      made.signature = signature;
      if (begins_in_buffer) make(made, call, communicator, plan, execution, transport, *memory);
    } else {
      made = {.signature = signature, .era = Communicator::era()};
      made.arguments =
          KeptArguments::of(signature, seat.sends, received, communicator.process().datatypes());
    }
  } catch (const std::bad_alloc&) {
    made = {};
  }
}

void Shortcuts::make(Shortcut& made, const Operation& call, Communicator& communicator,
                     const Plan& plan, Execution& execution, const Transport& transport,
                     const node::Memory& memory) {
  const Seat seat = communicator.seat(call);
  const Signature& signature = made.signature;
  const Binding& binding = execution.binding;
  made.communicator = &communicator;
  made.channel = &communicator.channel();
  made.board = transport.board();
  made.comm = transport.comm();
  made.spare_cores = transport.has_spare_cores();
  made.reads = seat.sends > 0 && signature.in != MPI_IN_PLACE;
  made.writes = seat.receives > 0 || signature.in == MPI_IN_PLACE;
  const auto own_block_in = [&](const Layout& blocks) {
    return blocks.block(seat.rank).address - blocks.block(0).address;
  };
  made.alias = !made.reads || !made.writes ? 0
               : &call.collective == &allgather || &call.collective == &gather
                   ? own_block_in(binding.recv)
               : &call.collective == &scatter ? -own_block_in(binding.send)
                                              : 0;
  made.reduction = execution.reduction_on_board();
  made.combines = call.collective.reduces ? made.reduction.combines() : node::Operator{};
  auto program =
      node::ShortProgram::bind(*plan.program, *made.board, transport.turn(), memory, made.combines);
  if (!program) return;
  const auto packed = [&](const Layout& blocks, int number) {
    if (number == 0 || blocks.bytes(0) == 0 || blocks.is_plain(number)) return Shortcut::Packed();
    return Shortcut::Packed{static_cast<int>(blocks.elements(0)) * number, blocks.traits().type,
                            std::vector<char>(blocks.bytes(0) * number)};
  };
  Shortcut::Gaps gaps{.sends = packed(binding.send, made.reads ? seat.sends : 0),
                      .receives = packed(binding.recv, made.writes ? seat.receives : 0),
                      .is_root = binding.recv_role == Binding::Role::input,
                      .keeps = call.collective.among_neighbors};
  if (gaps.sends.elements > 0 || gaps.receives.elements > 0)
    made.gaps = std::make_unique<Shortcut::Gaps>(std::move(gaps));
  made.program = std::move(program);
}

}  // namespace toccata
