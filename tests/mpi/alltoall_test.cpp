// Alltoall, alltoallv and alltoallw against the MPI library's own: every algorithm and way to
// travel, every kind of datatype.

#include "support.h"

namespace toccata::test {
namespace {

void expect_alltoall(MPI_Comm comm, const TypeCase& types, bool in_place) {
  SCOPED_TRACE(types.name + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const Memory send(types.sendtype, std::int64_t{types.sendcount} * p, rank);
  const Memory recv(types.recvtype, std::int64_t{types.recvcount} * p, 1000 + rank);
  // In place, the send arguments mean nothing.
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
  for (const TypeCase& types : TypeCases()) expect_alltoall(MPI_COMM_WORLD, types, false);
}

TEST(Alltoall, EveryDatatypeInPlace) {
  for (const TypeCase& types : TypeCases()) expect_alltoall(MPI_COMM_WORLD, types, true);
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

// A rank's number of blocks is the radix, and one more than it can be.
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

// How often rank `from` sends to rank `to` what the types say.
using Times = int (*)(int from, int to);

// Counts of all peers.
std::vector<int> counts_of(int p, int elements, const auto& times_of_peer) {
  std::vector<int> result(p);
  for (int peer = 0; peer < p; ++peer) result[peer] = elements * times_of_peer(peer);
  return result;
}

void expect_alltoallv(MPI_Comm comm, const TypeCase& types, const std::string& what, Times times,
                      bool in_place) {
  SCOPED_TRACE(types.name + ", " + what + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const Irregular from(counts_of(p, types.sendcount, [&](int peer) { return times(rank, peer); }));
  const Irregular into(counts_of(p, types.recvcount, [&](int peer) { return times(peer, rank); }));
  const Memory send(types.sendtype, from.elements, rank);
  const Memory recv(types.recvtype, into.elements, 1000 + rank);
  const auto call = [&](auto function, void* source, void* target, auto... algorithm) {
    if (in_place)
      return function(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, target, into.counts.data(),
                      into.displacements.data(), types.recvtype, comm, algorithm...);
    return function(source, from.counts.data(), from.displacements.data(), types.sendtype, target,
                    into.counts.data(), into.displacements.data(), types.recvtype, comm,
                    algorithm...);
  };
  expect_like_native(
      alltoallv, comm, send, recv,
      [&](void* source, void* target) { return call(PMPI_Alltoallv, source, target); },
      [&](void* source, void* target, const char* algorithm) {
        return call(toccata_alltoallv, source, target, algorithm);
      });
}

TEST(Alltoallv, EveryDatatype) {
  for (const TypeCase& types : TypeCases())
    expect_alltoallv(
        MPI_COMM_WORLD, types, "mixed", [](int from, int to) { return (from + 2 * to) % 3; },
        false);
}

TEST(Alltoallv, EveryDatatypeInPlace) {
  for (const TypeCase& types : TypeCases())
    expect_alltoallv(
        MPI_COMM_WORLD, types, "mixed", [](int from, int to) { return (from + to) % 3; }, true);
}

TEST(Alltoallv, EveryDistributionOfCounts) {
  const TypeCase integers{"integers", 1, MPI_INT, 1, MPI_INT};
  struct Distribution {
    const char* name;
    Times times;
    bool symmetric;
  };
  const Distribution distributions[] = {
      {"alike", [](int, int) { return 4; }, true},
      {"nothing at all", [](int, int) { return 0; }, true},
      {"rank 0 sends nothing", [](int from, int) { return from == 0 ? 0 : 3; }, false},
      {"only rank 0 sends", [](int from, int) { return from == 0 ? 3 : 0; }, false},
      {"only to rank 0", [](int, int to) { return to == 0 ? 3 : 0; }, false},
      {"only to itself", [](int from, int to) { return from == to ? 7 : 0; }, true},
      {"one large block", [](int from, int to) { return from == 0 && to == 0 ? 20000 : 1; }, true},
      {"more and more", [](int from, int to) { return 10 * from + to; }, false},
      {"far apart", [](int from, int to) { return from > to ? from - to : to - from; }, true},
  };
  for (const Distribution& each : distributions) {
    expect_alltoallv(MPI_COMM_WORLD, integers, each.name, each.times, false);
    if (each.symmetric) expect_alltoallv(MPI_COMM_WORLD, integers, each.name, each.times, true);
  }
}

// Blocks with datatypes of their own, one behind the other in bytes.
struct Mixed {
  // Adds a block and says where in it the address is.
  void add(MPI_Datatype type, int count) {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    types.push_back(type);
    counts.push_back(count);
    displacements.push_back(static_cast<int>(bytes - std::min<MPI_Aint>(true_lower, 0) + 8));
    bytes = displacements.back() + count * extent + true_lower + true_extent;
  }

  std::vector<MPI_Datatype> types;
  std::vector<int> counts, displacements;
  std::int64_t bytes = 0;
};

// `which(from, to)` is the place of the pair's datatypes in TypeCases.
void expect_alltoallw(MPI_Comm comm, int (*which)(int from, int to), bool in_place) {
  SCOPED_TRACE(in_place ? "in place" : "");
  const int rank = rank_in(comm), p = size_of(comm);
  const TypeCases all;
  const std::vector<TypeCase> cases(all.begin(), all.end());
  const auto types_of = [&](int from, int to) -> const TypeCase& {
    return cases[which(from, to) % cases.size()];
  };
  Mixed from, into;
  for (int peer = 0; peer < p; ++peer) {
    const TypeCase& sent = types_of(rank, peer);
    const TypeCase& received = types_of(peer, rank);
    from.add(sent.sendtype, sent.sendcount);
    into.add(received.recvtype, received.recvcount);
  }
  const Memory send(MPI_BYTE, from.bytes, rank);
  const Memory recv(MPI_BYTE, into.bytes, 1000 + rank);
  const auto call = [&](auto function, void* source, void* target, auto... algorithm) {
    if (in_place)
      return function(MPI_IN_PLACE, nullptr, nullptr, nullptr, target, into.counts.data(),
                      into.displacements.data(), into.types.data(), comm, algorithm...);
    return function(source, from.counts.data(), from.displacements.data(), from.types.data(),
                    target, into.counts.data(), into.displacements.data(), into.types.data(), comm,
                    algorithm...);
  };
  expect_like_native(
      alltoallv, comm, send, recv,
      [&](void* source, void* target) {
        if (p == 1 && !in_place)  // where Open MPI 4.1 takes displacements for extents
          return MPI_Sendrecv(static_cast<char*>(source) + from.displacements[0], from.counts[0],
                              from.types[0], 0, 0,
                              static_cast<char*>(target) + into.displacements[0], into.counts[0],
                              into.types[0], 0, 0, comm, MPI_STATUS_IGNORE);
        return call(PMPI_Alltoallw, source, target);
      },
      [&](void* source, void* target, const char* algorithm) {
        return call(toccata_alltoallw, source, target, algorithm);
      });
}

TEST(Alltoallw, EveryPairItsOwnDatatypes) {
  expect_alltoallw(
      MPI_COMM_WORLD, [](int from, int to) { return 5 * from + to; }, false);
  expect_alltoallw(
      MPI_COMM_WORLD, [](int from, int to) { return from + 7 * to + 11; }, false);
}

TEST(Alltoallw, EveryPairItsOwnDatatypesInPlace) {
  // Both ways alike, as in place demands.
  expect_alltoallw(
      MPI_COMM_WORLD, [](int from, int to) { return 3 * (from + to); }, true);
}

TEST(Alltoallw, NullDatatypesWhereThereIsNothing) {
  const int p = size_of(MPI_COMM_WORLD);
  std::vector<int> none(p, 0);
  std::vector<MPI_Datatype> null(p, MPI_DATATYPE_NULL);
  for (const std::string& choice : choices(alltoallv, p))
    EXPECT_EQ(
        toccata_alltoallw(none.data(), none.data(), none.data(), null.data(), none.data(),
                          none.data(), none.data(), null.data(), MPI_COMM_WORLD, choice.c_str()),
        MPI_SUCCESS)
        << choice;
}

// Starts all forms at once, with every algorithm, and three times the persistent ones.
TEST(AlltoallRequests, RunAllFormsAtOnce) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const std::vector<int> ones(p, 1), fours(p, 4);
  const std::vector<MPI_Datatype> integers(p, MPI_INT);
  std::vector<int> places(p), byte_places(p);
  for (int i = 0; i < p; ++i) byte_places[i] = 4 * (places[i] = i);
  for (const std::string& choice : choices(alltoall, p)) {
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
  const int rank = rank_in(MPI_COMM_WORLD);
  const OwnedComm halves = split(MPI_COMM_WORLD, rank % 2, rank);
  const OwnedComm reversed = split(MPI_COMM_WORLD, 0, -rank);
  for (const MPI_Comm comm : {MPI_COMM_SELF, MPI_Comm(halves), MPI_Comm(reversed)}) {
    expect_alltoall(comm, integers, false);
    expect_alltoallv(
        comm, integers, "mixed", [](int from, int to) { return from % 2 + to % 3; }, false);
  }
}

// A receiver may have room for more than comes, and is told where it has room for less. (Not by
// MPICH: of a request that has ended before it is waited for, it raises the error where it is
// fatal.)
TEST(Alltoallv, RoomForMoreAndForLess) {
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  const OwnedComm returning = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  std::vector<int> places(p), mine(3 * p), ones(p, 1), threes(p, 3);
  for (int peer = 0; peer < p; ++peer) places[peer] = 3 * peer;
  std::ranges::fill(mine, 100 + rank);
  for (const std::string& choice : choices(alltoall, p)) {
    std::vector<int> all(3 * p, -1), expected(3 * p, -1);
    for (int peer = 0; peer < p; ++peer) expected[3 * peer] = 100 + peer;
    EXPECT_EQ(toccata_alltoallv(mine.data(), ones.data(), places.data(), MPI_INT, all.data(),
                                threes.data(), places.data(), MPI_INT, returning, choice.c_str()),
              MPI_SUCCESS);
    EXPECT_EQ(all, expected) << choice;
#ifdef OPEN_MPI
    EXPECT_EQ(error_class(toccata_alltoallv(mine.data(), threes.data(), places.data(), MPI_INT,
                                            all.data(), ones.data(), places.data(), MPI_INT,
                                            returning, choice.c_str())),
              MPI_ERR_TRUNCATE)
        << choice;
#endif
  }
}

}  // namespace
}  // namespace toccata::test
