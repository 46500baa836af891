// Compares reduce with a local result: every algorithm and travel setting, every kind of operation
// and datatype, every root.

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
  const OnHost host(operands.may_be_native());
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

// Elements that overlap in memory: the columns of a matrix.
TEST(Reduce, ColumnsOfAMatrix) {
  static constexpr int rows = 3, columns = 5;
  using Matrix = std::vector<double>;
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD), last = p - 1;
  MPI_Datatype made;
  MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &made);
  const OwnedDatatype apart(made);
  MPI_Type_create_resized(apart.get(), 0, sizeof(double), &made);
  const OwnedDatatype column = committed(made);
  const OwnedOp add(
      [](void* from, void* into, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          for (int row = 0; row < rows; ++row)
            static_cast<double*>(into)[row * columns + i] +=
                static_cast<double*>(from)[row * columns + i];
      },
      true);
  Matrix mine(rows * columns), sums(rows * columns);
  for (int i = 0; i < rows * columns; ++i) {
    mine[i] = rank + i;
    sums[i] = p * (p - 1) / 2.0 + p * i;
  }
  std::vector<int> all_to_the_last(p, 0);
  all_to_the_last[last] = columns;
  for (const std::string& choice : choices(allreduce, MPI_COMM_WORLD, one_travel)) {
    Matrix got(rows * columns);
    toccata_allreduce(mine.data(), got.data(), columns, column.get(), add, MPI_COMM_WORLD,
                      choice.c_str());
    EXPECT_EQ(got, sums) << "allreduce/" << choice;
  }
  for (const std::string& choice : choices(reduce, MPI_COMM_WORLD, one_travel)) {
    Matrix got(rows * columns);
    toccata_reduce(mine.data(), got.data(), columns, column.get(), add, last, MPI_COMM_WORLD,
                   choice.c_str());
    if (rank == last) {
      EXPECT_EQ(got, sums) << "reduce/" << choice;
    }
  }
  for (const std::string& choice : choices(reduce_scatter, MPI_COMM_WORLD, one_travel)) {
    Matrix got(rows * columns);
    toccata_reduce_scatter(mine.data(), got.data(), all_to_the_last.data(), column.get(), add,
                           MPI_COMM_WORLD, choice.c_str());
    if (rank == last) {
      EXPECT_EQ(got, sums) << "reduce_scatter/" << choice;
    }
  }
}

}  // namespace
}  // namespace toccata::test
