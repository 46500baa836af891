#include "node/direct_reading.h"

#include <algorithm>
#include <cstring>
#include <sys/uio.h>

namespace toccata::node {

namespace {

// The kernel copies less than 2 GiB per call, and may stop early between pages.
template <typename Copy>
bool copy_all(const char* from, char* into, std::int64_t bytes, Copy copy) {
  constexpr std::int64_t most = 1 << 30;
  while (bytes > 0) {
    const auto some = static_cast<std::size_t>(std::min(bytes, most));
    const ssize_t copied = copy(iovec{const_cast<char*>(from), some}, iovec{into, some});
    if (copied <= 0) return false;
    from += copied;
    into += copied;
    bytes -= copied;
  }
  return true;
}

}  // namespace

bool read_of_process(int process, const char* from, char* into, std::int64_t bytes) {
  return copy_all(from, into, bytes, [&](const iovec& there, const iovec& here) {
    return process_vm_readv(process, &here, 1, &there, 1, 0);
  });
}

bool write_to_process(int process, const char* from, char* into, std::int64_t bytes) {
  return copy_all(from, into, bytes, [&](const iovec& here, const iovec& there) {
    return process_vm_writev(process, &here, 1, &there, 1, 0);
  });
}

bool ProcessMemory::read(int peer, const char* from, char* into, std::int64_t bytes) {
  if (const auto here = map(peer, from, bytes)) {
    std::memcpy(into, here.get(), static_cast<std::size_t>(bytes));
    return true;
  }
  return copies() && read_of_process(processes_[peer], from, into, bytes);
}

}  // namespace toccata::node
