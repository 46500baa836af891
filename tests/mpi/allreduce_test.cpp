// Compares allreduce with a local result: every algorithm and travel setting, every kind of
// operation and datatype.

#include <array>
#include <cstring>
#include <limits>

#include "mpi/data/kernels.h"
#include "mpi/data/operation.h"
#include "mpi/data/reducing.h"
#include "mpi/process/process.h"
#include "operands.h"

namespace toccata::test {
namespace {

void expect_allreduce(MPI_Comm comm, const OperandCase& operands, int count, bool in_place,
                      const Travels& travels = one_travel) {
  SCOPED_TRACE(std::to_string(count) + " " + operands.name + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm);
  const Memory send = operands.of(rank, count);
  const Memory recv = in_place ? send : operands.of(1000 + rank, count);
  const OnHost host(operands.may_be_native());
  expect_like_native(
      allreduce, comm, send, recv,
      [&](void*, void* into) { return operands.combine(size_of(comm), count, 0, count, into); },
      [&](void* from, void* into, const char* algorithm) {
        return toccata_allreduce(in_place ? MPI_IN_PLACE : from, into, count, operands.type,
                                 operands.operation, comm, algorithm);
      },
      travels);
}

TEST(Allreduce, EveryOperation) {
  for (const OperandCase& operands : OperandCases())
    for (const int count : operand_counts(size_of(MPI_COMM_WORLD)))
      expect_allreduce(MPI_COMM_WORLD, operands, count, false);
}

TEST(Allreduce, EveryOperationInPlace) {
  const int p = size_of(MPI_COMM_WORLD);
  for (const OperandCase& operands : OperandCases())
    expect_allreduce(MPI_COMM_WORLD, operands, 2 * p + 1, true, every_travel);
}

TEST(Allreduce, EveryKindOfCommunicator) {
  const OperandCases all;
  for (const MPI_Comm comm : KindsOfCommunicator())
    for (const OperandCase& operands : all)
      if (operands.type == MPI_INT || operands.name == "compositions")
        expect_allreduce(comm, operands, 5, false);
}

// Datatypes that are predefined, such as those of Fortran's kinds, but have no name.
TEST(Allreduce, PersistentOfFortransKinds) {
  const int p = size_of(MPI_COMM_WORLD);
  MPI_Datatype kind;
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &kind);
  for (const std::string& choice : choices(allreduce, MPI_COMM_WORLD, one_travel)) {
    const double mine = 1.5;
    double sum = 0;
    toccata_request request;
    EXPECT_EQ(toccata_allreduce_init(&mine, &sum, 1, kind, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                     choice.c_str(), &request),
              MPI_SUCCESS);
    EXPECT_EQ(toccata_run(&request), MPI_SUCCESS);
    EXPECT_EQ(sum, 1.5 * p) << choice;
    toccata_request_free(&request);
  }
}

// If some operands are NaN, or zeros of both signs, the order of the operands changes the result.
template <typename Number>
void expect_same_extremes(MPI_Datatype type, int count, bool zeros) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  std::vector<Number> mine(count);
  for (int i = 0; i < count; ++i)
    if (zeros)
      mine[i] = (rank + i) % 2 == 0 ? Number(0) : -Number(0);
    else
      mine[i] = i % (p + 1) == rank ? std::numeric_limits<Number>::quiet_NaN() : Number(rank);
  const Travels travels{"whole", "published"};
  for (const std::string& choice : choices(allreduce, MPI_COMM_WORLD, travels))
    for (const MPI_Op operation : {MPI_MAX, MPI_MIN}) {
      std::vector<Number> found(count);
      EXPECT_EQ(toccata_allreduce(mine.data(), found.data(), count, type, operation, MPI_COMM_WORLD,
                                  choice.c_str()),
                MPI_SUCCESS);
      std::vector<Number> of_rank_0 = found;
      const auto bytes = static_cast<int>(count * sizeof(Number));
      PMPI_Bcast(of_rank_0.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
      EXPECT_EQ(std::memcmp(of_rank_0.data(), found.data(), bytes), 0)
          << choice << ", " << count << " elements";
    }
}

TEST(Allreduce, ExtremesAreTheSameOnAllRanks) {
  for (const bool zeros : {false, true})
    for (const int count : {1, 33, 1001, 20'003}) {
      expect_same_extremes<double>(MPI_DOUBLE, count, zeros);
      expect_same_extremes<float>(MPI_FLOAT, count, zeros);
    }
}

// Trials must not serve reductions whose bits depend on the algorithm.
TEST(Allreduce, KnowsInexactOperations) {
  const auto inexact = [](MPI_Op operation, MPI_Datatype type, int p) {
    Operation call{.collective = allreduce, .operation = operation};
    call.recv.type = type;
    return call.is_inexact(p);
  };
  for (const int p : {2, 3}) {
    EXPECT_EQ(inexact(MPI_SUM, MPI_DOUBLE, p), p > 2);
    for (const MPI_Op operation : {MPI_MAX, MPI_MIN}) {
      for (const MPI_Datatype type : {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_REAL})
        EXPECT_TRUE(inexact(operation, type, p));
      for (const MPI_Datatype type : {MPI_INT, MPI_UINT64_T, MPI_AINT})
        EXPECT_FALSE(inexact(operation, type, p));
    }
    for (const MPI_Op operation : {MPI_MAXLOC, MPI_MINLOC}) {
      for (const MPI_Datatype type : {MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_LONG_DOUBLE_INT})
        EXPECT_TRUE(inexact(operation, type, p));
      for (const MPI_Datatype type : {MPI_2INT, MPI_LONG_INT, MPI_SHORT_INT})
        EXPECT_FALSE(inexact(operation, type, p));
    }
    EXPECT_FALSE(inexact(MPI_LAND, MPI_INT, p));
    EXPECT_FALSE(inexact(MPI_SUM, MPI_INT, p));
  }
}

// The order of additions changes a floating-point sum. All ranks must get the same sum.
TEST(Allreduce, SameBitsOnAllRanks) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  for (const int count : {1, 3 * p + 1}) {
    std::minstd_rand random(rank + 1);
    std::vector<double> mine(count);
    for (double& each : mine) each = 1.0 / static_cast<double>(random());
    for (const std::string& choice : choices(allreduce, MPI_COMM_WORLD)) {
      std::vector<double> sums(count);
      EXPECT_EQ(toccata_allreduce(mine.data(), sums.data(), count, MPI_DOUBLE, MPI_SUM,
                                  MPI_COMM_WORLD, choice.c_str()),
                MPI_SUCCESS);
      std::vector<double> of_first = sums;
      PMPI_Bcast(of_first.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      EXPECT_EQ(std::memcmp(sums.data(), of_first.data(), count * sizeof(double)), 0) << choice;
    }
  }
}

// All combinations that the standard defines, with one element per rank. A missing combination
// would be a fatal error.
TEST(Allreduce, EveryPredefinedOperationOnEveryDatatype) {
  const MPI_Datatype types[] = {MPI_INT,
                                MPI_LONG,
                                MPI_SHORT,
                                MPI_UNSIGNED_SHORT,
                                MPI_UNSIGNED,
                                MPI_UNSIGNED_LONG,
                                MPI_LONG_LONG,
                                MPI_UNSIGNED_LONG_LONG,
                                MPI_SIGNED_CHAR,
                                MPI_UNSIGNED_CHAR,
                                MPI_INT8_T,
                                MPI_INT16_T,
                                MPI_INT32_T,
                                MPI_INT64_T,
                                MPI_UINT8_T,
                                MPI_UINT16_T,
                                MPI_UINT32_T,
                                MPI_UINT64_T,
                                MPI_FLOAT,
                                MPI_DOUBLE,
                                MPI_LONG_DOUBLE,
                                MPI_C_BOOL,
                                MPI_C_FLOAT_COMPLEX,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_C_LONG_DOUBLE_COMPLEX,
                                MPI_BYTE,
                                MPI_AINT,
                                MPI_OFFSET,
                                MPI_COUNT,
                                MPI_FLOAT_INT,
                                MPI_DOUBLE_INT,
                                MPI_LONG_INT,
                                MPI_2INT,
                                MPI_SHORT_INT,
                                MPI_LONG_DOUBLE_INT,
                                MPI_INTEGER,
                                MPI_REAL,
                                MPI_DOUBLE_PRECISION,
                                MPI_COMPLEX,
                                MPI_DOUBLE_COMPLEX,
                                MPI_LOGICAL,
                                MPI_2REAL,
                                MPI_2DOUBLE_PRECISION,
                                MPI_2INTEGER};
  const MPI_Op operations[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                               MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
  const DatatypeTable& datatypes = Process::current()->datatypes();
  const std::string algorithm = choices(allreduce, MPI_COMM_WORLD).front();
  for (const MPI_Datatype type : types)
    for (const MPI_Op operation : operations) {
      if (type == MPI_DATATYPE_NULL || !is_defined(operation, type, datatypes)) continue;
      // For every operation and datatype, zeros combine to zeros.
      std::array<char, 64> zeros{}, result;
      result.fill(1);
      char name[MPI_MAX_OBJECT_NAME];
      int length, size;
      MPI_Type_get_name(type, name, &length);
      MPI_Type_size(type, &size);
      EXPECT_EQ(toccata_allreduce(zeros.data(), result.data(), 1, type, operation, MPI_COMM_WORLD,
                                  algorithm.c_str()),
                MPI_SUCCESS)
          << name;
    }
}

// Some MPI libraries compare unsigned numbers like signed ones, so the highest bits matter.
TEST(ReduceLocal, HasTheBitsOfMpi) {
  const MPI_Datatype types[] = {
      MPI_INT,      MPI_LONG,          MPI_LONG_LONG, MPI_UNSIGNED,        MPI_INTEGER,
      MPI_UINT32_T, MPI_UNSIGNED_LONG, MPI_UINT64_T,  MPI_FLOAT,           MPI_DOUBLE,
      MPI_INT32_T,  MPI_INT64_T,       MPI_REAL,      MPI_DOUBLE_PRECISION};
  const MPI_Op operations[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR};
  const DatatypeTable& datatypes = Process::current()->datatypes();
  for (const MPI_Datatype type : types)
    for (const MPI_Op operation : operations) {
      if (type == MPI_DATATYPE_NULL || !is_defined(operation, type, datatypes)) continue;
      static constexpr int elements = 37;
      // No double or float of these bits is a NaN.
      std::array<std::uint64_t, elements> from{}, before{};
      for (std::uint64_t i = 0; i < elements; ++i) {
        from[i] = (i * i + 1) * 0x8421'0843'2108'4211 & 0xBFFF'FFFF'BFFF'FFFF;
        before[i] = (i + 5) * 0xC631'8C63'5318'C635 & 0xBFFF'FFFF'BFFF'FFFF;
      }
      auto expected = before, got = before;
      EXPECT_EQ(PMPI_Reduce_local(from.data(), expected.data(), elements, type, operation),
                MPI_SUCCESS);
      EXPECT_EQ(reduce_local(from.data(), got.data(), elements, type, operation), MPI_SUCCESS);
      EXPECT_EQ(got, expected);
      Reduction reduction{type, operation, toccata::size_of(type)};
      auto into = before;
      reduction.combines()(reinterpret_cast<const char*>(from.data()),
                           reinterpret_cast<const char*>(before.data()),
                           reinterpret_cast<char*>(into.data()), elements * toccata::size_of(type));
      EXPECT_EQ(into, expected);
    }
}

}  // namespace
}  // namespace toccata::test
