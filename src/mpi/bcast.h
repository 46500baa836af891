#pragma once

#include "mpi/operation.h"

namespace toccata {

// MPI_Bcast. As for all operations, the pointers must stay valid for as long as MPI demands.
class Bcast final : public Operation {
 public:
  Bcast(void* buffer, int count, MPI_Datatype type, int root)
      : buffer_(buffer), count_(count), type_(type), root_(root) {}

  const Collective& collective() const override { return bcast; }
  int fault(int rank, int p) const override;
  int root() const override { return root_; }
  int native(MPI_Comm comm) const override;
  int native_nonblocking(MPI_Comm comm, MPI_Request* request) const override;
  std::int64_t bytes(int rank, int p) const override;
  bool empty(const Binding& binding) const override { return binding.recv.bytes(0) == 0; }
  int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) override;
  int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const override;

 private:
  void* buffer_;
  int count_;
  MPI_Datatype type_;
  int root_;
};

}  // namespace toccata
