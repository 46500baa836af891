#pragma once

#include "mpi/operation.h"

namespace toccata {

// MPI_Alltoall. As for all operations, the pointers must stay valid for as long as MPI demands.
class Alltoall final : public Operation {
 public:
  Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
           MPI_Datatype recvtype)
      : sendbuf_(sendbuf),
        sendcount_(sendcount),
        sendtype_(sendtype),
        recvbuf_(recvbuf),
        recvcount_(recvcount),
        recvtype_(recvtype) {}

  const Collective& collective() const override { return alltoall; }
  int fault(int rank, int p) const override;
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
  std::int64_t bytes(int rank, int p) const override;
  bool empty(const Binding& binding) const override { return binding.recv.bytes(0) == 0; }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 private:
  bool in_place() const { return sendbuf_ == MPI_IN_PLACE; }

  const void* sendbuf_;
  int sendcount_;
  MPI_Datatype sendtype_;
  void* recvbuf_;
  int recvcount_;
  MPI_Datatype recvtype_;
};

// What MPI_Alltoallv and MPI_Alltoallw have in common: a side is a buffer whose blocks each have
// their count and displacement, and all one datatype or each its own.
class VectorAlltoall : public Operation {
 public:
  const Collective& collective() const override { return alltoallv; }
  int fault(int rank, int p) const override;
  std::int64_t bytes(int rank, int p) const override;
  // No rank knows what the others have.
  bool empty(const Binding&) const override { return false; }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 protected:
  struct Side {
    void* buffer;
    const int* counts;
    const int* displacements;  // in extents, or in bytes where there are types
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const MPI_Datatype* types = nullptr;
    std::vector<MPI_Datatype> own_types = {};  // once they are held

    MPI_Datatype type_of(int block) const;
    int fault(int p) const;
    int hold_datatypes(std::vector<OwnedDatatype>& held, int p);
    int bind(int p, const DatatypeTable& datatypes, Layout& layout) const;
  };
  VectorAlltoall(const Side& send, const Side& recv) : send_(send), recv_(recv) {}
  bool in_place() const { return send_.buffer == MPI_IN_PLACE; }

  Side send_;
  Side recv_;
};

class Alltoallv final : public VectorAlltoall {
 public:
  Alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
            void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype)
      : VectorAlltoall({const_cast<void*>(sendbuf), sendcounts, sdispls, sendtype},
                       {recvbuf, recvcounts, rdispls, recvtype}) {}

  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
};

class Alltoallw final : public VectorAlltoall {
 public:
  Alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls,
            const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts, const int* rdispls,
            const MPI_Datatype* recvtypes)
      : VectorAlltoall(
            {const_cast<void*>(sendbuf), sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
            {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes}) {}

  int fault(int rank, int p) const override;
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
};

}  // namespace toccata
