// Runs the tests on all ranks at once. Rank 0 prints everything, and the other ranks print only
// their failures. A test fails if it fails on any rank.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi/process/process.h"
#include "support.h"

namespace {

class EveryRank : public testing::EmptyTestEventListener {
  static constexpr int most_shown = 5;

  void OnTestStart(const testing::TestInfo&) override { failures_ = 0; }

  // Prints immediately, because the next test may hang.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed() || ++failures_ > most_shown || toccata::test::rank_in(MPI_COMM_WORLD) == 0)
      return;
    std::fprintf(stderr, "rank %d of %d: %s:%d: %s\n", toccata::test::rank_in(MPI_COMM_WORLD),
                 toccata::test::size_of(MPI_COMM_WORLD), result.file_name(), result.line_number(),
                 result.message());
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    const int here = info.result()->Failed() ? 1 : 0;
    int ranks = 0;
    PMPI_Allreduce(&here, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (ranks > 0 && here == 0 && toccata::test::rank_in(MPI_COMM_WORLD) == 0)
      ADD_FAILURE() << "on " << ranks << " other ranks; see their messages above";
  }

  int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  // The preloaded library does the same at MPI_Init. Without it, every communicator needs a
  // duplicate of its own.
  if (std::getenv("TOCCATA_TEST_UNSEEN_INIT") == nullptr)
    toccata::Process::begin(true, [] { return std::string(); });
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  testing::TestEventListener* printer = listeners.Release(listeners.default_result_printer());
  listeners.Append(new EveryRank);  // before the printer, because it may add a failure
  if (toccata::test::rank_in(MPI_COMM_WORLD) == 0)
    listeners.Append(printer);
  else
    delete printer;
  const int result = RUN_ALL_TESTS();

  // Objects that a program may leave to MPI_Finalize: communicators, freed in any order.
  MPI_Comm one, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (const MPI_Comm comm : {one, MPI_COMM_WORLD, other})
    toccata::test::expect_allgather_works(comm, "ring");

  // Calls that are allowed after the end of MPI.
  toccata_request kept = TOCCATA_REQUEST_NULL;
  int numbers[64] = {}, flag = 0;
  toccata_allgather_init(numbers, 1, MPI_INT, numbers + 1, 1, MPI_INT, MPI_COMM_WORLD,
                         MPI_INFO_NULL, "ring", &kept);
  MPI_Finalize();
  toccata_request none = TOCCATA_REQUEST_NULL;
  if (toccata_test(&none, &flag) != MPI_SUCCESS || flag == 0) return 1;
  if (toccata_request_free(&kept) != MPI_SUCCESS) return 1;
  return result;
}
