// Attachments of other processes' memory, with functions that take the place of libxpmem's: the
// "other process" is this one.

#include "node/xpmem.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "node/direct_reading.h"

namespace toccata::node {
namespace {

constexpr std::uintptr_t piece = Xpmem::piece_bytes;
constexpr std::int64_t segment = 7;

// What the library was asked to do.
struct Log {
  std::mutex mutex;
  std::multiset<std::uintptr_t> attached;  // beginnings of pieces
  std::vector<std::size_t> sizes;          // of all attachments
  int detached = 0, removed = 0, released = 0;
  bool refuses = false;
} log_;

std::int64_t make(void* first, std::size_t bytes, int, void*) {
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(bytes, ~std::size_t{0});
  return segment;
}
int remove(std::int64_t which) { return which == segment ? (++log_.removed, 0) : -1; }
std::int64_t get(std::int64_t which, int, int, void*) { return which + 1; }
int release(std::int64_t) { return ++log_.released, 0; }
void* attach(XpmemLibrary::Address from, std::size_t bytes, void* at) {
  const std::lock_guard lock(log_.mutex);
  EXPECT_EQ(at, nullptr);
  EXPECT_EQ(from.access, segment + 1);
  EXPECT_EQ(from.offset % piece, 0);
  EXPECT_EQ(bytes % piece, 0);
  if (log_.refuses) return reinterpret_cast<void*>(-1);
  log_.attached.insert(from.offset);
  log_.sizes.push_back(bytes);
  return reinterpret_cast<void*>(from.offset);
}
int detach(void* at) {
  const std::lock_guard lock(log_.mutex);
  const auto found = log_.attached.find(reinterpret_cast<std::uintptr_t>(at));
  EXPECT_NE(found, log_.attached.end());
  log_.attached.erase(found);
  return ++log_.detached, 0;
}

class XpmemTest : public testing::Test {
 protected:
  XpmemTest() {
    log_.attached.clear();
    log_.sizes.clear();
    log_.detached = log_.removed = log_.released = 0;
    log_.refuses = false;
    xpmem = std::make_unique<Xpmem>(XpmemLibrary{make, remove, get, release, attach, detach});
    const std::int64_t segments[] = {segment, -1};
    xpmem->meet(segments);
    // Untouched memory takes no pages.
    const std::size_t bytes = (pieces + 1) * piece;
    mapping_ = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(mapping_, MAP_FAILED);
    memory = reinterpret_cast<const char*>(
        (reinterpret_cast<std::uintptr_t>(mapping_) + piece - 1) / piece * piece);
  }
  ~XpmemTest() override { munmap(mapping_, (pieces + 1) * piece); }

  static constexpr std::size_t pieces = 3 * Xpmem::most_pieces;
  std::unique_ptr<Xpmem> xpmem;
  const char* memory = nullptr;  // at the beginning of a piece

 private:
  void* mapping_;
};

TEST_F(XpmemTest, AttachesAlignedPiecesOnce) {
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{100'001}, std::ptrdiff_t{0}})
    EXPECT_EQ(xpmem->map(0, memory + offset, 5000).get(), memory + offset);
  EXPECT_EQ(xpmem->map(0, memory + piece - 1, 1).get(), memory + piece - 1);
  EXPECT_EQ(log_.sizes, std::vector<std::size_t>{piece});
}

TEST_F(XpmemTest, AttachesOneRangeAcrossPieces) {
  EXPECT_EQ(xpmem->map(0, memory + piece - 8, 16).get(), memory + piece - 8);
  EXPECT_EQ(log_.sizes, std::vector<std::size_t>{2 * piece});
  EXPECT_EQ(xpmem->map(0, memory + piece + 5, 16).get(), memory + piece + 5);
  EXPECT_EQ(log_.sizes.size(), 1);
  EXPECT_NE(xpmem->map(0, memory + 2 * piece, 2 * piece + 1), nullptr);
  EXPECT_EQ(log_.sizes.back(), 3 * piece);
}

TEST_F(XpmemTest, DetachesThePieceWithTheOldestUse) {
  for (std::size_t i = 0; i < Xpmem::most_pieces; ++i) xpmem->map(0, memory + i * piece, 1);
  xpmem->map(0, memory, 1);
  EXPECT_EQ(log_.detached, 0);
  xpmem->map(0, memory + Xpmem::most_pieces * piece, 1);
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  EXPECT_EQ(log_.detached, 1);
  EXPECT_TRUE(log_.attached.contains(first));
  EXPECT_FALSE(log_.attached.contains(first + piece));
}

TEST_F(XpmemTest, KeepsPiecesInUse) {
  const auto used = xpmem->map(0, memory, 1);
  for (std::size_t i = 1; i < pieces; ++i) xpmem->map(0, memory + i * piece, 1);
  EXPECT_TRUE(log_.attached.contains(reinterpret_cast<std::uintptr_t>(memory)));
  EXPECT_EQ(log_.attached.size(), Xpmem::most_pieces + 1);
}

TEST_F(XpmemTest, DetachesAllAtTheEnd) {
  xpmem->map(0, memory, 1);
  xpmem->map(0, memory + piece, 1);
  xpmem.reset();
  EXPECT_TRUE(log_.attached.empty());
  EXPECT_EQ(log_.released, 1);
  EXPECT_EQ(log_.removed, 1);
}

TEST_F(XpmemTest, ReturnsNothingIfItCannotAttach) {
  EXPECT_EQ(xpmem->map(1, memory, 1), nullptr) << "that process has no segment";
  EXPECT_EQ(xpmem->map(0, memory, 0), nullptr);
  log_.refuses = true;
  EXPECT_EQ(xpmem->map(0, memory, 1), nullptr);
  log_.refuses = false;
  EXPECT_NE(xpmem->map(0, memory, 1), nullptr);
}

// XPMEM attaches any range. It raises SIGBUS later if the other process has no such memory.
TEST_F(XpmemTest, ReturnsNothingIfAnEndCannotBeRead) {
  char* const hole = const_cast<char*>(memory) + (64 << 10);
  ASSERT_EQ(mprotect(hole, 64 << 10, PROT_NONE), 0);
  EXPECT_EQ(xpmem->map(0, hole, 1), nullptr);
  EXPECT_EQ(xpmem->map(0, hole - 10, 11), nullptr);
  EXPECT_NE(xpmem->map(0, hole - 10, 10), nullptr);
  EXPECT_EQ(xpmem->map(0, hole + (64 << 10) - 1, 10), nullptr);
  EXPECT_NE(xpmem->map(0, hole + (64 << 10), 10), nullptr);
}

// Threads of MPI_THREAD_MULTIPLE evict each other's pieces.
TEST_F(XpmemTest, ServesThreads) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 2000; ++i) {
        const char* const at = memory + random() % (pieces * piece - 8);
        const auto here = xpmem->map(0, at, 8);
        wrong += here.get() != at || std::count(here.get(), here.get() + 8, 0) != 8 ? 1 : 0;
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(log_.attached.size(), Xpmem::most_pieces);
}

TEST_F(XpmemTest, CopiesIfItCannotMap) {
  std::vector<char> from(5000, 'x'), into(5000);
  log_.refuses = true;
  ProcessMemory maps_only({}, std::move(xpmem));
  EXPECT_FALSE(maps_only.read(0, from.data(), into.data(), 5000));
  log_.refuses = false;
  EXPECT_TRUE(maps_only.read(0, from.data(), into.data(), 5000));
  EXPECT_EQ(into, from);
  ProcessMemory copies_only({getpid()}, nullptr);
  EXPECT_EQ(copies_only.map(0, from.data(), 5000), nullptr);
  std::ranges::fill(into, 'y');
  EXPECT_TRUE(copies_only.read(0, from.data(), into.data(), 5000));
  EXPECT_EQ(into, from);
}

}  // namespace
}  // namespace toccata::node
