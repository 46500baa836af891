// Compares scatter and scatterv with the native ones: every algorithm and travel setting, every
// kind of datatype, every root.

#include "rooted.h"

namespace toccata::test {
namespace {

// On each rank, arguments that MPI ignores are invalid.
void expect_scatter(MPI_Comm comm, const TypeCase& types, int root, bool in_place,
                    const Travels& travels) {
  SCOPED_TRACE(types.name + ", root " + std::to_string(root) + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const bool at_root = rank == root;
  in_place = in_place && at_root;
  const Memory send(types.sendtype, at_root ? std::int64_t{types.sendcount} * p : 0, rank);
  const Memory recv(types.recvtype, in_place ? 0 : types.recvcount, 1000 + rank);
  const int sendcount = at_root ? types.sendcount : -1, recvcount = in_place ? -1 : types.recvcount;
  const MPI_Datatype sendtype = at_root ? types.sendtype : MPI_DATATYPE_NULL;
  const MPI_Datatype recvtype = in_place ? MPI_DATATYPE_NULL : types.recvtype;
  expect_like_native(
      scatter, comm, send, recv,
      [&](void* from, void* into) {
        return PMPI_Scatter(from, at_root ? sendcount : 0, sendtype, in_place ? MPI_IN_PLACE : into,
                            in_place ? 0 : recvcount, recvtype, root, comm);
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_scatter(at_root ? from : nullptr, sendcount, sendtype,
                               in_place ? MPI_IN_PLACE : into, recvcount, recvtype, root, comm,
                               algorithm);
      },
      travels);
}

// Rank r receives the elements of the types r % 3 times.
void expect_scatterv(MPI_Comm comm, const TypeCase& types, int root, bool in_place,
                     const Travels& travels) {
  SCOPED_TRACE(types.name + ", root " + std::to_string(root) + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const bool at_root = rank == root;
  in_place = in_place && at_root;
  std::vector<int> counts(p);
  for (int r = 0; r < p; ++r) counts[r] = r % 3 * types.sendcount;
  const Irregular layout(counts);
  const int recvcount = in_place ? -1 : rank % 3 * types.recvcount;
  const Memory send(types.sendtype, at_root ? layout.elements : 0, rank);
  const Memory recv(types.recvtype, std::max(recvcount, 0), 1000 + rank);
  const MPI_Datatype sendtype = at_root ? types.sendtype : MPI_DATATYPE_NULL;
  const MPI_Datatype recvtype = in_place ? MPI_DATATYPE_NULL : types.recvtype;
  expect_like_native(
      scatterv, comm, send, recv,
      [&](void* from, void* into) {
        return PMPI_Scatterv(from, layout.counts.data(), layout.displacements.data(), sendtype,
                             in_place ? MPI_IN_PLACE : into, in_place ? 0 : recvcount, recvtype,
                             root, comm);
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_scatterv(at_root ? from : nullptr, at_root ? layout.counts.data() : nullptr,
                                at_root ? layout.displacements.data() : nullptr, sendtype,
                                in_place ? MPI_IN_PLACE : into, recvcount, recvtype, root, comm,
                                algorithm);
      },
      travels);
}

TEST(Scatter, EveryDatatype) { expect_for_every_datatype(expect_scatter, expect_scatterv); }
TEST(Scatter, EveryRoot) { expect_for_every_root(expect_scatter, expect_scatterv); }
TEST(Scatter, EveryKindOfCommunicator) {
  expect_for_every_kind_of_communicator(expect_scatter, expect_scatterv);
}

}  // namespace
}  // namespace toccata::test
