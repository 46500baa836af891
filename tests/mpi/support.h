#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "choices/choice.h"
#include "devices.h"
#include "mpi/data/datatype.h"
#include "toccata/toccata.h"
#include "writing/registry.h"

namespace toccata::test {

inline int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

inline int error_class(int code) {
  int result;
  MPI_Error_class(code, &result);
  return result;
}

// A communicator freed at the end of its scope.
class OwnedComm {
 public:
  explicit OwnedComm(MPI_Comm comm) : comm_(comm) {}
  OwnedComm(OwnedComm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  ~OwnedComm() { free(); }
  void free() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_;
};

inline OwnedComm duplicate(MPI_Comm comm) {
  MPI_Comm result;
  MPI_Comm_dup(comm, &result);
  return OwnedComm(result);
}

inline OwnedComm split(MPI_Comm comm, int color, int key) {
  MPI_Comm result;
  MPI_Comm_split(comm, color, key, &result);
  return OwnedComm(result);
}

// Communicators to test: this rank alone, half of the ranks, and all ranks in reversed order.
class KindsOfCommunicator {
 public:
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  int rank_ = rank_in(MPI_COMM_WORLD);
  OwnedComm half_ = split(MPI_COMM_WORLD, rank_ % 2, rank_);
  OwnedComm reversed_ = split(MPI_COMM_WORLD, 0, -rank_);
  std::array<MPI_Comm, 3> all_{MPI_COMM_SELF, half_, reversed_};
};

// The placement that an algorithm gets for these ranks: from TOCCATA_TOPOLOGY, if set.
Shape known_shape(MPI_Comm comm);

// The travel settings that a test uses; they always include the default.
using Travels = std::vector<std::string>;
inline const Travels every_travel{"whole", "packed", "datatype", "per_block", "published"};
inline const Travels one_travel{"whole"};

// Every algorithm of the registry that these ranks can run, with default settings and with one
// change: a parameter, or the travel setting. Examples: "bruck", "bruck:travel=packed". Proofs
// cover all combinations.
inline std::vector<std::string> choices(const Collective& collective, MPI_Comm comm,
                                        const Travels& travels = every_travel) {
  Shape shape = known_shape(comm);
  std::vector<std::string> result;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (!algorithm->serves(collective)) continue;
    const std::string name(algorithm->name);
    std::vector<std::string> texts{name};
    for (const Parameter& parameter : algorithm->parameters)
      for (const int value : parameter.samples)
        if (value != parameter.standard)
          texts.push_back(name + ":" + std::string(parameter.name) + "=" + parameter.text(value));
    for (const std::string& travel : travels)
      if (travel != "whole") texts.push_back(name + ":travel=" + travel);
    for (const std::string& text : texts) {
      shape.parameters = parse_choice(collective, text).parameters;
      if (algorithm->why_impossible(shape).empty()) result.push_back(text);
    }
  }
  return result;
}

// Memory for `elements` of a datatype, with a margin on both sides that must not change. The bytes
// depend on `seed`.
class Memory {
 public:
  Memory(MPI_Datatype type, std::int64_t elements, int seed) {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const MPI_Aint last = elements > 0 ? (elements - 1) * extent : 0;
    const MPI_Aint first_byte = std::min<MPI_Aint>(true_lower + std::min<MPI_Aint>(last, 0), 0);
    const MPI_Aint end = std::max<MPI_Aint>(last, 0) + true_lower + true_extent;
    origin_ = margin - first_byte;
    bytes_.resize(origin_ + std::max<MPI_Aint>(end, 0) + margin);
    std::minstd_rand random(seed + 1);
    for (unsigned char& byte : bytes_) byte = static_cast<unsigned char>(random() >> 7);
  }

  void* address() { return bytes_.data() + origin_; }
  std::vector<unsigned char>& bytes() { return bytes_; }
  MPI_Aint origin() const { return origin_; }
  static void* element(void* address, MPI_Datatype type, std::int64_t place) {
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    return static_cast<char*>(address) + place * extent;
  }
  bool operator==(const Memory&) const = default;
  // Whether the program cannot write this memory while a call runs.
  bool is_read_only = false;
  // The position of the first difference, relative to the address.
  std::string difference(const Memory& other) const {
    const auto [here, there] = std::ranges::mismatch(bytes_, other.bytes_);
    return here == bytes_.end() ? "none"
                                : "byte " + std::to_string(here - bytes_.begin() - origin_);
  }

 private:
  static constexpr MPI_Aint margin = 64;
  std::vector<unsigned char> bytes_;
  MPI_Aint origin_;
};

// Buffers stay in host memory in its scope, for calls that the MPI library may serve.
class OnHost {
 public:
  explicit OnHost(bool wanted) : before_(is_wanted_) { is_wanted_ = is_wanted_ || wanted; }
  ~OnHost() { is_wanted_ = before_; }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;
  static bool is_wanted() { return is_wanted_; }

 private:
  static inline bool is_wanted_ = false;
  bool before_;
};

// Pages that contain a copy of some bytes, and cannot be written.
class ReadOnlyPages {
 public:
  explicit ReadOnlyPages(const std::vector<unsigned char>& bytes)
      : size_(bytes.size()),
        address_(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    std::ranges::copy(bytes, static_cast<unsigned char*>(address_));
    mprotect(address_, size_, PROT_READ);
  }
  ~ReadOnlyPages() { munmap(address_, size_); }
  ReadOnlyPages(const ReadOnlyPages&) = delete;
  ReadOnlyPages& operator=(const ReadOnlyPages&) = delete;
  void* address() const { return address_; }

 private:
  std::size_t size_;
  void* address_;
};

// A memory, or its copy on a device, or in pages that a program can only read.
class Placed {
 public:
  Placed(Memory& memory, bool on_device) : memory_(memory) {
    if (on_device)
      device_.emplace(memory.bytes().data(), memory.bytes().size());
    else if (memory.is_read_only)
      pages_.emplace(memory.bytes());
  }
  void* address() {
    void* const copy = device_ ? device_->address() : pages_ ? pages_->address() : nullptr;
    return copy == nullptr ? memory_.address() : static_cast<char*>(copy) + memory_.origin();
  }
  void read_back() {
    if (device_) device_->read(memory_.bytes().data());
  }

 private:
  Memory& memory_;
  std::optional<DeviceMemory> device_;
  std::optional<ReadOnlyPages> pages_;
};

// Calls native(send, recv), then ours(send, recv, algorithm) for every choice, each time with the
// same contents of memory. Compares every byte. Ours can only read `send`.
template <typename Native, typename Ours>
void expect_like_native(const Collective& collective, MPI_Comm comm, const Memory& send,
                        const Memory& recv, Native&& native, Ours&& ours,
                        const Travels& travels = every_travel) {
  Memory expected_send = send, expected_recv = recv;
  ASSERT_EQ(native(expected_send.address(), expected_recv.address()), MPI_SUCCESS);
  for (const std::string& choice : choices(collective, comm, travels)) {
    Memory its_send = send, its_recv = recv;
    its_send.is_read_only = true;
    // With a device, either buffer may be there. The four cases alternate and differ between ranks.
    static int turn = 0;
    const int where = has_devices() && !OnHost::is_wanted() ? (turn++ + rank_in(comm)) % 4 : 0;
    Placed from(its_send, where % 2 == 1), into(its_recv, where >= 2);
    EXPECT_EQ(ours(from.address(), into.address(), choice.c_str()), MPI_SUCCESS) << choice;
    from.read_back();
    into.read_back();
    EXPECT_EQ(its_send.difference(send), "none") << choice << " wrote to the send buffer";
    EXPECT_TRUE(its_recv == expected_recv)
        << choice << " differs from native, first in " << its_recv.difference(expected_recv);
  }
}

// Blocks with given numbers of elements, in descending order of ranks and with gaps between them.
// The block of rank 1 comes last.
struct Irregular {
  explicit Irregular(std::vector<int> of_blocks) : counts(std::move(of_blocks)) {
    const auto p = static_cast<int>(counts.size());
    displacements.resize(p);
    const auto place = [&](int rank) {
      displacements[rank] = static_cast<int>(elements) + gap;
      elements += counts[rank] + gap;
    };
    for (int rank = p - 1; rank >= 0; --rank)
      if (rank != 1) place(rank);
    if (p > 1) place(1);
  }

  static constexpr int gap = 2;
  std::vector<int> counts, displacements;
  std::int64_t elements = 0;
};

inline OwnedDatatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return OwnedDatatype(type);
}

// The datatypes of a block at its sender and at its receiver; their signatures are equal.
struct TypeCase {
  std::string name;
  int sendcount;
  MPI_Datatype sendtype;
  int recvcount;
  MPI_Datatype recvtype;
};

// Every kind of datatype, with itself and with others of the same signature.
class TypeCases {
 public:
  TypeCases();
  // All of them in jobs of up to four ranks, and if TOCCATA_TEST_LONG is set. Otherwise a third,
  // and the next test uses the next third: with every algorithm and travel setting, all take half
  // of the job.
  static TypeCases for_this_job();
  auto begin() const { return cases_.begin(); }
  auto end() const { return cases_.end(); }

 private:
  MPI_Datatype keep(MPI_Datatype made) { return owned_.emplace_back(committed(made)).get(); }
  std::vector<OwnedDatatype> owned_;
  std::vector<TypeCase> cases_;
};

// Integers that identify the sender and the call.
struct Numbers {
  int count;
  int call;

  int value(int rank, int i) const { return 100000 * (call + 1) + 1000 * rank + i; }
  std::vector<int> of(int rank) const {
    std::vector<int> result(count);
    for (int i = 0; i < count; ++i) result[i] = value(rank, i);
    return result;
  }
  // The expected result of an allgather.
  std::vector<int> of_all(int p) const {
    std::vector<int> result;
    for (int rank = 0; rank < p; ++rank)
      for (int i = 0; i < count; ++i) result.push_back(value(rank, i));
    return result;
  }
};

// Runs a blocking allgather and checks the result.
inline void expect_allgather_works(MPI_Comm comm, const char* algorithm, Numbers numbers = {3, 0}) {
  const int p = size_of(comm);
  const std::vector<int> mine = numbers.of(rank_in(comm));
  std::vector<int> all(std::size_t(numbers.count) * p, -1);
  EXPECT_EQ(toccata_allgather(mine.data(), numbers.count, MPI_INT, all.data(), numbers.count,
                              MPI_INT, comm, algorithm),
            MPI_SUCCESS);
  EXPECT_EQ(all, numbers.of_all(p)) << algorithm << " among " << p;
}

}  // namespace toccata::test
