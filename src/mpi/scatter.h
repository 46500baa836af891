#pragma once

#include "mpi/operation.h"

namespace toccata {

// MPI_Scatter, and MPI_Scatterv where counts and displacements are given. As for all operations,
// the pointers must stay valid for as long as MPI demands.
class Scatter final : public Operation {
 public:
  Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root)
      : sendbuf_(sendbuf),
        sendcount_(sendcount),
        sendtype_(sendtype),
        recvbuf_(recvbuf),
        recvcount_(recvcount),
        recvtype_(recvtype),
        root_(root) {}
  Scatter(const void* sendbuf, const int* sendcounts, const int* displacements,
          MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root)
      : sendbuf_(sendbuf),
        is_vector_(true),
        sendcounts_(sendcounts),
        displacements_(displacements),
        sendtype_(sendtype),
        recvbuf_(recvbuf),
        recvcount_(recvcount),
        recvtype_(recvtype),
        root_(root) {}

  const Collective& collective() const override { return is_vector_ ? scatterv : scatter; }
  int fault(int rank, int p) const override;
  int root() const override { return root_; }
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
  std::int64_t bytes(int rank, int p) const override;
  // In the vector form, no rank but the root knows what the others get.
  bool empty(const Binding& binding) const override {
    return !is_vector_ && binding.recv.bytes(0) == 0;
  }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 private:
  bool sends(int rank) const { return root_ == rank || root_ == MPI_ROOT; }
  bool in_place() const { return recvbuf_ == MPI_IN_PLACE; }

  const void* sendbuf_;
  int sendcount_ = 0;
  bool is_vector_ = false;
  const int* sendcounts_ = nullptr;
  const int* displacements_ = nullptr;
  MPI_Datatype sendtype_;
  void* recvbuf_;
  int recvcount_;
  MPI_Datatype recvtype_;
  int root_;
};

}  // namespace toccata
