// Compares allgather and allgatherv with the native ones: every algorithm and travel setting, every
// kind of datatype, every kind of communicator.

#include "support.h"

namespace toccata::test {
namespace {

void expect_allgather(MPI_Comm comm, const TypeCase& types, bool in_place) {
  SCOPED_TRACE(types.name + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const Memory send(types.sendtype, types.sendcount, rank);
  const Memory recv(types.recvtype, std::int64_t{types.recvcount} * p, 1000 + rank);
  // In place, MPI ignores the send arguments.
  const int sendcount = in_place ? -1 : types.sendcount;
  const MPI_Datatype sendtype = in_place ? MPI_DATATYPE_NULL : types.sendtype;
  expect_like_native(
      allgather, comm, send, recv,
      [&](void* from, void* into) {
        return PMPI_Allgather(in_place ? MPI_IN_PLACE : from, in_place ? 0 : sendcount, sendtype,
                              into, types.recvcount, types.recvtype, comm);
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_allgather(in_place ? MPI_IN_PLACE : from, sendcount, sendtype, into,
                                 types.recvcount, types.recvtype, comm, algorithm);
      });
}

// Rank r contributes `times[r]` times the elements of the types.
void expect_allgatherv(MPI_Comm comm, const TypeCase& types, const std::vector<int>& times,
                       bool in_place) {
  SCOPED_TRACE(types.name + (in_place ? ", in place" : "") + ", times " +
               testing::PrintToString(times));
  const int rank = rank_in(comm);
  std::vector<int> recvcounts;
  for (const int each : times) recvcounts.push_back(each * types.recvcount);
  const Irregular layout(recvcounts);
  const Memory send(types.sendtype, std::int64_t{types.sendcount} * times[rank], rank);
  const Memory recv(types.recvtype, layout.elements, 1000 + rank);
  const int sendcount = in_place ? -1 : types.sendcount * times[rank];
  const MPI_Datatype sendtype = in_place ? MPI_DATATYPE_NULL : types.sendtype;
  expect_like_native(
      allgather, comm, send, recv,
      [&](void* from, void* into) {
        if (size_of(comm) == 1 && !in_place)  // MPICH 4.0 ignores the displacement here
          return MPI_Sendrecv(from, sendcount, sendtype, 0, 0,
                              Memory::element(into, types.recvtype, layout.displacements[0]),
                              layout.counts[0], types.recvtype, 0, 0, comm, MPI_STATUS_IGNORE);
        return PMPI_Allgatherv(in_place ? MPI_IN_PLACE : from, in_place ? 0 : sendcount, sendtype,
                               into, layout.counts.data(), layout.displacements.data(),
                               types.recvtype, comm);
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_allgatherv(in_place ? MPI_IN_PLACE : from, sendcount, sendtype, into,
                                  layout.counts.data(), layout.displacements.data(), types.recvtype,
                                  comm, algorithm);
      });
}

std::vector<int> times(int p, std::vector<int> pattern) {
  std::vector<int> result(p);
  for (int rank = 0; rank < p; ++rank) result[rank] = pattern[rank % pattern.size()];
  return result;
}

TEST(Allgather, EveryDatatype) {
  for (const TypeCase& types : TypeCases::for_this_job())
    expect_allgather(MPI_COMM_WORLD, types, false);
}

TEST(Allgather, EveryDatatypeInPlace) {
  for (const TypeCase& types : TypeCases::for_this_job())
    expect_allgather(MPI_COMM_WORLD, types, true);
}

TEST(Allgatherv, EveryDatatype) {
  const int p = size_of(MPI_COMM_WORLD);
  for (const TypeCase& types : TypeCases::for_this_job())
    expect_allgatherv(MPI_COMM_WORLD, types, times(p, {1, 2, 0}), false);
}

TEST(Allgatherv, EveryDatatypeInPlace) {
  const int p = size_of(MPI_COMM_WORLD);
  for (const TypeCase& types : TypeCases::for_this_job())
    expect_allgatherv(MPI_COMM_WORLD, types, times(p, {3, 0, 1}), true);
}

TEST(Allgatherv, EveryDistributionOfCounts) {
  const int p = size_of(MPI_COMM_WORLD);
  const TypeCase integers{"integers", 1, MPI_INT, 1, MPI_INT};
  std::vector<int> one_has_all(p, 0), all_but_one(p, 5);
  one_has_all[p / 2] = 1000;
  all_but_one[p - 1] = 0;
  for (const auto& each : {times(p, {4}), times(p, {0}), times(p, {0, 7, 1}), times(p, {9000, 1}),
                           one_has_all, all_but_one}) {
    expect_allgatherv(MPI_COMM_WORLD, integers, each, false);
    expect_allgatherv(MPI_COMM_WORLD, integers, each, true);
  }
}

// The vector form with the layout of the regular form.
TEST(Allgatherv, BlocksSideBySide) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const Numbers numbers{3, 0};
  std::vector<int> counts(p, 3), displacements(p);
  for (int i = 0; i < p; ++i) displacements[i] = 3 * i;
  const std::vector<int> mine = numbers.of(rank);
  for (const std::string& choice : choices(allgather, MPI_COMM_WORLD)) {
    std::vector<int> all(3 * p);
    EXPECT_EQ(toccata_allgatherv(mine.data(), 3, MPI_INT, all.data(), counts.data(),
                                 displacements.data(), MPI_INT, MPI_COMM_WORLD, choice.c_str()),
              MPI_SUCCESS);
    EXPECT_EQ(all, numbers.of_all(p)) << choice;
  }
}

// Ranks may use different datatypes if the signatures are equal.
TEST(Allgather, EveryRankItsOwnDatatypes) {
  const TypeCases all;
  std::vector<TypeCase> six_integers{{"integers", 6, MPI_INT, 6, MPI_INT}};
  for (const TypeCase& types : all)
    if (types.name == "vectors" || types.name == "vectors to integers")
      six_integers.push_back(types);
  for (std::size_t shift = 0; shift < six_integers.size(); ++shift)
    expect_allgather(MPI_COMM_WORLD,
                     six_integers[(rank_in(MPI_COMM_WORLD) + shift) % six_integers.size()], false);
}

void expect_works_on(MPI_Comm comm, const char* kind) {
  SCOPED_TRACE(kind);
  const TypeCases all;
  const int p = size_of(comm);
  for (const TypeCase& types : all) {
    if (types.name != "doubles" && types.name != "vectors to integers") continue;
    expect_allgather(comm, types, false);
    expect_allgatherv(comm, types, times(p, {2, 1, 0, 1}), false);
  }
}

// No data, expressed differently by each rank: no elements, or many elements without data.
TEST(Allgather, NothingInManyWords) {
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  const bool few = rank_in(MPI_COMM_WORLD) % 2 == 0;
  const MPI_Datatype type = few ? MPI_INT : nothing;
  const int count = few ? 0 : 3;
  int mine = 7, all = 8;
  for (const std::string& choice : choices(allgather, MPI_COMM_WORLD)) {
    EXPECT_EQ(
        toccata_allgather(&mine, count, type, &all, count, type, MPI_COMM_WORLD, choice.c_str()),
        MPI_SUCCESS);
    expect_allgather_works(MPI_COMM_WORLD, choice.c_str());
  }
  EXPECT_EQ(all, 8);
  MPI_Type_free(&nothing);
}

TEST(Allgather, EveryKindOfCommunicator) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  expect_works_on(MPI_COMM_SELF, "self");
  expect_works_on(duplicate(MPI_COMM_WORLD), "duplicate");
  expect_works_on(split(MPI_COMM_WORLD, rank % 2, rank), "even and odd ranks");
  expect_works_on(split(MPI_COMM_WORLD, 0, -rank), "reversed");
  expect_works_on(split(MPI_COMM_WORLD, 0, (rank * 5 + 3) % p), "shuffled");

  int dimensions[2] = {0, 0}, periodic[2] = {1, 0};
  MPI_Dims_create(p, 2, dimensions);
  MPI_Comm grid, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periodic, 1, &grid);
  const OwnedComm owned_grid(grid);
  expect_works_on(grid, "grid");
  int remain[2] = {0, 1};
  MPI_Cart_sub(grid, remain, &row);
  const OwnedComm owned_row(row);
  expect_works_on(row, "row of a grid");
}

}  // namespace
}  // namespace toccata::test
