// Barrier: no rank leaves before the last rank has entered. Every rank is the last one once, for
// every algorithm and form.

#include <chrono>
#include <thread>

#include "support.h"

namespace toccata::test {
namespace {

// Calls barrier(choice) once per rank, each time with another late rank. The late rank writes its
// number to `counter` before it enters; all ranks must see the number when they leave.
template <typename Call>
void expect_to_wait(MPI_Comm comm, const std::string& choice, Call&& barrier) {
  const int rank = rank_in(comm), p = size_of(comm);
  int* mine = nullptr;
  MPI_Win window;
  ASSERT_EQ(MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, comm,
                                    &mine, &window),
            MPI_SUCCESS);
  MPI_Aint size;
  int unit;
  int* counter = nullptr;
  MPI_Win_shared_query(window, 0, &size, &unit, &counter);
  if (rank == 0) *counter = -1;
  MPI_Win_lock_all(0, window);
  MPI_Barrier(comm);
  for (int late = 0; late < p; ++late) {
    if (rank == late) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      __atomic_store_n(counter, late, __ATOMIC_SEQ_CST);
    }
    EXPECT_EQ(barrier(choice.c_str()), MPI_SUCCESS) << choice;
    EXPECT_EQ(__atomic_load_n(counter, __ATOMIC_SEQ_CST), late) << choice << ": too early";
    PMPI_Barrier(comm);  // before the next one writes
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

TEST(Barrier, NobodyLeavesBeforeTheLastHasCome) {
  for (const MPI_Comm comm : KindsOfCommunicator())
    for (const std::string& choice : choices(barrier, comm))
      expect_to_wait(comm, choice,
                     [&](const char* algorithm) { return toccata_barrier(comm, algorithm); });
}

TEST(Barrier, Nonblocking) {
  for (const std::string& choice : choices(barrier, MPI_COMM_WORLD, one_travel))
    expect_to_wait(MPI_COMM_WORLD, choice, [](const char* algorithm) {
      toccata_request request;
      const int code = toccata_ibarrier(MPI_COMM_WORLD, algorithm, &request);
      return code == MPI_SUCCESS ? toccata_wait(&request) : code;
    });
}

TEST(Barrier, Persistent) {
  for (const std::string& choice : choices(barrier, MPI_COMM_WORLD, one_travel))
    for (const bool at_once : {false, true}) {
      toccata_request request;
      ASSERT_EQ(toccata_barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, choice.c_str(), &request),
                MPI_SUCCESS);
      expect_to_wait(MPI_COMM_WORLD, choice, [&](const char*) {
        if (at_once) return toccata_run(&request);
        const int code = toccata_start(&request);
        return code == MPI_SUCCESS ? toccata_wait(&request) : code;
      });
      EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
    }
}

// Simultaneous barriers do not affect each other.
TEST(Barrier, SeveralAtOnce) {
  const std::vector<std::string> all = choices(barrier, MPI_COMM_WORLD, one_travel);
  std::vector<toccata_request> requests(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(toccata_ibarrier(MPI_COMM_WORLD, all[i].c_str(), &requests[i]), MPI_SUCCESS);
  if (rank_in(MPI_COMM_WORLD) % 2 == 1) std::ranges::reverse(requests);
  EXPECT_EQ(toccata_waitall(static_cast<int>(requests.size()), requests.data()), MPI_SUCCESS);
}

TEST(Barrier, NativeAndErrors) {
  EXPECT_EQ(toccata_barrier(MPI_COMM_WORLD, "native"), MPI_SUCCESS);
  EXPECT_EQ(toccata_barrier(MPI_COMM_WORLD, nullptr), MPI_SUCCESS);
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT_EQ(error_class(toccata_barrier(comm, "ring")), MPI_ERR_ARG);
}

}  // namespace
}  // namespace toccata::test
