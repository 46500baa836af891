#include "mpi/allgather.h"

#include <algorithm>
#include <numeric>

namespace toccata {

int Allgather::fault(int, int p) const {
  if (!in_place() && sendcount_ < 0) return MPI_ERR_COUNT;
  if (!in_place() && sendtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (recvtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (recvbuf_ == MPI_IN_PLACE) return MPI_ERR_ARG;
  if (!is_vector_) return recvcount_ < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
  if (recvcounts_ == nullptr || displacements_ == nullptr) return MPI_ERR_ARG;
  const bool counts = std::all_of(recvcounts_, recvcounts_ + p, [](int each) { return each >= 0; });
  return counts ? MPI_SUCCESS : MPI_ERR_COUNT;
}

int Allgather::native(MPI_Comm comm) const {
  return is_vector_ ? PMPI_Allgatherv(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcounts_,
                                      displacements_, recvtype_, comm)
                    : PMPI_Allgather(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_,
                                     recvtype_, comm);
}

int Allgather::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return is_vector_ ? PMPI_Iallgatherv(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcounts_,
                                       displacements_, recvtype_, comm, request)
                    : PMPI_Iallgather(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_,
                                      recvtype_, comm, request);
}

std::int64_t Allgather::bytes(int, int p) const {
  const std::int64_t elements = is_vector_
                                    ? std::accumulate(recvcounts_, recvcounts_ + p, std::int64_t{0})
                                    : std::int64_t{recvcount_} * p;
  return elements * size_of(recvtype_);
}

int Allgather::hold_datatypes(std::vector<OwnedDatatype>& held, int, int) {
  if (!in_place())
    if (int code = hold_datatype(sendtype_, held); code != MPI_SUCCESS) return code;
  return hold_datatype(recvtype_, held);
}

int Allgather::bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const {
  DatatypeTraits recv_traits;
  if (int code = datatypes.look_up(recvtype_, recv_traits); code != MPI_SUCCESS) return code;
  if (is_vector_)
    binding.recv.vector(recvbuf_, recv_traits, p, recvcounts_, displacements_);
  else
    binding.recv.uniform(recvbuf_, recv_traits, recvcount_);

  if (in_place()) {
    const Run own = binding.recv.block(rank);
    binding.send.uniform(own.address, recv_traits, own.elements);
    return MPI_SUCCESS;
  }
  DatatypeTraits send_traits;
  if (int code = datatypes.look_up(sendtype_, send_traits); code != MPI_SUCCESS) return code;
  binding.send.uniform(const_cast<void*>(sendbuf_), send_traits, sendcount_);
  return MPI_SUCCESS;
}

}  // namespace toccata
