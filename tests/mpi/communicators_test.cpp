// The lifetime of the state of a communicator.

#include "mpi/call/functions.h"
#include "mpi/call/repeats.h"
#include "support.h"

namespace toccata::test {
namespace {

#ifdef OPEN_MPI
constexpr int many = 3000;
#else
constexpr int many = 200;
#endif

// Every MPI has a limited number of contexts, for example 2048 in MPICH. If the library leaked its
// duplicates, this test would fail.
TEST(Communicators, ManyComeAndGo) {
  for (int i = 0; i < many; ++i) {
    const OwnedComm comm = duplicate(MPI_COMM_WORLD);
    expect_allgather_works(comm, i % 2 == 0 ? "sparbit" : "ring", {1, i % 100});
  }
}

// Repeated calls find their state by the handle. This must end as soon as the handle may belong to
// another communicator.
TEST(Communicators, RepeatedCallsAreRememberedNoLongerThanTheHandleHolds) {
  int in = 1, out = 0;
  const auto signature = [](MPI_Comm comm) {
    return toccata::signatures::allreduce(nullptr, nullptr, 1, MPI_INT, MPI_SUM, comm);
  };
  MPI_Comm last = MPI_COMM_NULL;
  for (int i = 0; i < 5; ++i) {
    OwnedComm comm = duplicate(MPI_COMM_WORLD);
    EXPECT_FALSE(Repeats::is_one_more(signature(comm)))
        << "a new communicator, perhaps with an old handle";
    for (int call = 0; call < 3; ++call) {
      ASSERT_EQ(toccata_allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm, nullptr), MPI_SUCCESS);
      EXPECT_EQ(out, size_of(comm));
    }
    EXPECT_TRUE(Repeats::is_one_more(signature(comm)));
    Signature other = signature(comm);
    other.received = 2;
    EXPECT_FALSE(Repeats::is_one_more(other));
    last = comm;
    comm.free();
    EXPECT_FALSE(Repeats::is_one_more(signature(last)));
  }
}

// MPI may reuse the handle of a freed datatype, so calls with derived datatypes are never
// remembered.
TEST(Communicators, RepeatedCallsOfDerivedDatatypesAreLookedAt) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int data[2] = {1, 2};
  for (int call = 0; call < 3; ++call)
    ASSERT_EQ(toccata_bcast(data, 1, pair, 0, comm, nullptr), MPI_SUCCESS);
  EXPECT_FALSE(Repeats::is_one_more(toccata::signatures::bcast(nullptr, 1, pair, 0, comm)));
  MPI_Type_free(&pair);
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

// The request keeps everything that it needs.
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

// The duplicate of a communicator does not inherit the library's state.
TEST(Communicators, DuplicatesAreTheirOwn) {
  OwnedComm first = duplicate(MPI_COMM_WORLD);
  expect_allgather_works(first, "ring");
  const OwnedComm second = duplicate(first);
  expect_allgather_works(second, "ring");
  first.free();
  expect_allgather_works(second, "sparbit");
}

// Two halves of the world, with the numbers of their ranks in the world.
struct Halves {
  Halves() : low(rank_in(MPI_COMM_WORLD) < size_of(MPI_COMM_WORLD) / 2) {
    const int p = size_of(MPI_COMM_WORLD);
    const OwnedComm half = split(MPI_COMM_WORLD, low ? 0 : 1, rank_in(MPI_COMM_WORLD));
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? p / 2 : 0, 0, &inter);
    others = p - size_of(half);
    first_other = low ? p / 2 : 0;
  }
  Halves(const Halves&) = delete;
  ~Halves() { MPI_Comm_free(&inter); }

  bool low;
  MPI_Comm inter;
  int others, first_other;
};

TEST(Communicators, IntercommunicatorsAreTheMpiLibrarys) {
  const int rank = rank_in(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) GTEST_SKIP() << "needs two groups";
  const Halves halves;
  const int others = halves.others;
  const MPI_Comm inter = halves.inter;
  const auto expect_others = [&](const std::vector<int>& all) {
    for (int r = 0; r < others; ++r) EXPECT_EQ(all[r], halves.first_other + r);
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

TEST(Communicators, AlltoallBetweenGroupsIsTheMpiLibrarys) {
  const int rank = rank_in(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) GTEST_SKIP() << "needs two groups";
  const Halves halves;
  const int others = halves.others;
  const MPI_Comm inter = halves.inter;
  std::vector<int> mine(others), ones(others, 1), places(others), byte_places(others);
  for (int r = 0; r < others; ++r) {
    mine[r] = 100 * rank + halves.first_other + r;
    byte_places[r] = 4 * (places[r] = r);
  }
  const std::vector<MPI_Datatype> integers(others, MPI_INT);
  const auto expect_right = [&](auto call) {
    std::vector<int> got(others, -1);
    EXPECT_EQ(call(got.data()), MPI_SUCCESS);
    for (int r = 0; r < others; ++r) EXPECT_EQ(got[r], 100 * (halves.first_other + r) + rank);
  };
  expect_right([&](int* got) {
    return toccata_alltoall(mine.data(), 1, MPI_INT, got, 1, MPI_INT, inter, "bruck");
  });
  expect_right([&](int* got) {
    return toccata_alltoallv(mine.data(), ones.data(), places.data(), MPI_INT, got, ones.data(),
                             places.data(), MPI_INT, inter, "bruck");
  });
  expect_right([&](int* got) {
    return toccata_alltoallw(mine.data(), ones.data(), byte_places.data(), integers.data(), got,
                             ones.data(), byte_places.data(), integers.data(), inter, "pairwise");
  });
  expect_right([&](int* got) {
    toccata_request request;
    const int code =
        toccata_ialltoallv(mine.data(), ones.data(), places.data(), MPI_INT, got, ones.data(),
                           places.data(), MPI_INT, inter, "bruck", &request);
    return code == MPI_SUCCESS ? toccata_wait(&request) : code;
  });
  expect_right([&](int* got) {
    toccata_request request;
    int code = toccata_alltoallw_init(mine.data(), ones.data(), byte_places.data(), integers.data(),
                                      got, ones.data(), byte_places.data(), integers.data(), inter,
                                      MPI_INFO_NULL, "pairwise", &request);
    for (int time = 0; time < 2 && code == MPI_SUCCESS; ++time) {
      code = toccata_start(&request);
      if (code == MPI_SUCCESS) code = toccata_wait(&request);
    }
    toccata_request_free(&request);
    return code;
  });
}

}  // namespace
}  // namespace toccata::test
