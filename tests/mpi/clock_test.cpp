// The ranks of a communicator make their clocks comparable, for trials. On one host, they have the
// same clock; tests/hosts runs this on hosts whose clocks differ by many minutes.

#include <cstdlib>

#include "mpi/communicator/communicator.h"
#include "mpi/process/clocks.h"
#include "support.h"

namespace toccata::test {
namespace {

constexpr double precision = 20e-3;  // seconds; ranks share cores, so answers may be late

double extreme(double mine, MPI_Op which, MPI_Comm comm) {
  double found = 0;
  MPI_Allreduce(&mine, &found, 1, MPI_DOUBLE, which, comm);
  return found;
}

// No rank leaves a barrier before the last one has entered it.
void expect_common_clock(MPI_Comm comm) {
  Communicator& communicator = *Communicator::of(comm);
  ASSERT_TRUE(communicator.set_clocks());
  for (int time = 0; time < 5; ++time) {
    const double entered = communicator.now();
    MPI_Barrier(comm);
    const double left = communicator.now();
    EXPECT_LE(extreme(entered, MPI_MAX, comm), extreme(left, MPI_MIN, comm) + precision);
  }
}

TEST(CommonClock, ShowsTheSameTimeOnAllRanks) {
  expect_common_clock(MPI_COMM_WORLD);
  const OwnedComm reversed = split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD));
  expect_common_clock(reversed);
  if (std::getenv("TOCCATA_TEST_CLOCKS_DIFFER") == nullptr) return;
  const auto raw = static_cast<double>(time_of_node()) * 1e-9;
  EXPECT_GT(extreme(raw, MPI_MAX, MPI_COMM_WORLD) - extreme(raw, MPI_MIN, MPI_COMM_WORLD), 500);
}

}  // namespace
}  // namespace toccata::test
