#include "mpi/scatter.h"

#include <algorithm>
#include <numeric>

namespace toccata {

int Scatter::fault(int rank, int p) const {
  if (root_ < 0 || root_ >= p) return MPI_ERR_ROOT;
  if (in_place() && !sends(rank)) return MPI_ERR_ARG;
  if (!in_place() && recvcount_ < 0) return MPI_ERR_COUNT;
  if (!in_place() && recvtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (!sends(rank)) return MPI_SUCCESS;
  if (sendtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (sendbuf_ == MPI_IN_PLACE) return MPI_ERR_ARG;
  if (!is_vector_) return sendcount_ < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
  if (sendcounts_ == nullptr || displacements_ == nullptr) return MPI_ERR_ARG;
  const bool counts = std::all_of(sendcounts_, sendcounts_ + p, [](int each) { return each >= 0; });
  return counts ? MPI_SUCCESS : MPI_ERR_COUNT;
}

int Scatter::native(MPI_Comm comm) const {
  return is_vector_ ? PMPI_Scatterv(sendbuf_, sendcounts_, displacements_, sendtype_, recvbuf_,
                                    recvcount_, recvtype_, root_, comm)
                    : PMPI_Scatter(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_, recvtype_,
                                   root_, comm);
}

int Scatter::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return is_vector_ ? PMPI_Iscatterv(sendbuf_, sendcounts_, displacements_, sendtype_, recvbuf_,
                                     recvcount_, recvtype_, root_, comm, request)
                    : PMPI_Iscatter(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_,
                                    recvtype_, root_, comm, request);
}

std::int64_t Scatter::bytes(int rank, int p) const {
  if (!sends(rank)) return recvcount_ * size_of(recvtype_) * (is_vector_ ? 1 : p);
  const std::int64_t elements = is_vector_
                                    ? std::accumulate(sendcounts_, sendcounts_ + p, std::int64_t{0})
                                    : std::int64_t{sendcount_} * p;
  return elements * size_of(sendtype_);
}

int Scatter::hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int) {
  const bool receives = root_ != MPI_ROOT && root_ != MPI_PROC_NULL && !in_place();
  if (receives)
    if (int code = hold_datatype(recvtype_, held); code != MPI_SUCCESS) return code;
  return sends(rank) ? hold_datatype(sendtype_, held) : MPI_SUCCESS;
}

int Scatter::bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const {
  DatatypeTraits traits;
  if (sends(rank)) {
    if (int code = datatypes.look_up(sendtype_, traits); code != MPI_SUCCESS) return code;
    if (is_vector_)
      binding.send.vector(const_cast<void*>(sendbuf_), traits, p, sendcounts_, displacements_);
    else
      binding.send.uniform(const_cast<void*>(sendbuf_), traits, sendcount_);
  }
  if (in_place()) {  // the root's own block stays where it is
    const Run own = binding.send.block(rank);
    binding.recv.uniform(own.address, traits, own.elements);
    binding.recv_role = Binding::Role::ignored;
    return MPI_SUCCESS;
  }
  if (int code = datatypes.look_up(recvtype_, traits); code != MPI_SUCCESS) return code;
  binding.recv.uniform(recvbuf_, traits, recvcount_);
  if (!sends(rank)) binding.send.uniform(nullptr, traits, recvcount_);
  return MPI_SUCCESS;
}

}  // namespace toccata
