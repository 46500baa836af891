#include "mpi/devices/cuda.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace toccata {

namespace {

// Uses the driver's interface: it is stable, and all other interfaces of CUDA use it. Copies use
// our own stream. As the program's own copies do, it waits for earlier work in the legacy default
// stream, because cudaMemcpy from pageable memory returns before the data is on the device. It does
// not wait for other streams.
class Cuda final : public DeviceRuntime {
 public:
  explicit Cuda(const LoadedLibrary& library) {
    library.look_up(attribute_, "cuPointerGetAttribute");
    library.look_up(push_, "cuCtxPushCurrent_v2");
    library.look_up(pop_, "cuCtxPopCurrent_v2");
    library.look_up(make_stream_, "cuStreamCreate");
    library.look_up(wait_, "cuStreamSynchronize");
    library.look_up(copy_, "cuMemcpyAsync");
    library.look_up(copy_rows_, "cuMemcpy2DAsync_v2");
    library.look_up(pin_, "cuMemHostAlloc");
    library.look_up(begin_, "cuInit");
    library.look_up(count_, "cuDeviceGetCount");
    library.look_up(device_, "cuDeviceGet");
    library.look_up(uuid_, "cuDeviceGetUuid");
    library.look_up(retain_, "cuDevicePrimaryCtxRetain");
    library.look_up(current_, "cuCtxGetCurrent");
    library.look_up(allocate_, "cuMemAlloc_v2");
    library.look_up(free_, "cuMemFree_v2");
  }

  const char* name() const override { return "CUDA"; }
  InMpi in_mpi() const override { return {{"MPIX_Query_cuda_support", nullptr}, 0, "cuda"}; }

  // Before cuInit, and if that found no device, the driver's functions return an error.
  bool has_device() const override {
    int count = 0;
    return count_ != nullptr && count_(&count) == 0 && count > 0;
  }
  void begin() const override {
    if (begin_ != nullptr) begin_(0);
  }

  bool is_device(const void* address) const override {
    int type = 0, managed = 0;
    if (attribute_ == nullptr || !says(&type, memory_type, address) || type != device_memory)
      return false;
    return !says(&managed, is_managed, address) || managed == 0;
  }

  bool copy(std::span<const DeviceCopy> copies, const void* device) const override {
    if (copy_ == nullptr || wait_ == nullptr) return false;
    const Entered entered(*this, device);
    const Stream stream = stream_of(entered.context());
    const bool good = std::ranges::all_of(copies, [&](const DeviceCopy& each) {
      return is_pitched(each) && copy_rows_ != nullptr
                 ? copy_pitched(each, stream)
                 : copy_rows(each, [&](char* into, const char* from) {
                     return copy_(number(into), number(from), each.bytes, stream) == 0;
                   });
    });
    return wait_(stream) == 0 && good;
  }

  void* take_pinned(std::size_t bytes, const void* device) const override {
    static constexpr unsigned portable = 1;  // in all contexts
    if (pin_ == nullptr) return nullptr;
    return pinned_.take(bytes, [&](std::size_t size) {
      const Entered entered(*this, device);
      void* memory = nullptr;
      return pin_(&memory, size, portable) == 0 ? memory : nullptr;
    });
  }
  void give_back_pinned(void* memory) const override { pinned_.give_back(memory); }

  Identity identity(const void* device) const override {
    int number = 0, handle = 0;
    Identity result = {};
    if (uuid_ == nullptr || device_ == nullptr || !says(&number, ordinal, device) ||
        device_(&handle, number) != 0 || uuid_(&result, handle) != 0)
      return {};
    return result;
  }
  bool on_stream(const void* device, const std::function<bool(void*)>& launch) const override {
    const Entered entered(*this, device);
    const Stream stream = stream_of(entered.context());
    return stream != nullptr && launch(stream) && wait_(stream) == 0;
  }

  void* allocate(std::size_t bytes) const override {
    if (device_ == nullptr || retain_ == nullptr || current_ == nullptr || push_ == nullptr ||
        pop_ == nullptr || allocate_ == nullptr)
      return nullptr;
    Context context = nullptr;
    if (int first = 0; (current_(&context) != 0 || context == nullptr) &&
                       (device_(&first, 0) != 0 || retain_(&context, first) != 0))
      return nullptr;
    if (push_(context) != 0) return nullptr;
    Address memory = 0;
    const bool good = allocate_(&memory, bytes) == 0;
    pop_(&context);
    return good ? reinterpret_cast<void*>(memory) : nullptr;
  }
  void release(void* memory) const override {
    const Entered entered(*this, memory);
    free_(number(memory));
  }

 private:
  using Context = void*;
  using Stream = void*;
  using Address = std::uint64_t;
  // CU_POINTER_ATTRIBUTE_..., CU_MEMORYTYPE_...
  static constexpr int context_of = 1, memory_type = 2, is_managed = 8, ordinal = 9;
  static constexpr int host_memory = 1, device_memory = 2;

  struct Pitched {  // CUDA_MEMCPY2D
    struct Side {
      std::size_t x = 0, y = 0;
      unsigned type = 0;
      const void* host = nullptr;
      Address device = 0;
      void* array = nullptr;
      std::size_t pitch = 0;
    } from, into;
    std::size_t width = 0, height = 0;
  };

  static Address number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
  bool says(void* value, int attribute, const void* address) const {
    return attribute_(value, attribute, number(address)) == 0;
  }

  // While this lives, the context of some memory is the current one of this thread.
  class Entered {
   public:
    Entered(const Cuda& cuda, const void* device) : cuda_(cuda) {
      if (cuda.push_ == nullptr || cuda.pop_ == nullptr) return;
      Context context = nullptr;
      if (!cuda.says(&context, context_of, device) || context == nullptr)
        context = cuda.primary_context(device);
      if (context != nullptr && cuda.push_(context) == 0) context_ = context;
    }
    ~Entered() {
      Context before;
      if (context_ != nullptr) cuda_.pop_(&before);
    }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    Context context() const { return context_; }

   private:
    const Cuda& cuda_;
    Context context_ = nullptr;
  };

  // That of the memory's device, for memory of a pool, which belongs to no context. Another thread
  // than the program's may copy it, which has no current context. Null if that fails.
  Context primary_context(const void* device) const {
    int number = 0, handle = 0;
    if (device_ == nullptr || retain_ == nullptr || !says(&number, ordinal, device) ||
        device_(&handle, number) != 0)
      return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = primary_contexts_.try_emplace(handle, nullptr);
    if (is_new && retain_(&entry->second, handle) != 0) entry->second = nullptr;
    return entry->second;
  }

  // The default stream if ours cannot be created.
  Stream stream_of(Context context) const {
    static constexpr unsigned waits_for_default = 0;
    if (context == nullptr || make_stream_ == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = streams_.try_emplace(context, nullptr);
    if (is_new && make_stream_(&entry->second, waits_for_default) != 0) entry->second = nullptr;
    return entry->second;
  }

  bool copy_pitched(const DeviceCopy& copy, Stream stream) const {
    Pitched all;
    const auto fill = [&](Pitched::Side& side, const char* address, std::size_t pitch) {
      side.type = is_device(address) ? device_memory : host_memory;
      if (side.type == device_memory)
        side.device = number(address);
      else
        side.host = address;
      side.pitch = pitch;
    };
    fill(all.from, copy.from, copy.from_stride);
    fill(all.into, copy.into, copy.into_stride);
    all.width = copy.bytes;
    all.height = copy.rows;
    return copy_rows_(&all, stream) == 0;
  }

  int (*attribute_)(void* value, int attribute, Address address) = nullptr;
  int (*push_)(Context context) = nullptr;
  int (*pop_)(Context* context) = nullptr;
  int (*make_stream_)(Stream* stream, unsigned flags) = nullptr;
  int (*wait_)(Stream stream) = nullptr;
  int (*copy_)(Address into, Address from, std::size_t bytes, Stream stream) = nullptr;
  int (*copy_rows_)(const Pitched* copy, Stream stream) = nullptr;
  int (*pin_)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
  int (*begin_)(unsigned flags) = nullptr;
  int (*count_)(int* count) = nullptr;
  int (*device_)(int* device, int number) = nullptr;
  int (*uuid_)(Identity* identity, int device) = nullptr;
  int (*retain_)(Context* context, int device) = nullptr;
  int (*current_)(Context* context) = nullptr;
  int (*allocate_)(Address* memory, std::size_t bytes) = nullptr;
  int (*free_)(Address memory) = nullptr;
  mutable PinnedPool pinned_;
  mutable std::mutex mutex_;  // guards both maps
  mutable std::map<int, Context> primary_contexts_;
  mutable std::map<Context, Stream> streams_;
};

}  // namespace

const DeviceRuntime* make_cuda(const LoadedLibrary& library) { return new Cuda(library); }

}  // namespace toccata
