#include "mpi/bcast.h"

namespace toccata {

int Bcast::fault(int, int p) const {
  if (root_ < 0 || root_ >= p) return MPI_ERR_ROOT;
  if (count_ < 0) return MPI_ERR_COUNT;
  if (type_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  return buffer_ == MPI_IN_PLACE ? MPI_ERR_ARG : MPI_SUCCESS;
}

int Bcast::native(MPI_Comm comm) const { return PMPI_Bcast(buffer_, count_, type_, root_, comm); }

int Bcast::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return PMPI_Ibcast(buffer_, count_, type_, root_, comm, request);
}

std::int64_t Bcast::bytes(int, int) const { return count_ * size_of(type_); }

int Bcast::hold_datatypes(std::vector<OwnedDatatype>& held, int, int) {
  return root_ == MPI_PROC_NULL ? MPI_SUCCESS : hold_datatype(type_, held);
}

int Bcast::bind(int rank, int, const DatatypeTable& datatypes, Binding& binding) const {
  DatatypeTraits traits;
  if (int code = datatypes.look_up(type_, traits); code != MPI_SUCCESS) return code;
  binding.recv.uniform(buffer_, traits, count_);
  binding.send.uniform(nullptr, traits, count_);
  if (rank == root_) binding.recv_role = Binding::Role::input;
  return MPI_SUCCESS;
}

}  // namespace toccata
