#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

namespace toccata::node {

// The functions of libxpmem that we use. XPMEM is a kernel module, usual on HPE Cray machines: a
// process makes its memory available as a segment, and another process attaches parts of it.
struct XpmemLibrary {
  struct Address {
    std::int64_t access;
    off_t offset;
  };
  std::int64_t (*make)(void* first, std::size_t bytes, int permit_type, void* permit) = nullptr;
  int (*remove)(std::int64_t segment) = nullptr;
  std::int64_t (*get)(std::int64_t segment, int flags, int permit_type, void* permit) = nullptr;
  int (*release)(std::int64_t access) = nullptr;
  void* (*attach)(Address from, std::size_t bytes, void* at) = nullptr;
  int (*detach)(void* at) = nullptr;

  // Nothing if this machine has no XPMEM.
  static std::optional<XpmemLibrary> load();
};

// The memory of other processes through XPMEM. It stays attached from call to call, in pieces,
// because to attach a piece takes system calls, and its first use a page fault per page. Threads
// may call map() at the same time.
//
// A piece does not go stale: it has no pages of its own. The kernel finds each page in the tables
// of the other process, and forgets it when that process unmaps or replaces the page. Memory
// without such a page raises SIGBUS, so map() looks before the caller does.
class Xpmem {
 public:
  static constexpr std::uintptr_t piece_bytes = 8 << 20;
  static constexpr std::size_t most_pieces = 32;  // per process

  // Makes the memory of this process available to processes of the same user.
  explicit Xpmem(const XpmemLibrary& library);
  ~Xpmem();
  Xpmem(const Xpmem&) = delete;
  Xpmem& operator=(const Xpmem&) = delete;

  // Our own segment; -1 if it could not be made.
  std::int64_t segment() const { return segment_; }
  // The segments of the other processes, by their numbers; -1 for none.
  void meet(std::span<const std::int64_t> segments);

  // That memory in our address space, as long as the result exists; null if it cannot be read.
  std::shared_ptr<const char> map(int peer, const char* from, std::int64_t bytes);
  // Detaches all memory. Later calls of map() attach it again.
  void forget();

 private:
  struct Piece {
    std::uintptr_t begin, end;  // in the other process
    std::shared_ptr<const char> here;
  };
  struct Peer {
    std::int64_t access = -1;
    std::mutex mutex;           // guards the pieces
    std::vector<Piece> pieces;  // the last used one first
  };
  std::shared_ptr<const char> piece_with(Peer& peer, std::uintptr_t begin, std::uintptr_t end);

  XpmemLibrary library_;
  std::int64_t segment_;
  std::vector<Peer> peers_;
};

}  // namespace toccata::node
