#include "mpi/gather.h"

#include <algorithm>
#include <numeric>

namespace toccata {

int Gather::fault(int rank, int p) const {
  if (root_ < 0 || root_ >= p) return MPI_ERR_ROOT;
  if (in_place() && !receives(rank)) return MPI_ERR_ARG;
  if (!in_place() && sendcount_ < 0) return MPI_ERR_COUNT;
  if (!in_place() && sendtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (!receives(rank)) return MPI_SUCCESS;
  if (recvtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (recvbuf_ == MPI_IN_PLACE) return MPI_ERR_ARG;
  if (!is_vector_) return recvcount_ < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
  if (recvcounts_ == nullptr || displacements_ == nullptr) return MPI_ERR_ARG;
  const bool counts = std::all_of(recvcounts_, recvcounts_ + p, [](int each) { return each >= 0; });
  return counts ? MPI_SUCCESS : MPI_ERR_COUNT;
}

int Gather::native(MPI_Comm comm) const {
  return is_vector_ ? PMPI_Gatherv(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcounts_,
                                   displacements_, recvtype_, root_, comm)
                    : PMPI_Gather(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_, recvtype_,
                                  root_, comm);
}

int Gather::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return is_vector_ ? PMPI_Igatherv(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcounts_,
                                    displacements_, recvtype_, root_, comm, request)
                    : PMPI_Igather(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_, recvtype_,
                                   root_, comm, request);
}

std::int64_t Gather::bytes(int rank, int p) const {
  if (!receives(rank)) return sendcount_ * size_of(sendtype_) * (is_vector_ ? 1 : p);
  const std::int64_t elements = is_vector_
                                    ? std::accumulate(recvcounts_, recvcounts_ + p, std::int64_t{0})
                                    : std::int64_t{recvcount_} * p;
  return elements * size_of(recvtype_);
}

int Gather::hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int) {
  const bool sends = root_ != MPI_ROOT && root_ != MPI_PROC_NULL && !in_place();
  if (sends)
    if (int code = hold_datatype(sendtype_, held); code != MPI_SUCCESS) return code;
  return receives(rank) ? hold_datatype(recvtype_, held) : MPI_SUCCESS;
}

int Gather::bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const {
  DatatypeTraits traits;
  if (receives(rank)) {
    if (int code = datatypes.look_up(recvtype_, traits); code != MPI_SUCCESS) return code;
    if (is_vector_)
      binding.recv.vector(recvbuf_, traits, p, recvcounts_, displacements_);
    else
      binding.recv.uniform(recvbuf_, traits, recvcount_);
  }
  if (in_place()) {
    const Run own = binding.recv.block(rank);
    binding.send.uniform(own.address, traits, own.elements);
    return MPI_SUCCESS;
  }
  if (int code = datatypes.look_up(sendtype_, traits); code != MPI_SUCCESS) return code;
  binding.send.uniform(const_cast<void*>(sendbuf_), traits, sendcount_);
  if (!receives(rank)) binding.recv.uniform(nullptr, traits, sendcount_);
  return MPI_SUCCESS;
}

}  // namespace toccata
