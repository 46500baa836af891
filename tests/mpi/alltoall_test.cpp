// Compares alltoall with the native one: every algorithm and travel setting, every kind of
// datatype; and all forms of all-to-all at once.

#include "support.h"

namespace toccata::test {
namespace {

void expect_alltoall(MPI_Comm comm, const TypeCase& types, bool in_place) {
  SCOPED_TRACE(types.name + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const Memory send(types.sendtype, std::int64_t{types.sendcount} * p, rank);
  const Memory recv(types.recvtype, std::int64_t{types.recvcount} * p, 1000 + rank);
  // In place, MPI ignores the send arguments.
  const int sendcount = in_place ? -1 : types.sendcount;
  const MPI_Datatype sendtype = in_place ? MPI_DATATYPE_NULL : types.sendtype;
  expect_like_native(
      alltoall, comm, send, recv,
      [&](void* from, void* into) {
        return PMPI_Alltoall(in_place ? MPI_IN_PLACE : from, in_place ? 0 : sendcount, sendtype,
                             into, types.recvcount, types.recvtype, comm);
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_alltoall(in_place ? MPI_IN_PLACE : from, sendcount, sendtype, into,
                                types.recvcount, types.recvtype, comm, algorithm);
      });
}

TEST(Alltoall, EveryDatatype) {
  for (const TypeCase& types : TypeCases::for_this_job())
    expect_alltoall(MPI_COMM_WORLD, types, false);
}

TEST(Alltoall, EveryDatatypeInPlace) {
  for (const TypeCase& types : TypeCases::for_this_job())
    expect_alltoall(MPI_COMM_WORLD, types, true);
}

TEST(Alltoall, EveryRankItsOwnDatatypes) {
  std::vector<TypeCase> six_integers{{"integers", 6, MPI_INT, 6, MPI_INT}};
  const TypeCases all;
  for (const TypeCase& types : all)
    if (types.name == "vectors" || types.name == "vectors to integers")
      six_integers.push_back(types);
  for (std::size_t shift = 0; shift < six_integers.size(); ++shift)
    expect_alltoall(MPI_COMM_WORLD,
                    six_integers[(rank_in(MPI_COMM_WORLD) + shift) % six_integers.size()], false);
}

// The radix may equal the number of ranks, but a radix larger by one is invalid.
TEST(Alltoall, RadixOfAllRanks) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  std::vector<int> mine(p), got(p, -1);
  for (int i = 0; i < p; ++i) mine[i] = 100 * rank + i;
  const auto call = [&](int radix) {
    const std::string algorithm = "bruck_radix:radix=" + std::to_string(radix);
    return toccata_alltoall(mine.data(), 1, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD,
                            algorithm.c_str());
  };
  EXPECT_EQ(call(std::max(p, 2)), MPI_SUCCESS);
  for (int i = 0; i < p; ++i) EXPECT_EQ(got[i], 100 * i + rank);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQ(error_class(call(std::max(p, 2) + 1)), MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Starts all forms at once, with every algorithm. The persistent requests start three times.
TEST(AlltoallRequests, RunAllFormsAtOnce) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const std::vector<int> ones(p, 1), fours(p, 4);
  const std::vector<MPI_Datatype> integers(p, MPI_INT);
  std::vector<int> places(p), byte_places(p);
  for (int i = 0; i < p; ++i) byte_places[i] = 4 * (places[i] = i);
  for (const std::string& choice : choices(alltoall, MPI_COMM_WORLD)) {
    std::vector<int> mine(p), regular(p), vector(p), typed(p), in_place(p);
    toccata_request requests[4];
    const auto ready = [&](int call) {
      for (int i = 0; i < p; ++i) mine[i] = in_place[i] = 10000 * call + 100 * rank + i;
      for (auto* each : {&regular, &vector, &typed}) std::ranges::fill(*each, -1);
    };
    const auto expect_right = [&](int call) {
      for (int i = 0; i < p; ++i)
        for (const auto* each : {&regular, &vector, &typed, &in_place})
          EXPECT_EQ((*each)[i], 10000 * call + 100 * i + rank) << choice;
    };
    ready(0);
    const char* algorithm = choice.c_str();
    toccata_ialltoall(mine.data(), 1, MPI_INT, regular.data(), 1, MPI_INT, MPI_COMM_WORLD,
                      algorithm, &requests[0]);
    toccata_ialltoallv(mine.data(), ones.data(), places.data(), MPI_INT, vector.data(), ones.data(),
                       places.data(), MPI_INT, MPI_COMM_WORLD, algorithm, &requests[1]);
    toccata_ialltoallw(mine.data(), ones.data(), byte_places.data(), integers.data(), typed.data(),
                       ones.data(), byte_places.data(), integers.data(), MPI_COMM_WORLD, algorithm,
                       &requests[2]);
    toccata_ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in_place.data(), 1, MPI_INT,
                      MPI_COMM_WORLD, algorithm, &requests[3]);
    EXPECT_EQ(toccata_waitall(4, requests), MPI_SUCCESS);
    expect_right(0);

    toccata_alltoall_init(mine.data(), 1, MPI_INT, regular.data(), 1, MPI_INT, MPI_COMM_WORLD,
                          MPI_INFO_NULL, algorithm, &requests[0]);
    toccata_alltoallv_init(mine.data(), ones.data(), places.data(), MPI_INT, vector.data(),
                           ones.data(), places.data(), MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                           algorithm, &requests[1]);
    toccata_alltoallw_init(mine.data(), ones.data(), byte_places.data(), integers.data(),
                           typed.data(), ones.data(), byte_places.data(), integers.data(),
                           MPI_COMM_WORLD, MPI_INFO_NULL, algorithm, &requests[2]);
    toccata_alltoallv_init(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, in_place.data(),
                           ones.data(), places.data(), MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                           algorithm, &requests[3]);
    for (int start = 1; start <= 3; ++start) {
      ready(start);
      // Ranks may start them in different orders.
      for (int i = 0; i < 4; ++i) toccata_start(&requests[(i + rank) % 4]);
      EXPECT_EQ(toccata_waitall(4, requests), MPI_SUCCESS);
      expect_right(start);
    }
    for (toccata_request& each : requests) toccata_request_free(&each);
  }
}

TEST(Alltoall, EveryKindOfCommunicator) {
  const TypeCase integers{"integers", 3, MPI_INT, 3, MPI_INT};
  for (const MPI_Comm comm : KindsOfCommunicator()) {
    expect_alltoall(comm, integers, false);
  }
}

}  // namespace
}  // namespace toccata::test
