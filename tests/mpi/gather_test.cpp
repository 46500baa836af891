// Gather and gatherv against the MPI library's own: every algorithm and way to travel, every kind
// of datatype, every root.

#include "support.h"

namespace toccata::test {
namespace {

// What MPI does not want of a rank is nonsense there.
void expect_gather(MPI_Comm comm, const TypeCase& types, int root, bool in_place,
                   const Travels& travels = every_travel) {
  SCOPED_TRACE(types.name + ", root " + std::to_string(root) + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const bool at_root = rank == root;
  in_place = in_place && at_root;
  const Memory send(types.sendtype, types.sendcount, rank);
  const Memory recv(types.recvtype, at_root ? std::int64_t{types.recvcount} * p : 0, 1000 + rank);
  const int sendcount = in_place ? -1 : types.sendcount, recvcount = at_root ? types.recvcount : -1;
  const MPI_Datatype sendtype = in_place ? MPI_DATATYPE_NULL : types.sendtype;
  const MPI_Datatype recvtype = at_root ? types.recvtype : MPI_DATATYPE_NULL;
  expect_like_native(
      gather, comm, send, recv,
      [&](void* from, void* into) {
        return PMPI_Gather(in_place ? MPI_IN_PLACE : from, in_place ? 0 : sendcount, sendtype, into,
                           at_root ? recvcount : 0, recvtype, root, comm);
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_gather(in_place ? MPI_IN_PLACE : from, sendcount, sendtype,
                              at_root ? into : nullptr, recvcount, recvtype, root, comm, algorithm);
      },
      travels);
}

// Rank r contributes r % 3 times what the types say.
void expect_gatherv(MPI_Comm comm, const TypeCase& types, int root, bool in_place,
                    const Travels& travels = every_travel) {
  SCOPED_TRACE(types.name + ", root " + std::to_string(root) + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const bool at_root = rank == root;
  in_place = in_place && at_root;
  std::vector<int> counts(p);
  for (int r = 0; r < p; ++r) counts[r] = r % 3 * types.recvcount;
  const Irregular layout(counts);
  const int sendcount = in_place ? -1 : rank % 3 * types.sendcount;
  const Memory send(types.sendtype, std::max(sendcount, 0), rank);
  const Memory recv(types.recvtype, at_root ? layout.elements : 0, 1000 + rank);
  const MPI_Datatype sendtype = in_place ? MPI_DATATYPE_NULL : types.sendtype;
  const MPI_Datatype recvtype = at_root ? types.recvtype : MPI_DATATYPE_NULL;
  expect_like_native(
      gatherv, comm, send, recv,
      [&](void* from, void* into) {
        return PMPI_Gatherv(in_place ? MPI_IN_PLACE : from, in_place ? 0 : sendcount, sendtype,
                            into, layout.counts.data(), layout.displacements.data(), recvtype, root,
                            comm);
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_gatherv(in_place ? MPI_IN_PLACE : from, sendcount, sendtype,
                               at_root ? into : nullptr, at_root ? layout.counts.data() : nullptr,
                               at_root ? layout.displacements.data() : nullptr, recvtype, root,
                               comm, algorithm);
      },
      travels);
}

TEST(Gather, EveryDatatype) {
  int turn = 0;
  for (const TypeCase& types : TypeCases()) {
    const int root = turn % size_of(MPI_COMM_WORLD);
    expect_gather(MPI_COMM_WORLD, types, root, turn % 3 == 2, {every_travel[turn % 4]});
    expect_gatherv(MPI_COMM_WORLD, types, root, turn % 3 == 1, {every_travel[turn % 4]});
    ++turn;
  }
}

TEST(Gather, EveryRoot) {
  const TypeCase integers{"integers", 5, MPI_INT, 5, MPI_INT};
  for (int root = 0; root < size_of(MPI_COMM_WORLD); ++root)
    for (const bool in_place : {false, true}) {
      expect_gather(MPI_COMM_WORLD, integers, root, in_place, one_travel);
      expect_gatherv(MPI_COMM_WORLD, integers, root, in_place, one_travel);
    }
}

TEST(Gather, EveryKindOfCommunicator) {
  const TypeCase integers{"integers", 3, MPI_INT, 3, MPI_INT};
  const int rank = rank_in(MPI_COMM_WORLD);
  const OwnedComm halves = split(MPI_COMM_WORLD, rank % 2, rank);
  const OwnedComm reversed = split(MPI_COMM_WORLD, 0, -rank);
  for (const MPI_Comm comm : {MPI_COMM_SELF, MPI_Comm(halves), MPI_Comm(reversed)}) {
    expect_gather(comm, integers, size_of(comm) - 1, false);
    expect_gatherv(comm, integers, size_of(comm) - 1, false);
  }
}

}  // namespace
}  // namespace toccata::test
