// Compares broadcast with the native one: every algorithm and travel setting, every kind of
// datatype, every root. The root can only read its buffer.

#include "support.h"

namespace toccata::test {
namespace {

// The root sends with the sender's datatype, and the other ranks receive with the receiver's.
void expect_bcast(MPI_Comm comm, const TypeCase& types, int root,
                  const Travels& travels = every_travel) {
  SCOPED_TRACE(types.name + ", root " + std::to_string(root));
  const int rank = rank_in(comm);
  const int count = rank == root ? types.sendcount : types.recvcount;
  const MPI_Datatype type = rank == root ? types.sendtype : types.recvtype;
  const Memory none(MPI_BYTE, 0, 0);
  Memory message(type, count, rank);
  message.is_read_only = rank == root;
  expect_like_native(
      bcast, comm, none, message,
      [&](void*, void* buffer) { return PMPI_Bcast(buffer, count, type, root, comm); },
      [&](void*, void* buffer, const char* algorithm) {
        return toccata_bcast(buffer, count, type, root, comm, algorithm);
      },
      travels);
}

TEST(Bcast, EveryDatatype) {
  int turn = 0;
  for (const TypeCase& types : TypeCases::for_this_job()) {
    expect_bcast(MPI_COMM_WORLD, types, turn % size_of(MPI_COMM_WORLD),
                 {every_travel[turn % every_travel.size()]});
    ++turn;
  }
}

TEST(Bcast, EveryRoot) {
  const int p = size_of(MPI_COMM_WORLD);
  for (int root = 0; root < p; ++root)
    for (const int count : {1, p - 1, 2 * p + 1})
      expect_bcast(MPI_COMM_WORLD, {"integers", count, MPI_INT, count, MPI_INT}, root, one_travel);
}

// Published messages of this length are read in the publisher's memory, and publishers help.
TEST(Bcast, LongMessages) {
  for (const int count : {50'000, 300'001})
    expect_bcast(MPI_COMM_WORLD, {"bytes", count, MPI_BYTE, count, MPI_BYTE},
                 size_of(MPI_COMM_WORLD) / 2, {"whole", "published"});
}

TEST(Bcast, EveryKindOfCommunicator) {
  for (const MPI_Comm comm : KindsOfCommunicator())
    expect_bcast(comm, {"integers", 100, MPI_INT, 100, MPI_INT}, size_of(comm) - 1);
}

}  // namespace
}  // namespace toccata::test
