#pragma once

#include "mpi/operation.h"

namespace toccata {

// MPI_Gather, and MPI_Gatherv where counts and displacements are given. As for all operations, the
// pointers must stay valid for as long as MPI demands.
class Gather final : public Operation {
 public:
  Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int root)
      : sendbuf_(sendbuf),
        sendcount_(sendcount),
        sendtype_(sendtype),
        recvbuf_(recvbuf),
        recvcount_(recvcount),
        recvtype_(recvtype),
        root_(root) {}
  Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
         const int* recvcounts, const int* displacements, MPI_Datatype recvtype, int root)
      : sendbuf_(sendbuf),
        sendcount_(sendcount),
        sendtype_(sendtype),
        recvbuf_(recvbuf),
        is_vector_(true),
        recvcounts_(recvcounts),
        displacements_(displacements),
        recvtype_(recvtype),
        root_(root) {}

  const Collective& collective() const override { return is_vector_ ? gatherv : gather; }
  int fault(int rank, int p) const override;
  int root() const override { return root_; }
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
  std::int64_t bytes(int rank, int p) const override;
  // In the vector form, no rank but the root knows what the others have.
  bool empty(const Binding& binding) const override {
    return !is_vector_ && binding.send.bytes(0) == 0;
  }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 private:
  bool receives(int rank) const { return root_ == rank || root_ == MPI_ROOT; }
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
  int root_;
};

}  // namespace toccata
