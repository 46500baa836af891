// Sparse exchanges: receivers do not have the list of their senders, but this test has all
// messages.

#include <thread>

#include "support.h"

namespace toccata::test {
namespace {

const std::vector<const char*> algorithms{nullptr, "nbx", "locality_nbx", "native"};

// The number of integers that each rank sends to each other one in a call; the same on all ranks.
class Graph {
 public:
  // A message exists for `density` percent of all pairs; one of ten messages is long.
  Graph(int p, int density, unsigned seed) : p_(p), counts_(static_cast<std::size_t>(p) * p) {
    std::minstd_rand random(seed + 1);
    for (int& count : counts_)
      if (static_cast<int>(random() % 100) < density)
        count = static_cast<int>(random() % (random() % 10 == 0 ? 20000 : 12));
  }
  int count(int from, int to) const { return counts_[static_cast<std::size_t>(from) * p_ + to]; }
  int p() const { return p_; }

 private:
  int p_;
  std::vector<int> counts_;
};

int value(int from, int to, int i) { return 1000000 * from + 10000 * to + i; }

// Calls an algorithm and checks all received messages.
void expect_exchanged(const Graph& graph, MPI_Comm comm, const char* algorithm,
                      toccata_messages& messages) {
  const int me = rank_in(comm);
  std::vector<int> destinations, counts, places, data;
  for (int i = 0; i < graph.p(); ++i) {
    const int to = (i + me) % graph.p();
    if (graph.count(me, to) == 0 && i % 2 == 0) continue;  // counts of 0 are allowed
    destinations.push_back(to);
    counts.push_back(graph.count(me, to));
    places.push_back(static_cast<int>(data.size()));
    for (int k = 0; k < counts.back(); ++k) data.push_back(value(me, to, k));
  }
  ASSERT_EQ(toccata_sparse_alltoallv(data.data(), static_cast<int>(destinations.size()),
                                     destinations.data(), counts.data(), places.data(), MPI_INT,
                                     MPI_INT, comm, algorithm, &messages),
            MPI_SUCCESS);
  int place = 0;
  for (int from = 0; from < graph.p(); ++from) {
    const int count = graph.count(from, me);
    if (count == 0) continue;
    ASSERT_LT(place, messages->count);
    const toccata_message& message = messages->list[place++];
    EXPECT_EQ(message.source, from);
    ASSERT_EQ(message.count, count);
    for (int k = 0; k < count; ++k)
      ASSERT_EQ(static_cast<const int*>(message.data)[k], value(from, me, k));
  }
  EXPECT_EQ(place, messages->count);
}

// One handle for all calls; each call reuses its memory.
TEST(Sparse, RandomGraphs) {
  toccata_messages messages = TOCCATA_MESSAGES_NULL;
  const auto exchange = [&](MPI_Comm comm) {
    for (const char* algorithm : algorithms)
      for (const int density : {0, 10, 40, 100})
        for (unsigned seed = 0; seed < 3; ++seed)
          expect_exchanged(Graph(size_of(comm), density, seed), comm, algorithm, messages);
  };
  exchange(MPI_COMM_WORLD);
  for (const MPI_Comm comm : KindsOfCommunicator()) exchange(comm);
  EXPECT_EQ(toccata_messages_free(&messages), MPI_SUCCESS);
  EXPECT_EQ(messages, TOCCATA_MESSAGES_NULL);
  EXPECT_EQ(toccata_messages_free(&messages), MPI_SUCCESS);
}

// Rank 0 is always late, so the other ranks already send for the next exchange. Other collectives
// run between the exchanges.
TEST(Sparse, ExchangesOneAfterTheOtherDoNotMix) {
  toccata_messages messages = TOCCATA_MESSAGES_NULL;
  const int p = size_of(MPI_COMM_WORLD);
  for (unsigned call = 0; call < 60; ++call) {
    if (rank_in(MPI_COMM_WORLD) == 0 && call % 8 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    expect_exchanged(Graph(p, 50, call), MPI_COMM_WORLD, call % 5 == 0 ? "locality_nbx" : "nbx",
                     messages);
    if (call % 7 == 0) expect_allgather_works(MPI_COMM_WORLD, "ring");
  }
  toccata_messages_free(&messages);
}

// A nonblocking collective advances while an exchange waits. An exchange does not receive messages
// of another communicator.
TEST(Sparse, BesideOtherCalls) {
  const OwnedComm other = duplicate(MPI_COMM_WORLD);
  const int p = size_of(other);
  const Numbers numbers{4, 1};
  const std::vector<int> mine = numbers.of(rank_in(other));
  std::vector<int> all(std::size_t(4) * p);
  expect_allgather_works(other, "ring");
  toccata_messages messages = TOCCATA_MESSAGES_NULL, others = TOCCATA_MESSAGES_NULL;
  for (unsigned call = 0; call < 10; ++call) {
    toccata_request request;
    ASSERT_EQ(toccata_iallgather(mine.data(), 4, MPI_INT, all.data(), 4, MPI_INT, other, "bruck",
                                 &request),
              MPI_SUCCESS);
    expect_exchanged(Graph(p, 30, call), MPI_COMM_WORLD, "nbx", messages);
    expect_exchanged(Graph(p, 30, call + 100), other, "nbx", others);
    EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
    EXPECT_EQ(all, numbers.of_all(p));
  }
  toccata_messages_free(&messages);
  toccata_messages_free(&others);
}

TEST(Sparse, TwoThreads) {
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  const OwnedComm first = duplicate(MPI_COMM_WORLD), second = duplicate(MPI_COMM_WORLD);
  const auto use = [](MPI_Comm comm, unsigned seed) {
    toccata_messages messages = TOCCATA_MESSAGES_NULL;
    for (unsigned call = 0; call < 40; ++call)
      expect_exchanged(Graph(size_of(comm), 30, seed + call), comm, "nbx", messages);
    toccata_messages_free(&messages);
  };
  std::thread thread([&] { use(first, 0); });
  use(second, 1000);
  thread.join();
}

// Every pair of datatypes, sent to the next rank.
TEST(Sparse, Datatypes) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int p = size_of(comm), me = rank_in(comm), to = (me + 1) % p, from = (me + p - 1) % p;
  toccata_messages messages = TOCCATA_MESSAGES_NULL;
  for (const TypeCase& each : TypeCases::for_this_job())
    for (const char* algorithm : algorithms) {
      if (each.sendcount == 0) continue;
      SCOPED_TRACE(each.name);
      Memory send(each.sendtype, each.sendcount, me), sent(each.sendtype, each.sendcount, from);
      const int place = 0;
      ASSERT_EQ(toccata_sparse_alltoallv(send.address(), 1, &to, &each.sendcount, &place,
                                         each.sendtype, each.recvtype, comm, algorithm, &messages),
                MPI_SUCCESS);
      ASSERT_EQ(messages->count, toccata::size_of(each.sendtype) > 0 ? 1 : 0);
      if (messages->count == 0) continue;
      EXPECT_EQ(messages->list[0].source, from);
      ASSERT_EQ(messages->list[0].count, each.recvcount);
      // Both sides are equal after packing.
      const auto pack = [&](void* data, int count, MPI_Datatype type) {
        int bytes = 0, end = 0;
        MPI_Pack_size(count, type, comm, &bytes);
        std::vector<char> result(bytes);
        MPI_Pack(data, count, type, result.data(), bytes, &end, comm);
        result.resize(end);
        return result;
      };
      EXPECT_EQ(pack(messages->list[0].data, each.recvcount, each.recvtype),
                pack(sent.address(), each.sendcount, each.sendtype));
    }
  toccata_messages_free(&messages);
}

// All ranks refuse the call before they send anything; the next exchange works.
TEST(Sparse, Errors) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int p = size_of(comm);
  toccata_messages messages = TOCCATA_MESSAGES_NULL;
  const std::vector<int> data(8), places(8), twice{0, 0};
  const auto call = [&](std::vector<int> to, int count, const char* algorithm) {
    const std::vector<int> counts(to.size(), count);
    return toccata_sparse_alltoallv(data.data(), static_cast<int>(to.size()), to.data(),
                                    counts.data(), places.data(), MPI_INT, MPI_INT, comm, algorithm,
                                    &messages);
  };
  EXPECT_EQ(error_class(call({p}, 1, "nbx")), MPI_ERR_RANK);
#ifdef OPEN_MPI  // MPICH 4.0 has no texts for codes of its classes
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(call({p}, 1, "nbx"), text, &length);
  EXPECT_NE(std::string(text).find("destinations[0] is " + std::to_string(p)), std::string::npos);
#endif
  EXPECT_EQ(error_class(call({-1}, 1, nullptr)), MPI_ERR_RANK);
  EXPECT_EQ(error_class(call(twice, 1, "locality_nbx")), MPI_ERR_RANK);
  EXPECT_EQ(error_class(call({0}, -1, "nbx")), MPI_ERR_COUNT);
  EXPECT_EQ(error_class(call({0}, 1, "bruck")), MPI_ERR_ARG);
  EXPECT_EQ(error_class(toccata_sparse_alltoallv(data.data(), 0, nullptr, nullptr, nullptr, MPI_INT,
                                                 MPI_INT, comm, "nbx", nullptr)),
            MPI_ERR_ARG);
  EXPECT_EQ(error_class(toccata_sparse_alltoallv(data.data(), -1, nullptr, nullptr, nullptr,
                                                 MPI_INT, MPI_INT, comm, "nbx", &messages)),
            MPI_ERR_COUNT);
  EXPECT_NE(toccata_sparse_alltoallv(data.data(), 0, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL,
                                     MPI_INT, comm, "nbx", &messages),
            MPI_SUCCESS);

  // Three integers are not a whole number of pairs: this message is lost, the others arrive.
  const OwnedDatatype pair = [] {
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    return committed(type);
  }();
  const int me = rank_in(comm), to = (me + 1) % p, place = 0;
  for (const char* algorithm : algorithms)
    for (const int count : {3, 4}) {
      const int code = toccata_sparse_alltoallv(data.data(), 1, &to, &count, &place, MPI_INT,
                                                pair.get(), comm, algorithm, &messages);
      EXPECT_EQ(error_class(code), count == 3 ? MPI_ERR_TYPE : MPI_SUCCESS);
      EXPECT_EQ(messages->count, count == 3 ? 0 : 1);
    }
  for (const char* algorithm : algorithms)
    expect_exchanged(Graph(p, 60, 1), comm, algorithm, messages);
  toccata_messages_free(&messages);
}

}  // namespace
}  // namespace toccata::test
