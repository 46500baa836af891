#include "mpi/devices/level_zero.h"

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace toccata {

namespace {

// In Level Zero, memory belongs to a context, and a library cannot find the contexts of other
// libraries. But a driver recognises all of its memory with any of its contexts; MPICH and UCX also
// rely on that. So we create one context per driver. Copies use the context of the memory's driver,
// and an immediate command list of its device.
class LevelZero final : public DeviceRuntime {
 public:
  explicit LevelZero(const LoadedLibrary& library) {
    library.look_up(begin_, "zeInit");
    library.look_up(drivers_, "zeDriverGet");
    library.look_up(devices_, "zeDeviceGet");
    library.look_up(usual_context_, "zeDriverGetDefaultContext");  // of 1.14 and later
    library.look_up(make_context_, "zeContextCreate");
    library.look_up(properties_, "zeMemGetAllocProperties");
    library.look_up(make_list_, "zeCommandListCreateImmediate");
    library.look_up(wait_, "zeCommandListHostSynchronize");  // of 1.6 and later
    library.look_up(copy_, "zeCommandListAppendMemoryCopy");
    library.look_up(copy_rows_, "zeCommandListAppendMemoryCopyRegion");
    library.look_up(pin_, "zeMemAllocHost");
    library.look_up(allocate_, "zeMemAllocDevice");
    library.look_up(free_, "zeMemFree");
  }

  const char* name() const override { return "Level Zero"; }
  InMpi in_mpi() const override { return {{"MPIX_Query_ze_support", nullptr}, 1, "level_zero"}; }

  // Before zeInit, and if that found no driver, zeDriverGet returns an error. A driver may have no
  // device.
  bool has_device() const override {
    return devices_ != nullptr && std::ranges::any_of(handles(), [&](void* driver) {
             std::uint32_t number = 0;
             return devices_(driver, &number, nullptr) == 0 && number > 0;
           });
  }
  void begin() const override {
    if (begin_ != nullptr) begin_(0);
  }

  bool is_device(const void* address) const override { return owner_of(address).device != nullptr; }

  // Two threads must not use a command list at the same time.
  bool copy(std::span<const DeviceCopy> copies, const void* device) const override {
    const Owner owner = owner_of(device);
    if (copy_ == nullptr || owner.device == nullptr) return false;
    const std::lock_guard lock(mutex_);
    const List list = list_of(owner);
    if (list == nullptr) return false;
    const bool good = std::ranges::all_of(copies, [&](const DeviceCopy& each) {
      return is_pitched(each) && copy_rows_ != nullptr
                 ? copy_pitched(each, list)
                 : copy_rows(each, [&](char* into, const char* from) {
                     return copy_(list, into, from, each.bytes, nullptr, 0, nullptr) == 0;
                   });
    });
    return (wait_ == nullptr || wait_(list, UINT64_MAX) == 0) && good;
  }

  void* take_pinned(std::size_t bytes, const void* device) const override {
    const Owner owner = owner_of(device);
    if (pin_ == nullptr || owner.device == nullptr) return nullptr;
    return pinned_.take(bytes, [&](std::size_t size) {
      const HostMemory wanted;
      void* memory = nullptr;
      return pin_(owner.context, &wanted, size, page, &memory) == 0 ? memory : nullptr;
    });
  }
  void give_back_pinned(void* memory) const override { pinned_.give_back(memory); }

  // Zeros, because no collectives of other libraries are used on these devices.
  Identity identity(const void*) const override { return {}; }
  bool on_stream(const void*, const std::function<bool(void*)>&) const override { return false; }

  void* allocate(std::size_t bytes) const override {
    if (devices_ == nullptr || allocate_ == nullptr || free_ == nullptr) return nullptr;
    for (const Driver& each : drivers()) {
      std::uint32_t one = 1;
      Device device = nullptr;
      void* memory = nullptr;
      const DeviceMemory wanted;
      if (devices_(each.driver, &one, &device) == 0 && one > 0 &&
          allocate_(each.context, &wanted, bytes, page, device, &memory) == 0)
        return memory;
    }
    return nullptr;
  }
  void release(void* memory) const override { free_(owner_of(memory).context, memory); }

 private:
  using Context = void*;
  using Device = void*;
  using List = void*;
  static constexpr std::size_t page = 4096;

  // The structures of ze_api.h, each with its ZE_STRUCTURE_TYPE_.
  struct Properties {
    int structure = 0x17;
    void* next = nullptr;
    int type = 0;
    std::uint64_t id = 0, page_size = 0;
  };
  static constexpr int device_memory = 2;  // ZE_MEMORY_TYPE_DEVICE
  struct ContextWanted {
    int structure = 0xd;
    const void* next = nullptr;
    std::uint32_t flags = 0;
  };
  static constexpr int synchronous = 1, asynchronous = 2;  // ZE_COMMAND_QUEUE_MODE_
  struct Queue {
    int structure = 0xe;
    const void* next = nullptr;
    std::uint32_t ordinal = 0, index = 0, flags = 0;
    int mode = synchronous;
    int priority = 0;
  };
  struct DeviceMemory {
    int structure = 0x15;
    const void* next = nullptr;
    std::uint32_t flags = 0, ordinal = 0;
  };
  struct HostMemory {
    int structure = 0x16;
    const void* next = nullptr;
    std::uint32_t flags = 0;
  };
  struct Region {
    std::uint32_t x = 0, y = 0, z = 0, width = 0, height = 0, depth = 1;
  };
  struct Driver {
    void* driver;
    Context context;
  };
  struct Owner {
    Context context = nullptr;
    Device device = nullptr;  // null: not the memory of a device
    auto operator<=>(const Owner&) const = default;
  };

  // None before the program initialises Level Zero.
  std::vector<void*> handles() const {
    std::uint32_t number = 0;
    if (drivers_ == nullptr || drivers_(&number, nullptr) != 0 || number == 0) return {};
    std::vector<void*> result(number);
    if (drivers_(&number, result.data()) != 0) return {};
    result.resize(number);
    return result;
  }

  const std::vector<Driver>& drivers() const {
    static const std::vector<Driver> none;
    if (const auto* known = known_.load(std::memory_order_acquire)) return *known;
    const std::vector<void*> all = handles();
    if (make_context_ == nullptr || all.empty()) return none;
    const std::lock_guard lock(mutex_);
    if (const auto* known = known_.load()) return *known;
    auto* const made = new std::vector<Driver>;
    for (void* each : all) {
      const ContextWanted wanted;
      Context context = usual_context_ != nullptr ? usual_context_(each) : nullptr;
      if (context != nullptr || make_context_(each, &wanted, &context) == 0)
        made->push_back({each, context});
    }
    known_.store(made, std::memory_order_release);
    return *made;
  }

  Owner owner_of(const void* address) const {
    if (properties_ == nullptr) return {};
    for (const Driver& each : drivers()) {
      Properties found;
      Device device = nullptr;
      if (properties_(each.context, address, &found, &device) == 0 && found.type == device_memory)
        return {each.context, device};
    }
    return {};
  }

  List list_of(const Owner& owner) const {
    if (make_list_ == nullptr) return nullptr;
    const auto [entry, is_new] = lists_.try_emplace(owner, nullptr);
    const Queue queue{.mode = wait_ != nullptr ? asynchronous : synchronous};
    if (is_new && make_list_(owner.context, owner.device, &queue, &entry->second) != 0)
      entry->second = nullptr;
    return entry->second;
  }

  bool copy_pitched(const DeviceCopy& copy, List list) const {
    if (copy.bytes > UINT32_MAX || copy.rows > UINT32_MAX) return false;
    Region region;
    region.width = static_cast<std::uint32_t>(copy.bytes);
    region.height = static_cast<std::uint32_t>(copy.rows);
    return copy_rows_(list, copy.into, &region, static_cast<std::uint32_t>(copy.into_stride), 0,
                      copy.from, &region, static_cast<std::uint32_t>(copy.from_stride), 0, nullptr,
                      0, nullptr) == 0;
  }

  int (*begin_)(std::uint32_t flags) = nullptr;
  int (*drivers_)(std::uint32_t* number, void** drivers) = nullptr;
  int (*devices_)(void* driver, std::uint32_t* number, Device* devices) = nullptr;
  Context (*usual_context_)(void* driver) = nullptr;
  int (*make_context_)(void* driver, const ContextWanted* wanted, Context* context) = nullptr;
  int (*properties_)(Context context, const void* address, Properties* properties,
                     Device* device) = nullptr;
  int (*make_list_)(Context context, Device device, const Queue* queue, List* list) = nullptr;
  int (*wait_)(List list, std::uint64_t nanoseconds) = nullptr;
  int (*copy_)(List list, void* into, const void* from, std::size_t bytes, void* event,
               std::uint32_t waits, void** wait_for) = nullptr;
  int (*copy_rows_)(List list, void* into, const Region* there, std::uint32_t into_pitch,
                    std::uint32_t into_slice, const void* from, const Region* here,
                    std::uint32_t from_pitch, std::uint32_t from_slice, void* event,
                    std::uint32_t waits, void** wait_for) = nullptr;
  int (*pin_)(Context context, const HostMemory* wanted, std::size_t bytes, std::size_t alignment,
              void** memory) = nullptr;
  int (*allocate_)(Context context, const DeviceMemory* wanted, std::size_t bytes,
                   std::size_t alignment, Device device, void** memory) = nullptr;
  int (*free_)(Context context, void* memory) = nullptr;
  mutable PinnedPool pinned_;
  mutable std::mutex mutex_;  // guards lists_ and their use, and the making of known_
  mutable std::map<Owner, List> lists_;
  mutable std::atomic<const std::vector<Driver>*> known_ = nullptr;
};

}  // namespace

const DeviceRuntime* make_level_zero(const LoadedLibrary& library) {
  return new LevelZero(library);
}

}  // namespace toccata
