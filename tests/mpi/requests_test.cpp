// Nonblocking and persistent collectives: many at once, in different orders on different ranks.

#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <thread>

#include "support.h"

namespace toccata::test {
namespace {

// One nonblocking or persistent allgather of integers, with its buffers.
struct Gathering {
  Gathering(MPI_Comm comm_, Numbers numbers_, std::string algorithm_)
      : comm(comm_),
        numbers(numbers_),
        algorithm(std::move(algorithm_)),
        mine(numbers.of(rank_in(comm))),
        all(std::size_t(numbers.count) * size_of(comm), -1) {}
  Gathering(const Gathering&) = delete;

  void start() {
    EXPECT_EQ(toccata_iallgather(mine.data(), numbers.count, MPI_INT, all.data(), numbers.count,
                                 MPI_INT, comm, algorithm.c_str(), &request),
              MPI_SUCCESS);
  }
  // Starts the vector form, with the blocks in descending order of ranks.
  void start_backwards() {
    const int p = size_of(comm);
    counts.assign(p, numbers.count);
    displacements.resize(p);
    for (int rank = 0; rank < p; ++rank) displacements[rank] = (p - 1 - rank) * numbers.count;
    EXPECT_EQ(toccata_iallgatherv(mine.data(), numbers.count, MPI_INT, all.data(), counts.data(),
                                  displacements.data(), MPI_INT, comm, algorithm.c_str(), &request),
              MPI_SUCCESS);
  }
  void make_persistent() {
    EXPECT_EQ(toccata_allgather_init(mine.data(), numbers.count, MPI_INT, all.data(), numbers.count,
                                     MPI_INT, comm, MPI_INFO_NULL, algorithm.c_str(), &request),
              MPI_SUCCESS);
  }
  void renew(int call) {
    numbers.call = call;
    std::ranges::copy(numbers.of(rank_in(comm)), mine.begin());  // keeps its address
    std::ranges::fill(all, -1);
  }
  void wait() { EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS) << algorithm; }

  void expect_right() const {
    for (int rank = 0; rank < size_of(comm); ++rank) {
      const int place = counts.empty() ? rank * numbers.count : displacements[rank];
      EXPECT_TRUE(
          std::ranges::equal(numbers.of(rank), std::span(all).subspan(place, numbers.count)))
          << algorithm << ": wrong from rank " << rank;
    }
  }

  MPI_Comm comm;
  Numbers numbers;
  std::string algorithm;
  std::vector<int> mine, all, counts, displacements;
  toccata_request request = TOCCATA_REQUEST_NULL;
};

using Gatherings = std::vector<std::unique_ptr<Gathering>>;

// One gathering for each algorithm, each of its parameters and each travel setting, with different
// lengths.
Gatherings every_choice(MPI_Comm comm) {
  Gatherings result;
  int call = 0;
  for (const std::string& choice : choices(allgather, comm)) {
    const int count = call % 5 == 4 ? 20000 : call % 5;
    result.push_back(std::make_unique<Gathering>(comm, Numbers{count, call++}, choice));
  }
  return result;
}

TEST(Requests, OverlapAndEndInAnyOrder) {
  const int rank = rank_in(MPI_COMM_WORLD);
  Gatherings all = every_choice(MPI_COMM_WORLD);
  for (std::size_t i = 0; i < all.size(); ++i)
    i % 3 == 0 ? all[i]->start_backwards() : all[i]->start();
  std::rotate(all.begin(), all.begin() + (rank * 5) % all.size(), all.end());
  if (rank % 2 == 1) std::ranges::reverse(all);
  for (const auto& each : all) {
    each->wait();
    EXPECT_EQ(each->request, TOCCATA_REQUEST_NULL);
    each->expect_right();
  }
}

TEST(Requests, WaitallAndTestLoops) {
  Gatherings all = every_choice(MPI_COMM_WORLD);
  std::vector<toccata_request> requests;
  for (const auto& each : all) {
    each->start();
    requests.push_back(each->request);
  }
  requests.push_back(TOCCATA_REQUEST_NULL);
  if (rank_in(MPI_COMM_WORLD) % 2 == 0) {
    EXPECT_EQ(toccata_waitall(static_cast<int>(requests.size()), requests.data()), MPI_SUCCESS);
  } else {
    for (std::size_t left = requests.size(); left > 0;)
      for (std::size_t i = 0; i < left; ++i) {
        int done = 0;
        EXPECT_EQ(toccata_test(&requests[i], &done), MPI_SUCCESS);
        if (done != 0) std::swap(requests[i], requests[--left]);
      }
  }
  for (const toccata_request each : requests) EXPECT_EQ(each, TOCCATA_REQUEST_NULL);
  for (const auto& each : all) each->expect_right();
}

TEST(Requests, TestallEndsAllAtOnce) {
  Gatherings all = every_choice(MPI_COMM_WORLD);
  std::vector<toccata_request> requests{TOCCATA_REQUEST_NULL};
  for (const auto& each : all) {
    each->start();
    requests.push_back(each->request);
  }
  const int count = static_cast<int>(requests.size());
  std::vector<int> codes(requests.size(), -1);
  for (int flag = 0; flag == 0;) {
    EXPECT_EQ(toccata_testall(count, requests.data(), &flag, codes.data()), MPI_SUCCESS);
    for (int i = 1; i < count; ++i) {
      EXPECT_EQ(requests[i] == TOCCATA_REQUEST_NULL, flag != 0);
      EXPECT_EQ(codes[i], flag != 0 ? MPI_SUCCESS : -1);
    }
  }
  for (const auto& each : all) each->expect_right();
}

// Rank 0 starts after the others have tested for a while.
TEST(Requests, TestallWaitsForALateRank) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  if (rank_in(comm) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  Gatherings all = every_choice(comm);
  std::vector<toccata_request> requests;
  for (const auto& each : all) {
    each->start();
    requests.push_back(each->request);
  }
  for (int flag = 0; flag == 0;)
    ASSERT_EQ(toccata_testall(static_cast<int>(requests.size()), requests.data(), &flag, nullptr),
              MPI_SUCCESS);
  for (const auto& each : all) each->expect_right();
}

TEST(Requests, WaitanyAndTestanyEndOneEach) {
  for (const bool waits : {true, false}) {
    Gatherings all = every_choice(MPI_COMM_WORLD);
    std::vector<toccata_request> requests{TOCCATA_REQUEST_NULL};
    for (const auto& each : all) {
      each->start();
      requests.push_back(each->request);
    }
    const int count = static_cast<int>(requests.size());
    std::set<int> ended;
    int index = 0, flag = 1;
    while (ended.size() < all.size()) {
      EXPECT_EQ(waits ? toccata_waitany(count, requests.data(), &index)
                      : toccata_testany(count, requests.data(), &index, &flag),
                MPI_SUCCESS);
      if (flag == 0) {
        EXPECT_EQ(index, MPI_UNDEFINED);
        continue;
      }
      ASSERT_GT(index, 0);
      EXPECT_TRUE(ended.insert(index).second) << "twice";
      EXPECT_EQ(requests[index], TOCCATA_REQUEST_NULL);
      all[index - 1]->expect_right();
    }
    flag = 0;
    EXPECT_EQ(toccata_waitany(count, requests.data(), &index), MPI_SUCCESS);
    EXPECT_EQ(index, MPI_UNDEFINED);
    index = 0;
    EXPECT_EQ(toccata_testany(count, requests.data(), &index, &flag), MPI_SUCCESS);
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_EQ(flag, 1);
  }
}

// As long as toccata_testall sets flag to 0, an ended persistent request stays active: the program
// can wait for it, but not start it.
TEST(Requests, PersistentOnesStayActiveUntilTestallTellsOfThem) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  if (p == 1) GTEST_SKIP() << "needs a late rank";
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  MPI_Errhandler before;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Gathering early(comm, {3, 1}, "ring"), late(MPI_COMM_WORLD, {3, 2}, "ring");
  early.make_persistent();
  EXPECT_EQ(toccata_start(&early.request), MPI_SUCCESS);
  if (rank == 0) {
    early.wait();
    MPI_Barrier(comm);
  } else {
    late.start();
    toccata_request requests[] = {early.request, late.request};
    int flag = 0;
    for (int time = 0; time < 2000; ++time) toccata_testall(2, requests, &flag, nullptr);
    EXPECT_EQ(flag, 0);
    int error_class = 0;
    MPI_Error_class(toccata_start(&early.request), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_REQUEST);
    while (flag == 0) toccata_test(&early.request, &flag);
    EXPECT_EQ(toccata_start(&early.request), MPI_SUCCESS)
        << "inactive after toccata_testall has reported its end";
    MPI_Barrier(comm);
  }
  if (rank == 0) {
    late.start();
    EXPECT_EQ(toccata_start(&early.request), MPI_SUCCESS);
  }
  late.wait();
  early.wait();
  late.expect_right();
  early.expect_right();
  EXPECT_EQ(toccata_request_free(&early.request), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  MPI_Errhandler_free(&before);
}

TEST(Requests, BlockingCallsBetween) {
  Gatherings all = every_choice(MPI_COMM_WORLD);
  for (const auto& each : all) {
    each->start();
    expect_allgather_works(MPI_COMM_WORLD, each->algorithm.c_str(), {2, 77});
  }
  for (const auto& each : all) {
    each->wait();
    each->expect_right();
  }
}

// The library creates the private duplicate while the request is open.
TEST(Requests, FirstOnItsCommunicator) {
  for (const char* between : {"", "ring", "native"}) {
    const OwnedComm comm = duplicate(MPI_COMM_WORLD);
    Gathering first(comm, {3, 1}, "sparbit"), second(comm, {4, 2}, "ring");
    first.start();
    second.start();
    if (*between != '\0') expect_allgather_works(comm, between);
    if (rank_in(comm) % 2 == 0) {
      first.wait();
      second.wait();
    } else {
      second.wait();
      first.wait();
    }
    first.expect_right();
    second.expect_right();
  }
}

// The ranks call one after the other. If a rank waited in its call, it would never send the message
// on which the other ranks wait.
TEST(Requests, TheFirstOneWaitsForNoRank) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  Gathering gathering(comm, {3, 1}, "ring");
  if (rank > 0) MPI_Recv(nullptr, 0, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  gathering.start();
  if (rank + 1 < p) MPI_Send(nullptr, 0, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
  gathering.wait();
  gathering.expect_right();
}

// A rank that waits in a blocking call must advance its requests on other communicators, because
// other ranks wait for them. This holds even for a communicator's first call, which creates the
// duplicate.
TEST(Requests, GoOnDuringAnotherCommunicatorsFirstCall) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD), other = duplicate(MPI_COMM_WORLD);
  Gathering gathering(comm, {3, 1}, "ring");
  gathering.start();
  if (rank_in(comm) % 2 == 0) {
    expect_allgather_works(other, "ring");
    gathering.wait();
  } else {
    gathering.wait();
    expect_allgather_works(other, "ring");
  }
  gathering.expect_right();
}

// The same with a request that the MPI library serves.
TEST(Requests, GoOnWhileNativeOnesAreWaitedFor) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD), other = duplicate(MPI_COMM_WORLD);
  Gathering ours(comm, {3, 1}, "ring"), native(other, {3, 2}, "native");
  ours.start();
  if (rank_in(comm) % 2 == 0) {
    native.start();
    native.wait();
    ours.wait();
  } else {
    ours.wait();
    native.start();
    native.wait();
  }
  ours.expect_right();
  native.expect_right();
}

// The library's messages and the program's messages never mix, with any tags.
TEST(Requests, UsersMessagesOfAnyTag) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  for (const std::string& choice : choices(allgather, MPI_COMM_WORLD)) {
    int got = -1;
    MPI_Request receiving, sending;
    MPI_Status status;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &receiving);
    Gathering gathering(comm, {3, 5}, choice);
    gathering.start();
    expect_allgather_works(comm, choice.c_str(), {1, 6});
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % p, 4711, comm, &sending);
    gathering.wait();
    MPI_Wait(&receiving, &status);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, (rank + p - 1) % p);
    EXPECT_EQ(status.MPI_TAG, 4711);
    gathering.expect_right();
  }
}

TEST(Requests, PersistentOnesStartInAnyOrder) {
  const int rank = rank_in(MPI_COMM_WORLD);
  Gatherings all = every_choice(MPI_COMM_WORLD);
  for (const auto& each : all) each->make_persistent();
  for (int time = 0; time < 10; ++time) {
    for (const auto& each : all) {
      each->renew(time);
      int done = 0;
      EXPECT_EQ(toccata_test(&each->request, &done), MPI_SUCCESS);
      EXPECT_EQ(done, 1) << "an inactive request has ended";
    }
    std::vector<Gathering*> order;
    for (const auto& each : all) order.push_back(each.get());
    std::rotate(order.begin(), order.begin() + (rank + time) % order.size(), order.end());
    for (Gathering* each : order) EXPECT_EQ(toccata_start(&each->request), MPI_SUCCESS);
    if (time == 3) expect_allgather_works(MPI_COMM_WORLD, "sparbit");
    if (rank % 2 == 1) std::ranges::reverse(order);
    for (Gathering* each : order) {
      each->wait();
      EXPECT_NE(each->request, TOCCATA_REQUEST_NULL);
      each->expect_right();
    }
  }
  for (const auto& each : all) {
    EXPECT_EQ(toccata_request_free(&each->request), MPI_SUCCESS);
    EXPECT_EQ(each->request, TOCCATA_REQUEST_NULL);
  }
}

// A complete persistent call, while another one may be open.
TEST(Requests, PersistentOnesRun) {
  Gathering native(MPI_COMM_WORLD, {3, 0}, "native"), other(MPI_COMM_WORLD, {4, 1}, "bruck");
  Gatherings all = every_choice(MPI_COMM_WORLD);
  for (const auto& each : all) each->make_persistent();
  native.make_persistent();
  for (int time = 0; time < 3; ++time) {
    if (time == 1) other.start();
    for (const auto& each : all) {
      each->renew(time);
      EXPECT_EQ(toccata_run(&each->request), MPI_SUCCESS);
      each->expect_right();
    }
    native.renew(time);
    EXPECT_EQ(toccata_run(&native.request), MPI_SUCCESS);
    native.expect_right();
    if (time == 1) other.wait();
  }
  EXPECT_EQ(toccata_request_free(&native.request), MPI_SUCCESS);
  for (const auto& each : all) EXPECT_EQ(toccata_request_free(&each->request), MPI_SUCCESS);
}

// Starts are local: ranks may order native ones differently, and these continue after their
// communicator is freed. The other ranks complete our request before they create a native
// persistent one.
TEST(Requests, GoOnWhileNativePersistentOnesAreMade) {
  const int rank = rank_in(MPI_COMM_WORLD);
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  Gathering first(comm, {3, 0}, "ring"), second(comm, {3, 1}, "native");
  first.start();
  if (rank != 0) first.wait();
  second.make_persistent();
  if (rank == 0) first.wait();
  first.expect_right();
  EXPECT_EQ(toccata_run(&second.request), MPI_SUCCESS);
  second.expect_right();
  toccata_request_free(&second.request);
}

TEST(Requests, PersistentNative) {
  const int rank = rank_in(MPI_COMM_WORLD);
  OwnedComm comm = duplicate(MPI_COMM_WORLD);
  Gathering first(comm, {3, 0}, "native"), second(comm, {5, 1}, "native");
  first.make_persistent();
  second.make_persistent();
  comm.free();
  first.comm = second.comm = MPI_COMM_WORLD;  // of the same ranks
  for (int time = 0; time < 3; ++time) {
    Gathering* order[] = {&first, &second};
    if (rank % 2 == 1) std::swap(order[0], order[1]);
    for (Gathering* each : order) {
      each->renew(time);
      EXPECT_EQ(toccata_start(&each->request), MPI_SUCCESS);
    }
    for (Gathering* each : {&first, &second}) {
      each->wait();
      each->expect_right();
    }
  }
  EXPECT_EQ(toccata_request_free(&first.request), MPI_SUCCESS);
  EXPECT_EQ(toccata_request_free(&second.request), MPI_SUCCESS);
}

// As in MPI, the program may free a datatype immediately after the call.
TEST(Requests, DatatypesMayBeFreedAtOnce) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const Numbers numbers{3, 4};
  std::vector<int> mine(5), all(5 * p);
  for (int i = 0; i < 3; ++i) mine[2 * i] = numbers.value(rank, i);
  const auto expect_right = [&](const std::string& choice) {
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(all[5 * r + 2 * i], numbers.value(r, i)) << choice << ", rank " << r;
    std::ranges::fill(all, -1);
  };
  std::vector<std::string> every = choices(allgather, MPI_COMM_WORLD);
  every.push_back("native");
  for (const std::string& choice : every) {
    const auto strided = [] {
      MPI_Datatype made;
      MPI_Type_vector(3, 1, 2, MPI_INT, &made);
      MPI_Type_commit(&made);
      return made;
    };
    toccata_request request;
    MPI_Datatype type = strided();
    toccata_iallgather(mine.data(), 1, type, all.data(), 1, type, MPI_COMM_WORLD, choice.c_str(),
                       &request);
    MPI_Type_free(&type);
    const OwnedDatatype another(strided());  // may reuse the freed handle
    EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
    expect_right(choice);

    type = strided();
    toccata_allgather_init(mine.data(), 1, type, all.data(), 1, type, MPI_COMM_WORLD, MPI_INFO_NULL,
                           choice.c_str(), &request);
    MPI_Type_free(&type);
    for (int time = 0; time < 2; ++time) {
      EXPECT_EQ(toccata_start(&request), MPI_SUCCESS);
      EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
      expect_right(choice + ", persistent");
    }
    EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
  }
}

// With the automatic choice, the ranks agree repeatedly, while any requests are open.
TEST(Requests, UnderWayOnSomeRanksWhileAllAgree) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  MPI_Comm lower;
  MPI_Comm_split(MPI_COMM_WORLD, rank < (p + 1) / 2 ? 0 : MPI_UNDEFINED, rank, &lower);
  int word = rank == 0 ? 7 : 0;
  toccata_request request = TOCCATA_REQUEST_NULL;
  if (lower != MPI_COMM_NULL) {
    EXPECT_EQ(toccata_ibcast(&word, 1, MPI_INT, 0, lower, "binomial", &request), MPI_SUCCESS);
  }
  std::vector<int> all(p);
  for (int call = 0; call < 200; ++call) {
    const int mine = rank + call;
    ASSERT_EQ(toccata_allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD, nullptr),
              MPI_SUCCESS);
    for (int other = 0; other < p; ++other) ASSERT_EQ(all[other], other + call);
  }
  if (lower != MPI_COMM_NULL) {
    EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
    EXPECT_EQ(word, 7);
    MPI_Comm_free(&lower);
  }
}

}  // namespace
}  // namespace toccata::test
