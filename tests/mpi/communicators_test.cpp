// The life of what hangs on a communicator.

#include "support.h"

namespace toccata::test {
namespace {

#ifdef OPEN_MPI
constexpr int many = 3000;
#else
constexpr int many = 200;
#endif

// Every MPI has a limited number of contexts, 2048 in MPICH: a leak of our duplicates would show.
TEST(Communicators, ManyComeAndGo) {
  for (int i = 0; i < many; ++i) {
    const OwnedComm comm = duplicate(MPI_COMM_WORLD);
    expect_allgather_works(comm, i % 2 == 0 ? "sparbit" : "ring", {1, i % 100});
  }
}

TEST(Communicators, ManyComeAndGoWithRequests) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  for (int i = 0; i < many / 10; ++i) {
    const OwnedComm comm = duplicate(MPI_COMM_WORLD);
    std::vector<int> all(p);
    toccata_request request;
    toccata_iallgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm, "ring", &request);
    toccata_wait(&request);
    for (int r = 0; r < p; ++r) EXPECT_EQ(all[r], r);
  }
}

// The request holds on to all it needs.
TEST(Communicators, FreedWhileARequestIsUnderWay) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  for (const bool used_before : {true, false})
    for (int i = 0; i < 10; ++i) {
      SCOPED_TRACE(used_before ? "used before" : "fresh");
      OwnedComm comm = duplicate(MPI_COMM_WORLD);
      if (used_before) expect_allgather_works(comm, "ring");
      std::vector<int> all(p, -1);
      toccata_request request;
      EXPECT_EQ(
          toccata_iallgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm, "ring", &request),
          MPI_SUCCESS);
      comm.free();
      EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
      for (int r = 0; r < p; ++r) EXPECT_EQ(all[r], r);
    }
}

TEST(Communicators, FreedWhileAPersistentRequestIsInactive) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  OwnedComm comm = duplicate(MPI_COMM_WORLD);
  std::vector<int> all(p);
  toccata_request request;
  toccata_allgather_init(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm, MPI_INFO_NULL, "bruck",
                         &request);
  comm.free();
  EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
}

// A communicator's duplicate does not inherit what we keep for it.
TEST(Communicators, DuplicatesAreTheirOwn) {
  OwnedComm first = duplicate(MPI_COMM_WORLD);
  expect_allgather_works(first, "ring");
  const OwnedComm second = duplicate(first);
  expect_allgather_works(second, "ring");
  first.free();
  expect_allgather_works(second, "sparbit");
}

TEST(Communicators, IntercommunicatorsAreTheMpiLibrarys) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  if (p < 2) GTEST_SKIP() << "needs two groups";
  const bool low = rank < p / 2;
  const OwnedComm half = split(MPI_COMM_WORLD, low ? 0 : 1, rank);
  MPI_Comm made;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? p / 2 : 0, 0, &made);
  const OwnedComm inter(made);
  const int others = p - size_of(half), first_other = low ? p / 2 : 0;
  const auto expect_others = [&](const std::vector<int>& all) {
    for (int r = 0; r < others; ++r) EXPECT_EQ(all[r], first_other + r);
  };
  std::vector<int> all(others), counts(others, 1), displacements(others);
  for (int r = 0; r < others; ++r) displacements[r] = r;
  EXPECT_EQ(toccata_allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, inter, "ring"),
            MPI_SUCCESS);
  expect_others(all);
  EXPECT_EQ(toccata_allgatherv(&rank, 1, MPI_INT, all.data(), counts.data(), displacements.data(),
                               MPI_INT, inter, "sparbit"),
            MPI_SUCCESS);
  expect_others(all);
  toccata_request request;
  EXPECT_EQ(toccata_iallgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, inter, "ring", &request),
            MPI_SUCCESS);
  EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
  expect_others(all);
}

}  // namespace
}  // namespace toccata::test
