#include "mpi/call/call.h"

namespace toccata {

namespace {

// The datatypes of a side. `blocks` are those of a side with a datatype per block.
int hold_types(Side& side, int blocks, std::vector<MPI_Datatype>& own,
               std::vector<OwnedDatatype>& held) {
  if (!side.typed) return hold_datatype(side.type, held);
  own.clear();
  for (int block = 0; block < blocks; ++block) {
    own.push_back(side.type_of(block));
    if (int code = hold_datatype(own.back(), held); code != MPI_SUCCESS) return code;
  }
  side.types = own.data();
  return MPI_SUCCESS;
}

}  // namespace

int Call::hold_datatypes(std::vector<OwnedDatatype>& held, const Seat& seat) {
  const Operation& call = operation_;
  if (call.collective.synchronizes) return MPI_SUCCESS;  // has no buffers
  int code = MPI_SUCCESS;
  if (call.has_type_in(seat))
    code = hold_types(operation_.send, call.send.typed ? seat.sends : 0, own_types_in_, held);
  if (code != MPI_SUCCESS || !call.has_type_out(seat)) return code;
  if (call.collective.reduces) return keep_datatype(call.recv.type, held);
  return hold_types(operation_.recv, call.recv.typed ? seat.receives : 0, own_types_out_, held);
}

}  // namespace toccata
