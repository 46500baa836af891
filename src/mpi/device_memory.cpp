#include "mpi/device_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <dlfcn.h>
#include <limits>
#include <link.h>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace toccata {

namespace {

// A library that is loaded already, by the beginning of its file's name. It stays: its functions
// are kept.
class Library {
 public:
  // Looked up in the loader's list, as dlopen would look for a missing one in all folders.
  explicit Library(std::string_view begin) : begin_(begin) {
    if (dl_iterate_phdr(look_at, this) != 0)
      handle_ = dlopen(path_.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  }

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }

  template <typename Function>
  void look_up(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  static int look_at(dl_phdr_info* info, std::size_t, void* wanted) {
    auto& self = *static_cast<Library*>(wanted);
    const std::string_view path = info->dlpi_name;
    if (!path.substr(path.rfind('/') + 1).starts_with(self.begin_)) return 0;
    self.path_ = path;
    return 1;
  }

  std::string_view begin_;
  std::string path_;
  void* handle_ = nullptr;
};

// Pitches have a limit, and are not shorter than rows.
bool is_pitched(const DeviceCopy& copy) {
  static constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  return copy.rows > 1 && copy.into_stride >= copy.bytes && copy.from_stride >= copy.bytes &&
         copy.into_stride <= most && copy.from_stride <= most;
}

// Row by row, where they cannot go at once.
template <typename CopyRow>
bool copy_rows(const DeviceCopy& copy, CopyRow&& copy_row) {
  for (std::size_t row = 0; row < copy.rows; ++row)
    if (!copy_row(copy.into + row * copy.into_stride, copy.from + row * copy.from_stride))
      return false;
  return true;
}

// Pinned memory that stays: to allocate it takes long, and to free it waits for the whole device.
class PinnedPool {
 public:
  // Null if there is too much of it already, or `allocate`, which returns null then, fails.
  template <typename Allocate>
  void* take(std::size_t bytes, Allocate&& allocate) {
    static constexpr std::size_t least = 64 << 10, most = 64 << 20, most_in_all = 256 << 20;
    const std::size_t size = std::bit_ceil(std::max(bytes, least));
    if (size > most) return nullptr;
    const std::lock_guard lock(mutex_);
    if (auto known = free_.extract(size)) return used_.insert(std::move(known))->second;
    if (in_all_ + size > most_in_all) return nullptr;
    const auto made = used_.emplace(size, nullptr);
    made->second = allocate(size);
    if (made->second == nullptr) {
      used_.erase(made);
      return nullptr;
    }
    in_all_ += size;
    return made->second;
  }
  void give_back(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find(used_, memory, [](const auto& each) { return each.second; });
    if (found != used_.end()) free_.insert(used_.extract(found));
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, void*> free_, used_;  // by size
  std::size_t in_all_ = 0;
};

// By the driver's interface, which is stable and in which every way to use CUDA ends. Copies go by
// a stream of our own, which waits for no other.
class Cuda final : public DeviceRuntime {
 public:
  explicit Cuda(const Library& library) {
    library.look_up(attribute_, "cuPointerGetAttribute");
    library.look_up(push_, "cuCtxPushCurrent_v2");
    library.look_up(pop_, "cuCtxPopCurrent_v2");
    library.look_up(make_stream_, "cuStreamCreate");
    library.look_up(wait_, "cuStreamSynchronize");
    library.look_up(copy_, "cuMemcpyAsync");
    library.look_up(copy_rows_, "cuMemcpy2DAsync_v2");
    library.look_up(allocate_, "cuMemHostAlloc");
  }

  const char* name() const override { return "CUDA"; }

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
    if (allocate_ == nullptr) return nullptr;
    return pinned_.take(bytes, [&](std::size_t size) {
      const Entered entered(*this, device);
      void* memory = nullptr;
      return allocate_(&memory, size, portable) == 0 ? memory : nullptr;
    });
  }
  void give_back_pinned(void* memory) const override { pinned_.give_back(memory); }

 private:
  using Context = void*;
  using Stream = void*;
  using Address = std::uint64_t;
  // CU_POINTER_ATTRIBUTE_..., CU_MEMORYTYPE_...
  static constexpr int context_of = 1, memory_type = 2, is_managed = 8;
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

  // The context of some memory is the current one of this thread.
  class Entered {
   public:
    Entered(const Cuda& cuda, const void* device) : cuda_(cuda) {
      if (cuda.push_ == nullptr || cuda.pop_ == nullptr ||
          !cuda.says(&context_, context_of, device) || context_ == nullptr ||
          cuda.push_(context_) != 0)
        context_ = nullptr;  // such as of a pool: the program's own is current
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

  // The default one where ours cannot be made.
  Stream stream_of(Context context) const {
    static constexpr unsigned non_blocking = 1;
    if (context == nullptr || make_stream_ == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = streams_.try_emplace(context, nullptr);
    if (is_new && make_stream_(&entry->second, non_blocking) != 0) entry->second = nullptr;
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
  int (*allocate_)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
  mutable PinnedPool pinned_;
  mutable std::mutex mutex_;  // guards streams_
  mutable std::map<Context, Stream> streams_;
};

class Hip final : public DeviceRuntime {
 public:
  // hipMemoryTypeDevice was 1 until ROCm 6.
  explicit Hip(const Library& library)
      : device_memory_(library.path().find(".so.5") != std::string::npos ? 1 : 2) {
    library.look_up(attributes_, "hipPointerGetAttributes");
    library.look_up(get_device_, "hipGetDevice");
    library.look_up(set_device_, "hipSetDevice");
    library.look_up(make_stream_, "hipStreamCreateWithFlags");
    library.look_up(wait_, "hipStreamSynchronize");
    library.look_up(copy_, "hipMemcpyAsync");
    library.look_up(copy_rows_, "hipMemcpy2DAsync");
    library.look_up(allocate_, "hipHostMalloc");
  }

  const char* name() const override { return "HIP"; }

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
    if (allocate_ == nullptr) return nullptr;
    return pinned_.take(bytes, [&](std::size_t size) {
      const Entered entered(*this, attributes_of(device).device);
      void* memory = nullptr;
      return allocate_(&memory, size, portable) == 0 ? memory : nullptr;
    });
  }
  void give_back_pinned(void* memory) const override { pinned_.give_back(memory); }

 private:
  using Stream = void*;
  static constexpr int any_direction = 4;  // hipMemcpyDefault

  struct Attributes {
    int type = -1, device = 0;
    void *on_device = nullptr, *on_host = nullptr;
    int is_managed = 0;
    unsigned flags = 0;
    int others[64] = {};  // more than it has
  };
  Attributes attributes_of(const void* address) const {
    Attributes found;
    if (attributes_ == nullptr || attributes_(&found, address) != 0) return {};
    return found;
  }

  // A device is the current one of this thread.
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
    static constexpr unsigned non_blocking = 1;
    if (make_stream_ == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = streams_.try_emplace(device, nullptr);
    if (is_new && make_stream_(&entry->second, non_blocking) != 0) entry->second = nullptr;
    return entry->second;
  }

  int device_memory_;
  int (*attributes_)(Attributes* attributes, const void* address) = nullptr;
  int (*get_device_)(int* device) = nullptr;
  int (*set_device_)(int device) = nullptr;
  int (*make_stream_)(Stream* stream, unsigned flags) = nullptr;
  int (*wait_)(Stream stream) = nullptr;
  int (*copy_)(void* into, const void* from, std::size_t bytes, int direction,
               Stream stream) = nullptr;
  int (*copy_rows_)(void* into, std::size_t into_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, int direction, Stream stream) = nullptr;
  int (*allocate_)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
  mutable PinnedPool pinned_;
  mutable std::mutex mutex_;  // guards streams_
  mutable std::map<int, Stream> streams_;
};

// What was found stays to the end of the process: the runtimes themselves may still run then.
struct Found {
  std::atomic<const DeviceRuntime*> cuda = nullptr, hip = nullptr;
  std::atomic<bool> any = false;
  std::atomic<unsigned long long> looked_at = 0;  // as many libraries had been loaded
  std::atomic<std::uint64_t> last_look = 0;       // ticks
  std::mutex looking;
};
constinit Found found;

unsigned long long libraries_loaded_so_far() {
  unsigned long long result = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* into) {
        *static_cast<unsigned long long*>(into) = first->dlpi_adds;
        return 1;
      },
      &result);
  return result;
}

// Some 10 to 50 us. To load a runtime and to get memory from it takes much longer, so that looking
// that often finds it in time.
#if defined(__x86_64__)
constexpr std::uint64_t ticks_between_looks = 50'000;
std::uint64_t ticks() { return __builtin_ia32_rdtsc(); }
#else
constexpr std::uint64_t ticks_between_looks = 20'000;
std::uint64_t ticks() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}
#endif

void look(unsigned long long loaded) {
  const std::lock_guard lock(found.looking);
  if (found.looked_at == loaded) return;
  if (const Library cuda("libcuda.so"); cuda && found.cuda == nullptr) found.cuda = new Cuda(cuda);
  if (const Library hip("libamdhip64.so"); hip && found.hip == nullptr) found.hip = new Hip(hip);
  found.any = found.cuda != nullptr || found.hip != nullptr;
  found.looked_at = loaded;
}

}  // namespace

bool has_device_runtime() {
  if (found.any.load(std::memory_order_acquire)) return true;
  const std::uint64_t now = ticks();
  if (now - found.last_look.load(std::memory_order_relaxed) < ticks_between_looks) return false;
  found.last_look.store(now, std::memory_order_relaxed);
  const unsigned long long loaded = libraries_loaded_so_far();
  if (loaded == found.looked_at.load(std::memory_order_acquire)) return false;
  look(loaded);
  return found.any;
}

const DeviceRuntime* device_runtime_of(const void* address) {
  if (address == nullptr || !has_device_runtime()) return nullptr;
  for (const auto* each : {&found.cuda, &found.hip})
    if (const DeviceRuntime* runtime = each->load(std::memory_order_acquire);
        runtime != nullptr && runtime->is_device(address))
      return runtime;
  return nullptr;
}

const char* device_runtime_names() {
  if (!has_device_runtime()) return "";
  if (found.cuda == nullptr) return "HIP";
  return found.hip == nullptr ? "CUDA" : "CUDA and HIP";
}

}  // namespace toccata
