#pragma once

#include "mpi/device_runtime.h"
#include "mpi/members.h"
#include "mpi/operation.h"

namespace toccata {

// Allreduces of one communicator by NCCL, or RCCL, which has the same interface: on request only,
// because a program that calls NCCL itself could wait in one order on one rank and in another order
// on another rank.
class Nccl {
 public:
  explicit Nccl(Members& members) : members_(members) {}
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl() { close(); }

  // Serves an allreduce without a fault, to its end; `code` is what MPI returns. All ranks call
  // this in the same call, and get the same answer: false where the MPI library has to serve. That
  // is, for types and operations that NCCL does not know, if a buffer of any rank is not in the
  // memory of its device, or if two ranks have the same device.
  bool serve(const Operation& call, int& code);
  void close() noexcept;

 private:
  struct Functions;
  static const Functions* functions_of(const DeviceRuntime& runtime);

  // The one device of this rank; null if its buffers are not in one.
  const DeviceRuntime* runtime_of(const Operation& call) const;
  bool open(const DeviceRuntime* runtime, const void* device);
  bool agree(bool mine);

  Members& members_;
  const Functions* functions_ = nullptr;
  const DeviceRuntime* runtime_ = nullptr;
  DeviceRuntime::Identity device_ = {};
  void* comm_ = nullptr;
  enum class State : std::uint8_t { unknown, open, refused } state_ = State::unknown;
};

}  // namespace toccata
