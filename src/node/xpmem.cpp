#include "node/xpmem.h"

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>

namespace toccata::node {

namespace {

// From XPMEM's header.
constexpr int read_and_write = 2, by_mode = 1;
constexpr std::size_t whole_memory = ~std::size_t{0};
void* const failed = reinterpret_cast<void*>(-1);

// The MPI library may have loaded it. Without the device, it is useless: then a search in all
// folders, perhaps of a network's file system, would be wasted.
void* open_library() {
  const bool has_device = access("/dev/xpmem", R_OK | W_OK) == 0;
  for (const char* const name : {"libxpmem.so.0", "libxpmem.so"})
    if (void* const library = dlopen(name, RTLD_LAZY | (has_device ? 0 : RTLD_NOLOAD)))
      return library;
  return nullptr;
}

// Whether that memory can be read. The kernel copies eight bytes from there before it rejects the
// other arguments; it reports bad memory, where our own access would raise a signal.
bool is_readable(std::uintptr_t address) {
  static constexpr int no_action = -1;
  constexpr std::size_t bytes = 8;
  return syscall(SYS_rt_sigprocmask, no_action, address / bytes * bytes, nullptr, bytes) == 0 ||
         errno != EFAULT;
}

}  // namespace

std::optional<XpmemLibrary> XpmemLibrary::load() {
  void* const library = open_library();
  if (library == nullptr) return {};
  XpmemLibrary found;
  bool complete = true;
  const auto look_up = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    complete = complete && function != nullptr;
  };
  look_up(found.make, "xpmem_make");
  look_up(found.remove, "xpmem_remove");
  look_up(found.get, "xpmem_get");
  look_up(found.release, "xpmem_release");
  look_up(found.attach, "xpmem_attach");
  look_up(found.detach, "xpmem_detach");
  if (!complete) return {};
  return found;  // it stays loaded
}

Xpmem::Xpmem(const XpmemLibrary& library)
    : library_(library),
      segment_(library.make(nullptr, whole_memory, by_mode, reinterpret_cast<void*>(0600))) {}

Xpmem::~Xpmem() {
  for (Peer& each : peers_) {
    each.pieces.clear();
    if (each.access >= 0) library_.release(each.access);
  }
  if (segment_ >= 0) library_.remove(segment_);
}

void Xpmem::meet(std::span<const std::int64_t> segments) {
  peers_ = std::vector<Peer>(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (segments[i] >= 0)
      peers_[i].access = library_.get(segments[i], read_and_write, by_mode, nullptr);
}

// Looks at both ends of the memory each time: meanwhile, the other process may have put memory
// there that XPMEM cannot read, such as that of a device.
std::shared_ptr<const char> Xpmem::map(int peer, const char* from, std::int64_t bytes) {
  Peer& of = peers_[peer];
  if (of.access < 0 || bytes <= 0) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(from);
  const auto here = piece_with(of, begin, begin + static_cast<std::uintptr_t>(bytes));
  if (here == nullptr) return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(here.get());
  if (!is_readable(first) || !is_readable(first + bytes - 1)) return nullptr;
  return here;
}

void Xpmem::forget() {
  for (Peer& each : peers_) {
    const std::lock_guard lock(each.mutex);
    each.pieces.clear();
  }
}

// A piece that was evicted remains attached until its last user drops it.
std::shared_ptr<const char> Xpmem::piece_with(Peer& peer, std::uintptr_t begin,
                                              std::uintptr_t end) {
  const std::lock_guard lock(peer.mutex);
  auto found = std::ranges::find_if(
      peer.pieces, [&](const Piece& each) { return each.begin <= begin && end <= each.end; });
  if (found == peer.pieces.end()) {
    const std::uintptr_t first = begin / piece_bytes * piece_bytes;
    const std::uintptr_t last = (end + piece_bytes - 1) / piece_bytes * piece_bytes;
    void* const at =
        library_.attach({peer.access, static_cast<off_t>(first)}, last - first, nullptr);
    if (at == failed || at == nullptr) return nullptr;
    const auto detach = [detach = library_.detach](const char* each) {
      detach(const_cast<char*>(each));
    };
    const std::shared_ptr<const char> here(static_cast<const char*>(at), detach);
    std::erase_if(peer.pieces,
                  [&](const Piece& each) { return first <= each.begin && each.end <= last; });
    if (peer.pieces.size() == most_pieces) peer.pieces.pop_back();
    found = peer.pieces.insert(peer.pieces.end(), {first, last, here});
  }
  std::rotate(peer.pieces.begin(), found, found + 1);
  const Piece& piece = peer.pieces.front();
  return {piece.here, piece.here.get() + (begin - piece.begin)};
}

}  // namespace toccata::node
