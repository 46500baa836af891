// Compares gather and gatherv with the native ones: every algorithm and travel setting, every kind
// of datatype, every root.

#include "rooted.h"

namespace toccata::test {
namespace {

// On each rank, arguments that MPI ignores are invalid.
void expect_gather(MPI_Comm comm, const TypeCase& types, int root, bool in_place,
                   const Travels& travels) {
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

// Rank r contributes the elements of the types r % 3 times.
void expect_gatherv(MPI_Comm comm, const TypeCase& types, int root, bool in_place,
                    const Travels& travels) {
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

TEST(Gather, EveryDatatype) { expect_for_every_datatype(expect_gather, expect_gatherv); }
TEST(Gather, EveryRoot) { expect_for_every_root(expect_gather, expect_gatherv); }
TEST(Gather, EveryKindOfCommunicator) {
  expect_for_every_kind_of_communicator(expect_gather, expect_gatherv);
}

}  // namespace
}  // namespace toccata::test
