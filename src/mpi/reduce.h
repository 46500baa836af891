#pragma once

#include "mpi/operation.h"

namespace toccata {

// What MPI_Reduce, MPI_Allreduce and MPI_Reduce_scatter have in common. As for all operations, the
// pointers must stay valid for as long as MPI demands; and a user-defined MPI_Op too, as nothing
// but the MPI library itself can hold on to one.
class Reduction : public Operation {
 public:
  bool allows(bool ordered, const DatatypeTable& datatypes) const override;

 protected:
  Reduction(const void* sendbuf, void* recvbuf, MPI_Datatype type, MPI_Op operation)
      : sendbuf_(sendbuf), recvbuf_(recvbuf), type_(type), operation_(operation) {}
  bool in_place() const { return sendbuf_ == MPI_IN_PLACE; }
  // Of the arguments that all of them have.
  int fault() const;
  // Gives send and recv a block of so many elements each.
  int bind_blocks(int elements, const DatatypeTable& datatypes, Binding& binding) const;

  const void* sendbuf_;
  void* recvbuf_;
  MPI_Datatype type_;
  MPI_Op operation_;
};

class Reduce final : public Reduction {
 public:
  Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op operation,
         int root)
      : Reduction(sendbuf, recvbuf, type, operation), count_(count), root_(root) {}

  const Collective& collective() const override { return reduce; }
  int fault(int rank, int p) const override;
  int root() const override { return root_; }
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
  std::int64_t bytes(int, int) const override { return count_ * size_of(type_); }
  bool empty(const Binding& binding) const override { return binding.send.bytes(0) == 0; }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 private:
  int count_;
  int root_;
};

class Allreduce final : public Reduction {
 public:
  Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op operation)
      : Reduction(sendbuf, recvbuf, type, operation), count_(count) {}

  const Collective& collective() const override { return allreduce; }
  int fault(int rank, int p) const override;
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
  std::int64_t bytes(int, int) const override { return count_ * size_of(type_); }
  bool empty(const Binding& binding) const override { return binding.send.bytes(0) == 0; }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 private:
  int count_;
};

// MPI_Reduce_scatter_block, and MPI_Reduce_scatter where there is a count for each rank.
class ReduceScatter final : public Reduction {
 public:
  ReduceScatter(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype type,
                MPI_Op operation)
      : Reduction(sendbuf, recvbuf, type, operation), count_(recvcount) {}
  ReduceScatter(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype type,
                MPI_Op operation)
      : Reduction(sendbuf, recvbuf, type, operation), is_vector_(true), counts_(recvcounts) {}

  const Collective& collective() const override { return reduce_scatter; }
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
  int count_ = 0;
  bool is_vector_ = false;
  const int* counts_ = nullptr;
};

}  // namespace toccata
