#include "mpi/reduce.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "mpi/reducing.h"

namespace toccata {

// Whether the next element begins before one ends, as in the column of a matrix. Results that stand
// behind one another would then be mixed.
static bool interleaves(const DatatypeTraits& traits) {
  if (traits.plain) return false;
  MPI_Aint lower, extent;
  PMPI_Type_get_true_extent(traits.type, &lower, &extent);
  return std::abs(traits.extent) < extent;
}

bool Reduction::allows(bool ordered, const DatatypeTable& datatypes) const {
  if (!is_defined(operation_, type_, datatypes) || !(ordered || commutes(operation_))) return false;
  DatatypeTraits traits;
  return datatypes.look_up(type_, traits) != MPI_SUCCESS || !interleaves(traits);
}

int Reduction::fault() const {
  if (type_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  return operation_ == MPI_OP_NULL ? MPI_ERR_OP : MPI_SUCCESS;
}

int Reduction::bind_blocks(int elements, const DatatypeTable& datatypes, Binding& binding) const {
  DatatypeTraits traits;
  if (int code = datatypes.look_up(type_, traits); code != MPI_SUCCESS) return code;
  binding.operation = operation_;
  binding.send.uniform(in_place() ? recvbuf_ : const_cast<void*>(sendbuf_), traits, elements);
  binding.recv.uniform(recvbuf_, traits, elements);
  return MPI_SUCCESS;
}

int Reduce::fault(int rank, int p) const {
  if (root_ < 0 || root_ >= p) return MPI_ERR_ROOT;
  if (count_ < 0) return MPI_ERR_COUNT;
  if (in_place() && rank != root_) return MPI_ERR_ARG;
  if (rank == root_ && recvbuf_ == MPI_IN_PLACE) return MPI_ERR_ARG;
  return Reduction::fault();
}

int Reduce::native(MPI_Comm comm) const {
  return PMPI_Reduce(sendbuf_, recvbuf_, count_, type_, operation_, root_, comm);
}

int Reduce::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return PMPI_Ireduce(sendbuf_, recvbuf_, count_, type_, operation_, root_, comm, request);
}

int Reduce::hold_datatypes(std::vector<OwnedDatatype>& held, int, int) {
  return root_ == MPI_PROC_NULL ? MPI_SUCCESS : hold_datatype(type_, held);
}

int Reduce::bind(int, int, const DatatypeTable& datatypes, Binding& binding) const {
  return bind_blocks(count_, datatypes, binding);
}

int Allreduce::fault(int, int) const {
  if (count_ < 0) return MPI_ERR_COUNT;
  return recvbuf_ == MPI_IN_PLACE ? MPI_ERR_ARG : Reduction::fault();
}

int Allreduce::native(MPI_Comm comm) const {
  return PMPI_Allreduce(sendbuf_, recvbuf_, count_, type_, operation_, comm);
}

int Allreduce::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return PMPI_Iallreduce(sendbuf_, recvbuf_, count_, type_, operation_, comm, request);
}

int Allreduce::hold_datatypes(std::vector<OwnedDatatype>& held, int, int) {
  return hold_datatype(type_, held);
}

int Allreduce::bind(int, int, const DatatypeTable& datatypes, Binding& binding) const {
  return bind_blocks(count_, datatypes, binding);
}

int ReduceScatter::fault(int, int p) const {
  if (recvbuf_ == MPI_IN_PLACE) return MPI_ERR_ARG;
  if (is_vector_ && counts_ == nullptr) return MPI_ERR_ARG;
  const bool counts = is_vector_
                          ? std::all_of(counts_, counts_ + p, [](int each) { return each >= 0; })
                          : count_ >= 0;
  return counts ? Reduction::fault() : MPI_ERR_COUNT;
}

int ReduceScatter::native(MPI_Comm comm) const {
  return is_vector_
             ? PMPI_Reduce_scatter(sendbuf_, recvbuf_, counts_, type_, operation_, comm)
             : PMPI_Reduce_scatter_block(sendbuf_, recvbuf_, count_, type_, operation_, comm);
}

int ReduceScatter::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return is_vector_
             ? PMPI_Ireduce_scatter(sendbuf_, recvbuf_, counts_, type_, operation_, comm, request)
             : PMPI_Ireduce_scatter_block(sendbuf_, recvbuf_, count_, type_, operation_, comm,
                                          request);
}

std::int64_t ReduceScatter::bytes(int, int p) const {
  const std::int64_t elements = is_vector_ ? std::accumulate(counts_, counts_ + p, std::int64_t{0})
                                           : std::int64_t{count_} * p;
  return elements * size_of(type_);
}

int ReduceScatter::hold_datatypes(std::vector<OwnedDatatype>& held, int, int) {
  return hold_datatype(type_, held);
}

// In place, the result comes where rank 0's block is, so that send has to be a copy.
int ReduceScatter::bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const {
  const int own = is_vector_ ? counts_[rank] : count_;
  if (int code = bind_blocks(own, datatypes, binding); code != MPI_SUCCESS) return code;
  binding.copies_send = in_place();
  if (!is_vector_ || std::all_of(counts_, counts_ + p, [&](int each) { return each == own; }))
    return MPI_SUCCESS;
  void* const sent = binding.send.block(0).address;
  binding.send.sequence(binding.recv.traits(), {counts_, counts_ + p});
  binding.send.set_base(sent);
  return MPI_SUCCESS;
}

}  // namespace toccata
