#include "node/segment.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace toccata::node {

namespace {

constexpr std::size_t header_bytes = 4096;  // a page, with the nonce

// Bytes from the beginning of a rank's first part to that of part `number`, or to the end of the
// last one.
std::size_t offset(int number) {
  return number == 0 ? 0 : Part::bytes(Part::large) + Part::bytes(Part::usual) * (number - 1);
}

std::size_t size_of(int ranks, int parts_per_rank) {
  return header_bytes + offset(parts_per_rank) * ranks;
}

// A longer file than that ends the process by a signal, also if it is in memory (`ulimit -f`).
bool may_have(std::size_t bytes) {
  rlimit most = {};
  return getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes <= most.rlim_cur;
}

// Gives the file memory. Signals, such as those of a profiler's timer, undo that.
bool allocate(int file, std::ptrdiff_t first, std::size_t bytes) {
  static constexpr int most_signals = 1000;
  for (int signals = 0; signals < most_signals; ++signals) {
    if (fallocate(file, 0, first, static_cast<off_t>(bytes)) == 0) return true;
    if (errno != EINTR) return false;
  }
  return false;
}

}  // namespace

Segment::~Segment() { close(); }

void Segment::close() {
  if (memory_ != nullptr) munmap(memory_, size_);
  if (file_ >= 0) ::close(file_);
  memory_ = nullptr;
  file_ = -1;
}

std::string Segment::create(int ranks, int parts_per_rank, std::uint64_t nonce) {
  const std::size_t bytes = size_of(ranks, parts_per_rank);
  file_ = memfd_create("toccata", MFD_CLOEXEC);
  if (file_ < 0 || !may_have(bytes) || ftruncate(file_, static_cast<off_t>(bytes)) != 0 ||
      !allocate(file_, 0, header_bytes) || !map(ranks, parts_per_rank)) {
    close();
    return "";
  }
  *reinterpret_cast<std::uint64_t*>(memory_) = nonce;
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
}

bool Segment::open(const std::string& path, int ranks, int parts_per_rank, std::uint64_t nonce) {
  file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ >= 0 && map(ranks, parts_per_rank) &&
      *reinterpret_cast<const std::uint64_t*>(memory_) == nonce)
    return true;
  close();
  return false;
}

// A child process must not write here, because other ranks would take its data for its parent's.
bool Segment::map(int ranks, int parts_per_rank) {
  parts_per_rank_ = parts_per_rank;
  size_ = size_of(ranks, parts_per_rank);
  if (lseek(file_, 0, SEEK_END) != static_cast<off_t>(size_)) return false;
  void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<char*>(memory);
  madvise(memory_, size_, MADV_DONTFORK);
  return true;
}

Part* Segment::part(int rank, int number) const {
  return reinterpret_cast<Part*>(memory_ + header_bytes + offset(parts_per_rank_) * rank +
                                 offset(number));
}

Part* Segment::reserve(int rank, int number, std::uint32_t slot_bytes) {
  Part* const reserved = part(rank, number);
  const auto first = reinterpret_cast<char*>(reserved) - memory_;
  const std::size_t bytes = Part::bytes(slot_bytes);
  if (!may_have(first + bytes) || !allocate(file_, first, bytes)) return nullptr;
  reserved->slot_bytes = slot_bytes;
  return reserved;
}

}  // namespace toccata::node
