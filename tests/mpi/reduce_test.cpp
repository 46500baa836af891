// Reduce against what the operands come to: every algorithm and way to travel, every kind of
// operation and datatype, every root.

#include "operands.h"

namespace toccata::test {
namespace {

void expect_reduce(MPI_Comm comm, const OperandCase& operands, int count, int root, bool in_place,
                   const Travels& travels = one_travel) {
  SCOPED_TRACE(std::to_string(count) + " " + operands.name + ", root " + std::to_string(root) +
               (in_place ? ", in place" : ""));
  const int rank = rank_in(comm);
  const bool at_root = rank == root;
  in_place = in_place && at_root;
  const Memory send = operands.of(rank, count);
  const Memory recv = in_place ? send : operands.of(1000 + rank, count);
  expect_like_native(
      reduce, comm, send, recv,
      [&](void*, void* into) {
        return at_root ? operands.combine(size_of(comm), count, 0, count, into) : MPI_SUCCESS;
      },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_reduce(in_place ? MPI_IN_PLACE : from, at_root ? into : nullptr, count,
                              operands.type, operands.operation, root, comm, algorithm);
      },
      travels);
}

TEST(Reduce, EveryOperation) {
  const int p = size_of(MPI_COMM_WORLD);
  int turn = 0;
  for (const OperandCase& operands : OperandCases())
    for (const int count : operand_counts(p)) {
      expect_reduce(MPI_COMM_WORLD, operands, count, turn % p, turn % 4 == 3);
      ++turn;
    }
}

TEST(Reduce, EveryRoot) {
  const OperandCases all;
  for (const OperandCase& operands : all)
    for (int root = 0; root < size_of(MPI_COMM_WORLD); ++root)
      if (operands.type == MPI_INT || operands.name == "compositions with gaps")
        for (const bool in_place : {false, true})
          expect_reduce(MPI_COMM_WORLD, operands, 5, root, in_place);
}

TEST(Reduce, EveryKindOfCommunicator) {
  const OperandCases all;
  for (const MPI_Comm comm : KindsOfCommunicator())
    for (const OperandCase& operands : all)
      if (operands.type == MPI_INT || operands.name == "compositions")
        expect_reduce(comm, operands, 5, size_of(comm) - 1, false, every_travel);
}

}  // namespace
}  // namespace toccata::test
