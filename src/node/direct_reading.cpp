#include "node/direct_reading.h"

#include <algorithm>
#include <cstring>
#include <sys/uio.h>

namespace toccata::node {

// The kernel reads less than 2 GiB per call, and may stop early between pages.
bool read_of_process(int process, const char* from, char* into, std::int64_t bytes) {
  constexpr std::int64_t most = 1 << 30;
  while (bytes > 0) {
    const auto some = static_cast<std::size_t>(std::min(bytes, most));
    const iovec here{into, some}, there{const_cast<char*>(from), some};
    const ssize_t read = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (read <= 0) return false;
    from += read;
    into += read;
    bytes -= read;
  }
  return true;
}

bool ProcessMemory::read(int peer, const char* from, char* into, std::int64_t bytes) {
  if (const auto here = map(peer, from, bytes)) {
    std::memcpy(into, here.get(), static_cast<std::size_t>(bytes));
    return true;
  }
  return copies() && read_of_process(processes_[peer], from, into, bytes);
}

}  // namespace toccata::node
