// Compares alltoallv and alltoallw with the native ones: every algorithm, every kind of datatype,
// blocks of different sizes. A SizedExecution runs the algorithms for equal blocks here.

#include <fstream>
#include <functional>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

#include "support.h"

namespace toccata::test {
namespace {

// How often rank `from` sends the elements of the types to rank `to`.
using Times = std::function<int(int from, int to)>;

// Counts of all peers.
std::vector<int> counts_of(int p, int elements, const auto& times_of_peer) {
  std::vector<int> result(p);
  for (int peer = 0; peer < p; ++peer) result[peer] = elements * times_of_peer(peer);
  return result;
}

void expect_alltoallv(MPI_Comm comm, const TypeCase& types, const std::string& what,
                      const Times& times, bool in_place) {
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
  for (const TypeCase& types : TypeCases::for_this_job())
    expect_alltoallv(
        MPI_COMM_WORLD, types, "mixed", [](int from, int to) { return (from + 2 * to) % 3; },
        false);
}

TEST(Alltoallv, EveryDatatypeInPlace) {
  for (const TypeCase& types : TypeCases::for_this_job())
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

// Random numbers from 0 to `most`, the same on every rank.
Times random_times(int seed, int most) {
  return [seed, most](int from, int to) {
    std::minstd_rand random(1 + seed + 1000 * from + 1000000 * to);
    random.discard(3);
    return random() % 3 == 0 ? 0 : static_cast<int>(random() % (most + 1));
  };
}

// Three lengths of messages: short data travel together with their sizes. Longer data follow the
// sizes packed, and the longest with a derived datatype.
TEST(Alltoallv, RandomLoads) {
  const TypeCase integers{"integers", 1, MPI_INT, 1, MPI_INT};
  const auto few = random_times(1, 20), some = random_times(2, 2000), many = random_times(3, 20000);
  expect_alltoallv(MPI_COMM_WORLD, integers, "few", few, false);
  expect_alltoallv(MPI_COMM_WORLD, integers, "some", some, false);
  expect_alltoallv(MPI_COMM_WORLD, integers, "many", many, false);
  const TypeCases all;
  for (const TypeCase& types : all)
    if (types.name == "vectors to integers" || types.name == "records with holes to dense ones")
      expect_alltoallv(MPI_COMM_WORLD, types, "some", some, false);
}

TEST(Alltoallv, RandomLoadsInPlace) {
  const TypeCase integers{"integers", 1, MPI_INT, 1, MPI_INT};
  const auto some = random_times(4, 2000);
  expect_alltoallv(
      MPI_COMM_WORLD, integers, "some",
      [&](int from, int to) { return some(std::min(from, to), std::max(from, to)); }, true);
}

TEST(Alltoallv, EveryKindOfCommunicator) {
  const TypeCase integers{"integers", 3, MPI_INT, 3, MPI_INT};
  for (const MPI_Comm comm : KindsOfCommunicator())
    expect_alltoallv(
        comm, integers, "mixed", [](int from, int to) { return from % 2 + to % 3; }, false);
}

// Blocks with their own datatypes, contiguous in bytes.
struct Mixed {
  // Adds a block and returns the offset of its address.
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

// `which(from, to)` is the index of the pair's datatypes in TypeCases.
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
        if (p == 1 && !in_place)  // Open MPI 4.1 confuses displacements with extents
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
  // The types of both directions are equal, as MPI requires in place.
  expect_alltoallw(
      MPI_COMM_WORLD, [](int from, int to) { return 3 * (from + to); }, true);
}

// An exchange of ghost cells: the datatypes describe the positions of the blocks in one array. Then
// the same exchange with absolute addresses.
TEST(Alltoallw, OneArrayForBoth) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const std::vector<int> ones(p, 1), zeros(p, 0);
  std::vector<int> array(2 * p);
  for (void* const base : {static_cast<void*>(array.data()), MPI_BOTTOM}) {
    MPI_Aint origin = 0;
    if (base != MPI_BOTTOM) PMPI_Get_address(base, &origin);
    std::vector<OwnedDatatype> owned;
    const auto place_of = [&](int i) {
      MPI_Aint place;
      PMPI_Get_address(&array[i], &place);
      place -= origin;
      MPI_Datatype made;
      MPI_Type_create_hindexed_block(1, 1, &place, MPI_INT, &made);
      return owned.emplace_back(committed(made)).get();
    };
    std::vector<MPI_Datatype> out, in;
    for (int i = 0; i < p; ++i) out.push_back(place_of(i));
    for (int i = 0; i < p; ++i) in.push_back(place_of(p + i));
    for (const std::string& choice : choices(alltoallv, MPI_COMM_WORLD)) {
      for (int i = 0; i < p; ++i) array[i] = 100 * rank + i, array[p + i] = -1;
      EXPECT_EQ(toccata_alltoallw(base, ones.data(), zeros.data(), out.data(), base, ones.data(),
                                  zeros.data(), in.data(), MPI_COMM_WORLD, choice.c_str()),
                MPI_SUCCESS);
      for (int i = 0; i < p; ++i)
        EXPECT_EQ(array[p + i], 100 * i + rank)
            << choice << (base == MPI_BOTTOM ? ", absolute" : "") << ", from rank " << i;
    }
  }
}

TEST(Alltoallw, NullDatatypesWhereThereIsNothing) {
  const int p = size_of(MPI_COMM_WORLD);
  std::vector<int> none(p, 0);
  std::vector<MPI_Datatype> null(p, MPI_DATATYPE_NULL);
  for (const std::string& choice : choices(alltoallv, MPI_COMM_WORLD))
    EXPECT_EQ(
        toccata_alltoallw(none.data(), none.data(), none.data(), null.data(), none.data(),
                          none.data(), none.data(), null.data(), MPI_COMM_WORLD, choice.c_str()),
        MPI_SUCCESS)
        << choice;
}

// A receive buffer may be larger than its message; if it is smaller, the call fails. MPICH is
// excluded: if a request ends before the wait, it raises the error on a communicator with fatal
// errors.
TEST(Alltoallv, RoomForMoreAndForLess) {
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  const OwnedComm returning = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  std::vector<int> places(p), mine(3 * p), ones(p, 1), threes(p, 3);
  for (int peer = 0; peer < p; ++peer) places[peer] = 3 * peer;
  std::ranges::fill(mine, 100 + rank);
  for (const std::string& choice : choices(alltoall, MPI_COMM_WORLD)) {
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

// The integers of one call, in all forms and with several calls open. Each rank sends `times` of
// them to each rank.
class Uneven {
 public:
  Uneven(const Times& times, int rank, int p)
      : rank_(rank),
        from_(counts_of(p, 1, [&](int peer) { return times(rank, peer); })),
        into_(counts_of(p, 1, [&](int peer) { return times(peer, rank); })),
        sent_(from_.elements),
        received_(into_.elements) {}

  void ready(int call) {
    each(from_, [&](int peer, int i, int place) { sent_[place] = value(call, rank_, peer, i); });
    std::ranges::fill(received_, -1);
  }
  void expect_right(int call, const std::string& choice) const {
    each(into_, [&](int peer, int i, int place) {
      ASSERT_EQ(received_[place], value(call, peer, rank_, i)) << choice << " from " << peer;
    });
  }
  template <typename Function, typename... More>
  int pass(Function function, More... more) {
    return function(sent_.data(), from_.counts.data(), from_.displacements.data(), MPI_INT,
                    received_.data(), into_.counts.data(), into_.displacements.data(), MPI_INT,
                    MPI_COMM_WORLD, more...);
  }

 private:
  static int value(int call, int from, int to, int i) {
    return 1000000 * call + 100000 * from + 10000 * to + i % 10000;
  }
  template <typename Visit>
  static void each(const Irregular& side, Visit&& visit) {
    for (std::size_t peer = 0; peer < side.counts.size(); ++peer)
      for (int i = 0; i < side.counts[peer]; ++i)
        visit(static_cast<int>(peer), i, side.displacements[peer] + i);
  }

  int rank_;
  Irregular from_, into_;
  std::vector<int> sent_, received_;
};

TEST(AlltoallvRequests, RandomLoadsAllAtOnce) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  std::vector<Uneven> calls;
  for (const int most : {0, 10, 1500, 18000}) calls.emplace_back(random_times(most, most), rank, p);
  const auto n = static_cast<int>(calls.size());
  std::vector<toccata_request> requests(n);
  const auto expect_right = [&](int call, const std::string& choice) {
    for (const Uneven& each : calls) each.expect_right(call, choice);
  };
  for (const std::string& choice : choices(alltoallv, MPI_COMM_WORLD)) {
    for (int i = 0; i < n; ++i) {
      calls[i].ready(0);
      EXPECT_EQ(calls[i].pass(toccata_ialltoallv, choice.c_str(), &requests[i]), MPI_SUCCESS);
    }
    EXPECT_EQ(toccata_waitall(n, requests.data()), MPI_SUCCESS);
    expect_right(0, choice);

    for (int i = 0; i < n; ++i)
      EXPECT_EQ(calls[i].pass(toccata_alltoallv_init, MPI_INFO_NULL, choice.c_str(), &requests[i]),
                MPI_SUCCESS);
    for (int start = 1; start <= 2; ++start) {
      for (Uneven& each : calls) each.ready(start);
      // Ranks may start the requests in different orders, with a blocking call in between.
      for (int i = 0; i < n; ++i) toccata_start(&requests[(i + rank) % n]);
      if (start == 2) {
        Uneven between(random_times(7, 1200), rank, p);
        between.ready(3);
        EXPECT_EQ(between.pass(toccata_alltoallv, choice.c_str()), MPI_SUCCESS);
        between.expect_right(3, choice);
      }
      EXPECT_EQ(toccata_waitall(n, requests.data()), MPI_SUCCESS);
      expect_right(start, choice);
    }
    for (toccata_request& each : requests) toccata_request_free(&each);
  }
}

// Limits this process to `more` bytes in addition to its present memory.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + more;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_;
};

// No rank waits forever if one rank has no memory for the blocks that it forwards.
TEST(Alltoallv, LackOfMemoryIsAnErrorAtTheEnd) {
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  constexpr int elements = 16 << 20;
  if (p < 2) GTEST_SKIP() << "needs at least two ranks";
  const OwnedComm returning = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  // Only rank 0 sends, and the last rank has no memory.
  const std::vector<char> mine(elements, 'm');
  std::vector<int> none(p, 0), places(p, 0), all(p, elements);
  std::vector<int> from_first(p, 0);
  from_first[0] = elements;
  for (const char* algorithm : {"bruck", "bruck_zero_copy"}) {
    std::vector<char> got(elements);
    int code;
    {
      std::optional<MemoryLimit> limit;
      if (rank == p - 1) limit.emplace(elements / 2);
      code = toccata_alltoallv(mine.data(), rank == 0 ? all.data() : none.data(), places.data(),
                               MPI_CHAR, got.data(), from_first.data(), places.data(), MPI_CHAR,
                               returning, algorithm);
    }
    // Every rank that depends on the last rank's forwarding fails as well; the other ranks have
    // their data.
    if (rank == 0 || code == MPI_SUCCESS) {
      EXPECT_EQ(code, MPI_SUCCESS) << algorithm;
      EXPECT_TRUE(got == mine) << algorithm;
    }
    if (rank == p - 1 || code != MPI_SUCCESS) {
      EXPECT_EQ(error_class(code), MPI_ERR_NO_MEM) << algorithm;
    }
    MPI_Barrier(returning);
  }
}

}  // namespace
}  // namespace toccata::test
