#pragma once

#include "mpi/operation.h"

namespace toccata {

// MPI_Allgather, and MPI_Allgatherv where counts and displacements are given. The pointers must
// stay valid for as long as MPI demands.
class Allgather final : public Operation {
 public:
  Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype)
      : sendbuf_(sendbuf),
        sendcount_(sendcount),
        sendtype_(sendtype),
        recvbuf_(recvbuf),
        recvcount_(recvcount),
        recvtype_(recvtype) {}
  Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int* recvcounts, const int* displacements, MPI_Datatype recvtype)
      : sendbuf_(sendbuf),
        sendcount_(sendcount),
        sendtype_(sendtype),
        recvbuf_(recvbuf),
        is_vector_(true),
        recvcounts_(recvcounts),
        displacements_(displacements),
        recvtype_(recvtype) {}

  const Collective& collective() const override { return allgather; }
  int fault(int rank, int p) const override;
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
  std::int64_t bytes(int rank, int p) const override;
  bool empty(const Binding& binding) const override {
    return !is_vector_ && binding.recv.bytes(0) == 0;
  }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 private:
  bool in_place() const { return sendbuf_ == MPI_IN_PLACE; }

  const void* sendbuf_;
  int sendcount_;
  MPI_Datatype sendtype_;
  void* recvbuf_;
  int recvcount_ = 0;
  bool is_vector_ = false;
  const int* recvcounts_ = nullptr;
  const int* displacements_ = nullptr;
  MPI_Datatype recvtype_;
};

}  // namespace toccata
