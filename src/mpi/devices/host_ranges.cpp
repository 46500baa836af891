#include "mpi/devices/host_ranges.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <link.h>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace toccata {

HostRanges HostRanges::find() {
  HostRanges result;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                             std::fclose);
  char line[512];
  while (maps != nullptr && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    Range range;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &range.begin, &range.end) != 2) continue;
    const std::string_view text = line;
    if (text.find("[heap]") != text.npos) result.heap_ = range.begin;
    if (text.find("[stack]") != text.npos) result.stack_end_ = range.end;
  }
  // The first object is the program.
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* into) {
        auto& data = *static_cast<Range*>(into);
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& segment = program->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
          data.begin = program->dlpi_addr + segment.p_vaddr;
          data.end = data.begin + segment.p_memsz;
        }
        return 1;
      },
      &result.data_);
  return result;
}

bool HostRanges::contain(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (data_.contains(at)) return true;
  if (heap_ != 0 && Range{heap_, reinterpret_cast<std::uintptr_t>(sbrk(0))}.contains(at))
    return true;
  // The kernel maps nothing else so close to the end of the stack. So a frame there belongs to the
  // main thread, and the stack extends from this frame to the end.
  constexpr std::uintptr_t close = 64 << 20;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here < stack_end_ && stack_end_ - here < close && Range{here, stack_end_}.contains(at);
}

}  // namespace toccata
