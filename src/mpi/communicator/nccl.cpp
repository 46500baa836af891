#include "mpi/communicator/nccl.h"

#include <mpi.h>

#include <algorithm>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/devices/device_memory.h"
#include "mpi/settings/settings.h"

namespace toccata {

namespace {

struct UniqueId {  // ncclUniqueId
  char bytes[128];
};

// ncclDataType_t and ncclRedOp_t; `none` if NCCL has no such value.
constexpr int none = -1;

int number_of(MPI_Datatype type) {
  using Known = std::pair<MPI_Datatype, int>;
  static const Known known[] = {{MPI_SIGNED_CHAR, 0}, {MPI_INT8_T, 0},   {MPI_UNSIGNED_CHAR, 1},
                                {MPI_UINT8_T, 1},     {MPI_INT, 2},      {MPI_INT32_T, 2},
                                {MPI_UNSIGNED, 3},    {MPI_UINT32_T, 3}, {MPI_LONG_LONG, 4},
                                {MPI_INT64_T, 4},     {MPI_UINT64_T, 5}, {MPI_FLOAT, 7},
                                {MPI_DOUBLE, 8},      {MPI_LONG, 4}};
  const auto* const found = std::ranges::find(known, type, &Known::first);
  return found == std::end(known) ? none : found->second;
}

int number_of_operation(MPI_Op operation) {
  return operation == MPI_SUM    ? 0
         : operation == MPI_PROD ? 1
         : operation == MPI_MAX  ? 2
         : operation == MPI_MIN  ? 3
                                 : none;
}

}  // namespace

struct Nccl::Functions {
  int (*make_id)(UniqueId* id) = nullptr;
  int (*open)(void** comm, int ranks, UniqueId id, int rank) = nullptr;
  int (*allreduce)(const void* in, void* out, std::size_t elements, int type, int operation,
                   void* comm, void* stream) = nullptr;
  int (*close)(void* comm) = nullptr;
};

// The library is loaded already, or is in a folder of the loader. It stays loaded.
const Nccl::Functions* Nccl::functions_of(const DeviceRuntime& runtime) {
  const std::string_view name = runtime.name();
  const char* const library = name == "CUDA"  ? "libnccl.so.2"
                              : name == "HIP" ? "librccl.so.1"
                                              : nullptr;
  if (library == nullptr) return nullptr;
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  static Functions found;
  const auto look_up = [&](auto*& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
    return function != nullptr;
  };
  static std::mutex looking;
  const std::lock_guard lock(looking);
  return look_up(found.make_id, "ncclGetUniqueId") && look_up(found.open, "ncclCommInitRank") &&
                 look_up(found.allreduce, "ncclAllReduce") &&
                 look_up(found.close, "ncclCommDestroy")
             ? &found
             : nullptr;
}

const DeviceRuntime* Nccl::runtime_of(const Operation& call) const {
  if (!has_device_runtime()) return nullptr;
  const DeviceRuntime* const runtime = device_runtime_of(call.recv.buffer);
  if (runtime == nullptr || call.send.in_place()) return runtime;
  return device_runtime_of(call.send.buffer) == runtime &&
                 runtime->identity(call.send.buffer) == runtime->identity(call.recv.buffer)
             ? runtime
             : nullptr;
}

// All steps that can fail on a single rank come before the ranks agree on the next part.
bool Nccl::open(const DeviceRuntime* runtime, const void* device) {
  functions_ = runtime != nullptr ? functions_of(*runtime) : nullptr;
  runtime_ = runtime;
  device_ = runtime != nullptr ? runtime->identity(device) : DeviceRuntime::Identity{};
  const auto refuse = [&](const std::string& why) {
    state_ = State::refused;
    members_.say_once("TOCCATA_ALLREDUCE=nccl: " + why +
                      ". Using the MPI library on a communicator of " +
                      std::to_string(members_.size()) + " ranks.");
    return false;
  };
  if (!members_.agree(functions_ != nullptr))
    return refuse("not all ranks find NCCL (or RCCL) in LD_LIBRARY_PATH");
  const bool is_known = device_ != DeviceRuntime::Identity{};
  std::vector<DeviceRuntime::Identity> devices(members_.size());
  Exchange exchange = members_.exchange();
  bool good = exchange.allgather(device_.data(), static_cast<int>(device_.size()), MPI_BYTE,
                                 devices.data()) == MPI_SUCCESS;
  std::ranges::sort(devices);
  good = good && is_known && std::ranges::adjacent_find(devices) == devices.end();
  if (!members_.agree(good))
    return refuse("two ranks use the same device, or a device is unknown; give each rank its own");
  UniqueId id = {};
  good = members_.rank() != 0 || functions_->make_id(&id) == 0;
  good = exchange.bcast(id.bytes, sizeof id.bytes, MPI_BYTE, 0) == MPI_SUCCESS && good;
  if (!members_.agree(good))
    return refuse("NCCL returned no identifier; NCCL_DEBUG=WARN shows why");
  good = runtime->on_stream(device, [&](void*) {
    return functions_->open(&comm_, members_.size(), id, members_.rank()) == 0;
  });
  if (!members_.agree(good))
    return refuse("NCCL cannot be initialised on all ranks; NCCL_DEBUG=WARN shows why");
  state_ = State::open;
  return true;
}

bool Nccl::serve(const Operation& call, int& code) {
  const int type = number_of(call.recv.type), operation = number_of_operation(call.operation);
  if (state_ == State::refused || members_.size() == 1 || call.recv.count == 0 || type == none ||
      operation == none || Settings::get().reproducible() || !members_.obey_rules())
    return false;
  const DeviceRuntime* const runtime = runtime_of(call);
  const void* const device = call.recv.buffer;
  const bool is_right_device =
      state_ == State::unknown
          ? runtime != nullptr
          : runtime != nullptr && runtime == runtime_ && runtime->identity(device) == device_;
  // No rank knows where the buffers of the others are, so the ranks agree in each call.
  if (!members_.agree(is_right_device)) {
    members_.say_once(
        "TOCCATA_ALLREDUCE=nccl: not all ranks have their buffers in the memory of "
        "their device. Using the MPI library for such calls.");
    return false;
  }
  if (state_ == State::unknown && !open(runtime, device)) return false;
  const void* const in = call.send.in_place() ? call.recv.buffer : call.send.buffer;
  const bool good = runtime->on_stream(device, [&](void* stream) {
    return functions_->allreduce(in, call.recv.buffer, static_cast<std::size_t>(call.recv.count),
                                 type, operation, comm_, stream) == 0;
  });
  code = good ? MPI_SUCCESS : members_.raise(MPI_ERR_OTHER);
  return true;
}

void Nccl::close() noexcept {
  if (comm_ != nullptr) functions_->close(comm_);
  comm_ = nullptr;
  state_ = State::refused;
}

}  // namespace toccata
