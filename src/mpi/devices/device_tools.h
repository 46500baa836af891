#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <dlfcn.h>
#include <limits>
#include <link.h>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "mpi/data/device_runtime.h"

namespace toccata {

// A loaded library, found by the beginning of its file's name. It must stay loaded, because we
// store addresses of its functions.
class LoadedLibrary {
 public:
  // Searches the loader's list, because dlopen would search all folders for a missing library.
  explicit LoadedLibrary(std::string_view begin) : begin_(begin) {
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
    auto& self = *static_cast<LoadedLibrary*>(wanted);
    const std::string_view path = info->dlpi_name;
    if (!path.substr(path.rfind('/') + 1).starts_with(self.begin_)) return 0;
    self.path_ = path;
    return 1;
  }

  std::string_view begin_;
  std::string path_;
  void* handle_ = nullptr;
};

// Whether one call can copy all rows: distances have a limit, and are not shorter than rows.
inline bool is_pitched(const DeviceCopy& copy) {
  static constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  return copy.rows > 1 && copy.into_stride >= copy.bytes && copy.from_stride >= copy.bytes &&
         copy.into_stride <= most && copy.from_stride <= most;
}

// Copies row by row, if one call cannot copy all rows.
template <typename CopyRow>
bool copy_rows(const DeviceCopy& copy, CopyRow&& copy_row) {
  for (std::size_t row = 0; row < copy.rows; ++row)
    if (!copy_row(copy.into + row * copy.into_stride, copy.from + row * copy.from_stride))
      return false;
  return true;
}

// Pinned memory. The process keeps it, because allocation is slow, and freeing waits for the whole
// device.
class PinnedPool {
 public:
  // Null if the pool is already large, or if `allocate` fails and returns null.
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

}  // namespace toccata
