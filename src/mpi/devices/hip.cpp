#include "mpi/devices/hip.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

namespace toccata {

namespace {

class Hip final : public DeviceRuntime {
 public:
  // hipMemoryTypeDevice was 1 until ROCm 6. The library may be loaded by a link without a version.
  explicit Hip(const LoadedLibrary& library) {
    std::error_code error;
    const std::string file = std::filesystem::canonical(library.path(), error).filename();
    device_memory_ = (error ? library.path() : file).find(".so.5") != std::string::npos ? 1 : 2;
    library.look_up(attributes_, "hipPointerGetAttributes");
    library.look_up(agents_, "hsa_iterate_agents");
    library.look_up(about_, "hsa_agent_get_info");
    library.look_up(begin_, "hipInit");
    library.look_up(get_device_, "hipGetDevice");
    library.look_up(set_device_, "hipSetDevice");
    library.look_up(make_stream_, "hipStreamCreateWithFlags");
    library.look_up(wait_, "hipStreamSynchronize");
    library.look_up(copy_, "hipMemcpyAsync");
    library.look_up(copy_rows_, "hipMemcpy2DAsync");
    library.look_up(pin_, "hipHostMalloc");
    library.look_up(uuid_, "hipDeviceGetUuid");
    library.look_up(allocate_, "hipMalloc");
    library.look_up(free_, "hipFree");
  }

  const char* name() const override { return "HIP"; }
  InMpi in_mpi() const override {
    return {{"MPIX_Query_rocm_support", "MPIX_Query_hip_support"}, 2, "rocm"};
  }

  // Every function of HIP initialises it, also the one that counts devices. But HIP is built on
  // HSA, whose functions return an error until HIP has initialised it.
  bool has_device() const override {
    if (agents_ == nullptr || about_ == nullptr) return true;  // unknown
    Search search{about_, false};
    agents_(look_at, &search);
    return search.found;
  }
  void begin() const override {
    if (begin_ != nullptr) begin_(0);
  }

  bool is_device(const void* address) const override {
    const Attributes found = attributes_of(address);
    return found.type == device_memory_ && found.is_managed == 0;
  }

  bool copy(std::span<const DeviceCopy> copies, const void* device) const override {
    if (copy_ == nullptr || wait_ == nullptr) return false;
    const Entered entered(*this, attributes_of(device).device);
    const Stream stream = stream_of(entered.device());
    const bool good = std::ranges::all_of(copies, [&](const DeviceCopy& each) {
      if (is_pitched(each) && copy_rows_ != nullptr)
        return copy_rows_(each.into, each.into_stride, each.from, each.from_stride, each.bytes,
                          each.rows, any_direction, stream) == 0;
      return copy_rows(each, [&](char* into, const char* from) {
        return copy_(into, from, each.bytes, any_direction, stream) == 0;
      });
    });
    return wait_(stream) == 0 && good;
  }

  void* take_pinned(std::size_t bytes, const void* device) const override {
    static constexpr unsigned portable = 1;  // on all devices
    if (pin_ == nullptr) return nullptr;
    return pinned_.take(bytes, [&](std::size_t size) {
      const Entered entered(*this, attributes_of(device).device);
      void* memory = nullptr;
      return pin_(&memory, size, portable) == 0 ? memory : nullptr;
    });
  }
  void give_back_pinned(void* memory) const override { pinned_.give_back(memory); }

  Identity identity(const void* device) const override {
    Identity result = {};
    if (uuid_ == nullptr || uuid_(&result, attributes_of(device).device) != 0) return {};
    return result;
  }
  bool on_stream(const void* device, const std::function<bool(void*)>& launch) const override {
    const Entered entered(*this, attributes_of(device).device);
    const Stream stream = stream_of(entered.device());
    return stream != nullptr && launch(stream) && wait_(stream) == 0;
  }

  void* allocate(std::size_t bytes) const override {
    void* memory = nullptr;
    return allocate_ != nullptr && free_ != nullptr && allocate_(&memory, bytes) == 0 ? memory
                                                                                      : nullptr;
  }
  void release(void* memory) const override { free_(memory); }

 private:
  using Stream = void*;
  using Agent = std::uint64_t;             // of HSA: a processor or a GPU
  static constexpr int any_direction = 4;  // hipMemcpyDefault

  struct Attributes {
    int type = -1, device = 0;
    void *on_device = nullptr, *on_host = nullptr;
    int is_managed = 0;
    unsigned flags = 0;
    int others[64] = {};  // more than a hipPointerAttribute_t has
  };
  Attributes attributes_of(const void* address) const {
    Attributes found;
    if (attributes_ == nullptr || attributes_(&found, address) != 0) return {};
    return found;
  }

  struct Search {
    int (*about)(Agent agent, int attribute, void* value);
    bool found;
  };
  static int look_at(Agent agent, void* into) {
    static constexpr int kind = 17, gpu = 1, next = 0, enough = 1;
    auto& search = *static_cast<Search*>(into);
    int is = 0;
    search.found = search.about(agent, kind, &is) == 0 && is == gpu;
    return search.found ? enough : next;
  }

  // While this lives, a device is the current one of this thread.
  class Entered {
   public:
    Entered(const Hip& hip, int device) : hip_(hip), device_(device) {
      if (hip.get_device_ == nullptr || hip.set_device_ == nullptr ||
          hip.get_device_(&before_) != 0 || before_ == device || hip.set_device_(device) != 0)
        before_ = device;
    }
    ~Entered() {
      if (before_ != device_) hip_.set_device_(before_);
    }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    int device() const { return device_; }

   private:
    const Hip& hip_;
    int device_, before_ = 0;
  };

  Stream stream_of(int device) const {
    static constexpr unsigned waits_for_default = 0;  // as for CUDA
    if (make_stream_ == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = streams_.try_emplace(device, nullptr);
    if (is_new && make_stream_(&entry->second, waits_for_default) != 0) entry->second = nullptr;
    return entry->second;
  }

  int device_memory_;
  int (*attributes_)(Attributes* attributes, const void* address) = nullptr;
  int (*agents_)(int (*look_at)(Agent agent, void* into), void* into) = nullptr;
  int (*about_)(Agent agent, int attribute, void* value) = nullptr;
  int (*begin_)(unsigned flags) = nullptr;
  int (*get_device_)(int* device) = nullptr;
  int (*set_device_)(int device) = nullptr;
  int (*make_stream_)(Stream* stream, unsigned flags) = nullptr;
  int (*wait_)(Stream stream) = nullptr;
  int (*copy_)(void* into, const void* from, std::size_t bytes, int direction,
               Stream stream) = nullptr;
  int (*copy_rows_)(void* into, std::size_t into_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, int direction, Stream stream) = nullptr;
  int (*pin_)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
  int (*uuid_)(Identity* identity, int device) = nullptr;  // devices are numbered
  int (*allocate_)(void** memory, std::size_t bytes) = nullptr;
  int (*free_)(void* memory) = nullptr;
  mutable PinnedPool pinned_;
  mutable std::mutex mutex_;  // guards streams_
  mutable std::map<int, Stream> streams_;
};

}  // namespace

const DeviceRuntime* make_hip(const LoadedLibrary& library) { return new Hip(library); }

}  // namespace toccata
