#pragma once

#include "mpi/communicator/members.h"
#include "mpi/data/device_runtime.h"
#include "mpi/data/operation.h"

namespace toccata {

// Allreduces of one communicator by NCCL, or by RCCL, which has the same interface. This is used
// only on request, because a program that calls NCCL itself could deadlock: two ranks could make
// their calls in different orders.
class Nccl {
 public:
  explicit Nccl(Members& members) : members_(members) {}
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl() { close(); }

  // Serves a valid allreduce to its end; `code` becomes the MPI error code. All ranks call this in
  // the same call, and get the same result. Returns false if the MPI library has to serve:
  // - for types and operations that NCCL does not have
  // - if a buffer of any rank is not in the memory of its device
  // - if two ranks have the same device.
  bool serve(const Operation& call, int& code);
  void close() noexcept;

 private:
  struct Functions;
  static const Functions* functions_of(const DeviceRuntime& runtime);

  // The runtime of this rank's device; null if the buffers are not in its memory.
  const DeviceRuntime* runtime_of(const Operation& call) const;
  bool open(const DeviceRuntime* runtime, const void* device);

  Members& members_;
  const Functions* functions_ = nullptr;
  const DeviceRuntime* runtime_ = nullptr;
  DeviceRuntime::Identity device_ = {};
  void* comm_ = nullptr;
  enum class State : std::uint8_t { unknown, open, refused } state_ = State::unknown;
};

}  // namespace toccata
