#include <numeric>

#include "support.h"

extern "C" int c99_faults();

TEST(CApi, ServesC99) { EXPECT_EQ(c99_faults(), 0); }

namespace toccata::test {
namespace {

TEST(CApi, VersionAsNumbers) {
  EXPECT_STREQ(TOCCATA_VERSION, toccata_version());
  const int number = TOCCATA_VERSION_NUMBER;
  const std::string text = std::to_string(number / 10000) + "." +
                           std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
  EXPECT_EQ(text, toccata_version());
}

#if MPI_VERSION >= 4
// Blocking, nonblocking and persistent calls, with our algorithms and native ones. The preloaded
// forms convert arguments to an operation with the same code.
TEST(CApi, LargeCounts) {
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  const MPI_Count one = 1;
  std::vector<int> all(p), expected(p);
  std::iota(expected.begin(), expected.end(), 0);
  std::vector<MPI_Count> counts(p, 1);
  std::vector<MPI_Aint> places(p);
  std::iota(places.begin(), places.end(), 0);
  for (const char* algorithm : {"ring", "native"}) {
    SCOPED_TRACE(algorithm);
    const auto expect_right = [&](int code) {
      EXPECT_EQ(code, MPI_SUCCESS);
      EXPECT_EQ(all, expected);
      std::ranges::fill(all, -1);
    };
    expect_right(toccata_allgather_c(&rank, one, MPI_INT, all.data(), one, MPI_INT, MPI_COMM_WORLD,
                                     algorithm));
    expect_right(toccata_allgatherv_c(&rank, one, MPI_INT, all.data(), counts.data(), places.data(),
                                      MPI_INT, MPI_COMM_WORLD, algorithm));
    toccata_request request = TOCCATA_REQUEST_NULL;
    EXPECT_EQ(toccata_iallgatherv_c(&rank, one, MPI_INT, all.data(), counts.data(), places.data(),
                                    MPI_INT, MPI_COMM_WORLD, algorithm, &request),
              MPI_SUCCESS);
    expect_right(toccata_wait(&request));
    EXPECT_EQ(toccata_allgather_init_c(&rank, one, MPI_INT, all.data(), one, MPI_INT,
                                       MPI_COMM_WORLD, MPI_INFO_NULL, algorithm, &request),
              MPI_SUCCESS);
    for (int time = 0; time < 2; ++time) expect_right(toccata_run(&request));
    EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
  }
}
#endif

}  // namespace
}  // namespace toccata::test
