// Compares reduce_scatter and reduce_scatter_block with a local result: every algorithm and travel
// setting, every kind of operation and datatype.

#include <numeric>

#include "operands.h"

namespace toccata::test {
namespace {

// A call in place, on a copy of the operands, because MPI does not specify the memory after the
// result.
template <typename Call>
int in_copy(Memory operands, const OperandCase& kind, int count, void* into, Call&& call) {
  if (int code = call(operands.address()); code != MPI_SUCCESS) return code;
  return MPI_Sendrecv(operands.address(), count, kind.type, 0, 0, into, count, kind.type, 0, 0,
                      MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

void expect_block(MPI_Comm comm, const OperandCase& operands, int count, bool in_place,
                  const Travels& travels = one_travel) {
  SCOPED_TRACE(std::to_string(count) + " " + operands.name + (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), p = size_of(comm);
  const Memory send = operands.of(rank, std::int64_t{count} * p);
  const Memory recv = operands.of(1000 + rank, count);
  const OnHost host(in_place || operands.may_be_native());
  expect_like_native(
      reduce_scatter, comm, send, recv,
      [&](void*, void* into) {
        return operands.combine(p, std::int64_t{count} * p, std::int64_t{count} * rank, count,
                                into);
      },
      [&](void* from, void* into, const char* algorithm) {
        const auto call = [&](const void* source, void* target) {
          return toccata_reduce_scatter_block(source, target, count, operands.type,
                                              operands.operation, comm, algorithm);
        };
        if (!in_place) return call(from, into);
        return in_copy(send, operands, count, into,
                       [&](void* buffer) { return call(MPI_IN_PLACE, buffer); });
      },
      travels);
}

void expect_vector(MPI_Comm comm, const OperandCase& operands, std::vector<int> counts,
                   bool in_place, const Travels& travels = one_travel) {
  SCOPED_TRACE(operands.name + ", counts " + testing::PrintToString(counts) +
               (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), count = counts[rank];
  const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const std::int64_t first =
      std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
  const Memory send = operands.of(rank, total);
  const Memory recv = operands.of(1000 + rank, count);
  const OnHost host(in_place || operands.may_be_native());
  expect_like_native(
      reduce_scatter, comm, send, recv,
      [&](void*, void* into) { return operands.combine(size_of(comm), total, first, count, into); },
      [&](void* from, void* into, const char* algorithm) {
        const auto call = [&](const void* source, void* target) {
          return toccata_reduce_scatter(source, target, counts.data(), operands.type,
                                        operands.operation, comm, algorithm);
        };
        if (!in_place) return call(from, into);
        return in_copy(send, operands, count, into,
                       [&](void* buffer) { return call(MPI_IN_PLACE, buffer); });
      },
      travels);
}

// MPICH 4.0 serves the algorithms that change the order. If an operation is not commutative and
// data lie before the address, it writes to wrong memory.
bool is_safe(const OperandCase& operands) {
#ifdef OPEN_MPI
  constexpr bool mpich = false;
#else
  constexpr bool mpich = true;
#endif
  return !mpich || operands.name != "compositions with gaps";
}

TEST(ReduceScatter, EveryOperation) {
  int turn = 0;
  for (const OperandCase& operands : OperandCases())
    for (const int count : {0, 1, 5, 100})
      if (is_safe(operands)) expect_block(MPI_COMM_WORLD, operands, count, turn++ % 3 == 2);
}

TEST(ReduceScatter, EveryDistributionOfCounts) {
  const int p = size_of(MPI_COMM_WORLD);
  std::vector<int> none(p, 0), alike(p, 4), mixed(p), one_has_all(p, 0);
  for (int r = 0; r < p; ++r) mixed[r] = (r + 1) % 3 * 3;
  one_has_all[p / 2] = 1000;
  int turn = 0;
  for (const OperandCase& operands : OperandCases())
    for (const auto& counts : {none, alike, mixed, one_has_all})
      if (is_safe(operands)) expect_vector(MPI_COMM_WORLD, operands, counts, turn++ % 3 == 2);
}

TEST(ReduceScatter, EveryKindOfCommunicator) {
  const OperandCases all;
  for (const MPI_Comm comm : KindsOfCommunicator())
    for (const OperandCase& operands : all)
      if (operands.type == MPI_INT || operands.name == "compositions")
        expect_block(comm, operands, 3, false, every_travel);
}

}  // namespace
}  // namespace toccata::test
