#include "mpi/alltoall.h"

namespace toccata {

int Alltoall::fault(int, int) const {
  if (!in_place() && sendcount_ < 0) return MPI_ERR_COUNT;
  if (!in_place() && sendtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (recvtype_ == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (recvbuf_ == MPI_IN_PLACE) return MPI_ERR_ARG;
  return recvcount_ < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
}

int Alltoall::native(MPI_Comm comm) const {
  return PMPI_Alltoall(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_, recvtype_, comm);
}

int Alltoall::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return PMPI_Ialltoall(sendbuf_, sendcount_, sendtype_, recvbuf_, recvcount_, recvtype_, comm,
                        request);
}

std::int64_t Alltoall::bytes(int, int p) const { return recvcount_ * size_of(recvtype_) * p; }

int Alltoall::hold_datatypes(std::vector<OwnedDatatype>& held, int, int) {
  if (!in_place())
    if (int code = hold_datatype(sendtype_, held); code != MPI_SUCCESS) return code;
  return hold_datatype(recvtype_, held);
}

int Alltoall::bind(int, int, const DatatypeTable& datatypes, Binding& binding) const {
  DatatypeTraits traits;
  if (int code = datatypes.look_up(recvtype_, traits); code != MPI_SUCCESS) return code;
  binding.recv.uniform(recvbuf_, traits, recvcount_);
  if (in_place()) {
    binding.send = binding.recv;
    binding.copies_send = true;
    return MPI_SUCCESS;
  }
  if (int code = datatypes.look_up(sendtype_, traits); code != MPI_SUCCESS) return code;
  binding.send.uniform(const_cast<void*>(sendbuf_), traits, sendcount_);
  return MPI_SUCCESS;
}

MPI_Datatype VectorAlltoall::Side::type_of(int block) const {
  if (types == nullptr) return type;
  // Where there is nothing, programs leave the datatype null, and some MPIs let them.
  return counts[block] == 0 ? MPI_BYTE : types[block];
}

int VectorAlltoall::Side::fault(int p) const {
  if (counts == nullptr || displacements == nullptr) return MPI_ERR_ARG;
  for (int block = 0; block < p; ++block) {
    if (counts[block] < 0) return MPI_ERR_COUNT;
    if (type_of(block) == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  }
  return MPI_SUCCESS;
}

int VectorAlltoall::Side::hold_datatypes(std::vector<OwnedDatatype>& held, int p) {
  if (types == nullptr) return hold_datatype(type, held);
  for (int block = 0; block < p; ++block) {
    own_types.push_back(type_of(block));
    if (int code = hold_datatype(own_types.back(), held); code != MPI_SUCCESS) return code;
  }
  types = own_types.data();
  return MPI_SUCCESS;
}

int VectorAlltoall::Side::bind(int p, const DatatypeTable& datatypes, Layout& layout) const {
  if (types == nullptr) {
    DatatypeTraits traits;
    if (int code = datatypes.look_up(type, traits); code != MPI_SUCCESS) return code;
    layout.vector(buffer, traits, p, counts, displacements);
    return MPI_SUCCESS;
  }
  std::vector<DatatypeTraits> traits(p);
  for (int block = 0; block < p; ++block)
    if (int code = datatypes.look_up(type_of(block), traits[block]); code != MPI_SUCCESS)
      return code;
  layout.vector(buffer, std::move(traits), counts, displacements);
  return MPI_SUCCESS;
}

int VectorAlltoall::fault(int, int p) const {
  if (recv_.buffer == MPI_IN_PLACE) return MPI_ERR_ARG;
  if (int error = recv_.fault(p); error != MPI_SUCCESS) return error;
  return in_place() ? MPI_SUCCESS : send_.fault(p);
}

std::int64_t VectorAlltoall::bytes(int, int p) const {
  std::int64_t total = 0;
  for (int block = 0; block < p; ++block)
    total += recv_.counts[block] * size_of(recv_.type_of(block));
  return total;
}

int VectorAlltoall::hold_datatypes(std::vector<OwnedDatatype>& held, int, int p) {
  if (!in_place())
    if (int code = send_.hold_datatypes(held, p); code != MPI_SUCCESS) return code;
  return recv_.hold_datatypes(held, p);
}

int VectorAlltoall::bind(int, int p, const DatatypeTable& datatypes, Binding& binding) const {
  if (int code = recv_.bind(p, datatypes, binding.recv); code != MPI_SUCCESS) return code;
  if (!in_place()) return send_.bind(p, datatypes, binding.send);
  binding.send = binding.recv;
  binding.copies_send = true;
  return MPI_SUCCESS;
}

int Alltoallv::native(MPI_Comm comm) const {
  return PMPI_Alltoallv(send_.buffer, send_.counts, send_.displacements, send_.type, recv_.buffer,
                        recv_.counts, recv_.displacements, recv_.type, comm);
}

int Alltoallv::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return PMPI_Ialltoallv(send_.buffer, send_.counts, send_.displacements, send_.type, recv_.buffer,
                         recv_.counts, recv_.displacements, recv_.type, comm, request);
}

int Alltoallw::fault(int rank, int p) const {
  const bool types = recv_.types != nullptr && (in_place() || send_.types != nullptr);
  return types ? VectorAlltoall::fault(rank, p) : MPI_ERR_ARG;
}

int Alltoallw::native(MPI_Comm comm) const {
  return PMPI_Alltoallw(send_.buffer, send_.counts, send_.displacements, send_.types, recv_.buffer,
                        recv_.counts, recv_.displacements, recv_.types, comm);
}

int Alltoallw::native_nonblocking(MPI_Comm comm, MPI_Request* request) const {
  return PMPI_Ialltoallw(send_.buffer, send_.counts, send_.displacements, send_.types, recv_.buffer,
                         recv_.counts, recv_.displacements, recv_.types, comm, request);
}

}  // namespace toccata
