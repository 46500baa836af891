// Offsets and counts that an int cannot hold. The blocks lie far apart in a region of which few
// pages are used, so little memory is needed.

#include <sys/mman.h>

#include "support.h"

namespace toccata::test {
namespace {

class SparseMemory {
 public:
  explicit SparseMemory(std::int64_t bytes)
      : bytes_(bytes),
        address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  SparseMemory(const SparseMemory&) = delete;
  ~SparseMemory() {
    if (there()) munmap(address_, bytes_);
  }
  bool there() const { return address_ != MAP_FAILED; }
  void* address() { return address_; }
  int& at(std::int64_t offset) {
    return *reinterpret_cast<int*>(static_cast<char*>(address_) + offset);
  }

 private:
  std::int64_t bytes_;
  void* address_;
};

constexpr std::int64_t gibi = std::int64_t{1} << 30;

#define NEED(memory) \
  if (!(memory).there()) GTEST_SKIP() << "no address space for this"

// Integers that are a gibibyte apart, two per block.
TEST(Large, ExtentsOfAGibibyte) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  MPI_Datatype far;
  MPI_Type_create_resized(MPI_INT, 0, gibi, &far);
  const OwnedDatatype owned = committed(far);
  const Numbers numbers{2, 1};
  const std::vector<int> mine = numbers.of(rank);
  SparseMemory recv(2 * gibi * p + 4096), send(2 * gibi);
  NEED(recv);
  NEED(send);
  for (int i = 0; i < 2; ++i) send.at(i * gibi) = mine[i];

  const auto expect_right = [&](const std::string& what) {
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < 2; ++i) {
        const std::int64_t offset = (2 * r + i) * gibi;
        EXPECT_EQ(recv.at(offset), numbers.value(r, i)) << what << ", rank " << r;
        EXPECT_EQ(recv.at(offset + 4), 0) << what << ", after rank " << r;
        recv.at(offset) = r == rank ? mine[i] : 0;  // as the call in place requires
      }
  };
  for (const std::string& choice : choices(allgather, MPI_COMM_WORLD)) {
    toccata_allgather(mine.data(), 2, MPI_INT, recv.address(), 2, far, MPI_COMM_WORLD,
                      choice.c_str());
    expect_right(choice + " from integers");
    toccata_allgather(send.address(), 2, far, recv.address(), 2, far, MPI_COMM_WORLD,
                      choice.c_str());
    expect_right(choice);
    toccata_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv.address(), 2, far, MPI_COMM_WORLD,
                      choice.c_str());
    expect_right(choice + " in place");
  }
}

// The vector form, with integers at displacements of many gibibytes.
TEST(Large, Displacements) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  constexpr int apart = 200 << 20;  // elements
  const Numbers numbers{3, 2};
  const std::vector<int> mine = numbers.of(rank);
  std::vector<int> counts(p, 3), displacements(p);
  for (int r = 0; r < p; ++r) displacements[r] = (p - 1 - r) * apart;
  SparseMemory recv(4ll * apart * p);
  NEED(recv);
  for (const std::string& choice : choices(allgather, MPI_COMM_WORLD)) {
    toccata_allgatherv(mine.data(), 3, MPI_INT, recv.address(), counts.data(), displacements.data(),
                       MPI_INT, MPI_COMM_WORLD, choice.c_str());
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < 3; ++i) {
        int& found = recv.at(4 * (std::int64_t{displacements[r]} + i));
        EXPECT_EQ(found, numbers.value(r, i)) << choice << ", rank " << r;
        found = 0;
      }
  }
}

// All-to-all between blocks that are a gibibyte apart, also in place.
TEST(Large, ExtentsOfAGibibyteInAlltoall) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  MPI_Datatype far;
  MPI_Type_create_resized(MPI_INT, 0, gibi, &far);
  const OwnedDatatype owned = committed(far);
  SparseMemory send(gibi * p + 4096), recv(gibi * p + 4096);
  NEED(send);
  NEED(recv);
  for (int r = 0; r < p; ++r) send.at(r * gibi) = 100 * rank + r;
  for (const std::string& choice : choices(alltoall, MPI_COMM_WORLD))
    for (const bool in_place : {false, true}) {
      for (int r = 0; r < p; ++r) recv.at(r * gibi) = in_place ? 100 * rank + r : -1;
      toccata_alltoall(in_place ? MPI_IN_PLACE : send.address(), 1, far, recv.address(), 1, far,
                       MPI_COMM_WORLD, choice.c_str());
      for (int r = 0; r < p; ++r) {
        EXPECT_EQ(recv.at(r * gibi), 100 * r + rank) << choice << ", rank " << r;
        EXPECT_EQ(recv.at(r * gibi + 4), 0) << choice << ", after rank " << r;
      }
    }
}

// The vector form, between integers at displacements of many gibibytes.
TEST(Large, DisplacementsInAlltoallv) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  constexpr int apart = 200 << 20;  // elements
  std::vector<int> counts(p, 1), displacements(p);
  for (int r = 0; r < p; ++r) displacements[r] = (p - 1 - r) * apart;
  SparseMemory send(4ll * apart * p), recv(4ll * apart * p);
  NEED(send);
  NEED(recv);
  for (int r = 0; r < p; ++r) send.at(4ll * displacements[r]) = 100 * rank + r;
  for (const std::string& choice : choices(alltoallv, MPI_COMM_WORLD)) {
    toccata_alltoallv(send.address(), counts.data(), displacements.data(), MPI_INT, recv.address(),
                      counts.data(), displacements.data(), MPI_INT, MPI_COMM_WORLD, choice.c_str());
    for (int r = 0; r < p; ++r) {
      int& found = recv.at(4ll * displacements[r]);
      EXPECT_EQ(found, 100 * r + rank) << choice << ", from rank " << r;
      found = 0;
    }
  }
}

// The total number of elements of all blocks, and their total extent, exceed an int.
TEST(Large, TotalsInAlltoallv) {
  const int p = size_of(MPI_COMM_WORLD);
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  const OwnedDatatype owned = committed(nothing);
  const std::vector<int> counts(p, 1 << 30), displacements(p, INT_MAX);
  int none[2];  // two, because MPICH rejects equal addresses
  for (const std::string& choice : choices(alltoallv, MPI_COMM_WORLD))
    EXPECT_EQ(toccata_alltoallv(none, counts.data(), displacements.data(), nothing, none + 1,
                                counts.data(), displacements.data(), nothing, MPI_COMM_WORLD,
                                choice.c_str()),
              MPI_SUCCESS)
        << choice;
}

// More elements than an int can count, but without any bytes: tests only the counting.
TEST(Large, CountsOfElementsWithoutData) {
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  const OwnedDatatype owned = committed(nothing);
  int none[2];  // as above
  for (const std::string& choice : choices(allgather, MPI_COMM_WORLD))
    EXPECT_EQ(toccata_allgather(none, 1 << 30, nothing, none + 1, 1 << 30, nothing, MPI_COMM_WORLD,
                                choice.c_str()),
              MPI_SUCCESS)
        << choice;
}

// The datatype that sends a run of more elements than an int can count.
TEST(Large, DatatypeOfALongRun) {
  const DatatypeTraits integers{MPI_INT, 4, 4, true};
  int here[2];
  for (const std::int64_t elements : {3 * gibi, 2 * gibi, 5 * gibi + 7}) {
    OwnedDatatype made;
    ASSERT_EQ(make_datatype({{reinterpret_cast<char*>(here), elements, &integers}}, made),
              MPI_SUCCESS);
    MPI_Count size, lower, extent;
    MPI_Type_size_x(made.get(), &size);
    MPI_Type_get_true_extent_x(made.get(), &lower, &extent);
    MPI_Aint place;
    MPI_Get_address(here, &place);
    EXPECT_EQ(size, 4 * elements);
    EXPECT_EQ(extent, 4 * elements);
    EXPECT_EQ(lower, place);
  }
}

}  // namespace
}  // namespace toccata::test
