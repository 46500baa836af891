#include "mpi/call/call.h"

namespace toccata::calls {

int hold_types(const MPI_Datatype*& types, const Side& side, int blocks,
               std::vector<MPI_Datatype>& own, std::vector<OwnedDatatype>& held) {
  own.clear();
  for (int block = 0; block < blocks; ++block) {
    own.push_back(side.type_of(block));
    if (int code = hold_datatype(own.back(), held); code != MPI_SUCCESS) return code;
  }
  types = own.data();
  return MPI_SUCCESS;
}

}  // namespace toccata::calls
