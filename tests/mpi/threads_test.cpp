#include <thread>

#include "support.h"

namespace toccata::test {
namespace {

// Alternates blocking and nonblocking calls.
void use(MPI_Comm comm, int thread, int times) {
  const std::vector<std::string> all = choices(allgather, comm);
  const int p = size_of(comm);
  for (int i = 0; i < times; ++i) {
    const std::string& choice = all[i % all.size()];
    const Numbers numbers{1 + i % 3, 10 * thread + i % 10};
    expect_allgather_works(comm, choice.c_str(), numbers);
    const std::vector<int> mine = numbers.of(rank_in(comm));
    std::vector<int> gathered(std::size_t(numbers.count) * p);
    toccata_request request;
    EXPECT_EQ(toccata_iallgather(mine.data(), numbers.count, MPI_INT, gathered.data(),
                                 numbers.count, MPI_INT, comm, choice.c_str(), &request),
              MPI_SUCCESS);
    EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
    EXPECT_EQ(gathered, numbers.of_all(p)) << choice;
  }
}

TEST(Threads, TwoOnTwoCommunicators) {
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  const OwnedComm first = duplicate(MPI_COMM_WORLD), second = duplicate(MPI_COMM_WORLD);
  std::thread thread([&] { use(first, 0, 200); });
  use(second, 1, 200);
  thread.join();
}

}  // namespace
}  // namespace toccata::test
