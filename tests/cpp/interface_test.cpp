// toccata.hpp: each function in its three forms, wrong sizes, errors, requests.

#include <gtest/gtest.h>
#include <numeric>
#include <toccata/toccata.hpp>
#include <vector>

namespace {

using toccata::Communicator;
using toccata::ignored;
using toccata::in_place;
using Ints = std::vector<int>;

// Calls the blocking, the nonblocking and the persistent form, and checks each result.
#define EVERY_FORM(name, result, expected, ...)          \
  do {                                                   \
    const auto restored = result;                        \
    toccata::name(__VA_ARGS__);                          \
    EXPECT_EQ(result, expected) << #name;                \
    result = restored;                                   \
    auto nonblocking = toccata::i##name(__VA_ARGS__);    \
    nonblocking.wait();                                  \
    EXPECT_EQ(result, expected) << "i" #name;            \
    EXPECT_FALSE(nonblocking) << "i" #name;              \
    result = restored;                                   \
    auto persistent = toccata::name##_init(__VA_ARGS__); \
    persistent.run();                                    \
    EXPECT_EQ(result, expected) << #name "_init";        \
    EXPECT_TRUE(persistent) << #name "_init";            \
    result = restored;                                   \
    persistent.start();                                  \
    while (!persistent.test()) {                         \
    }                                                    \
    EXPECT_EQ(result, expected) << #name "_init";        \
    persistent.free();                                   \
    EXPECT_FALSE(persistent) << #name "_init";           \
  } while (false)

struct Interface : testing::Test {
  const Communicator comm{MPI_COMM_WORLD};
  const int p = static_cast<int>(comm.size());
  const int me = comm.rank();
  Ints nothing = Ints(comm.size(), -1);
  // The numbers 0, 1, ..., multiplied and shifted.
  Ints counted(int factor = 1, int first = 0) const {
    Ints result(comm.size());
    for (int i = 0; i < p; ++i) result[i] = first + factor * i;
    return result;
  }
  int sum_before(int end) const { return end * (end - 1) / 2; }
};

TEST_F(Interface, Allgather) {
  const int mine[] = {me};
  Ints all = nothing;
  EVERY_FORM(allgather, all, counted(), mine, all, comm, "sparbit");
  Ints own = nothing;
  own[me] = me;
  EVERY_FORM(allgather, own, counted(), in_place, own, comm, "ring");
}

TEST_F(Interface, Allgatherv) {
  const Ints mine{me}, counts(comm.size(), 1);
  Ints places = counted(-1, p - 1), all = nothing;
  EVERY_FORM(allgatherv, all, counted(-1, p - 1), mine, all, counts, places, comm, "bruck");
}

TEST_F(Interface, Alltoall) {
  const Ints mine = counted(1, 100 * me);
  Ints all = nothing;
  EVERY_FORM(alltoall, all, counted(100, me), mine, all, comm, "pairwise");
  const Ints ones(comm.size(), 1), places = counted();
  EVERY_FORM(alltoallv, all, counted(100, me), mine, ones, places, all, ones, places, comm,
             "linear");
  const std::vector<MPI_Datatype> types(comm.size(), MPI_INT);
  const Ints bytes = counted(sizeof(int));
  EVERY_FORM(alltoallw, all, counted(100, me), mine.data(), ones, bytes, types, all.data(), ones,
             bytes, types, comm, "linear");
}

TEST_F(Interface, FromAndToTheRoot) {
  const int root = p - 1;
  std::vector<double> message(3, me == root ? 2.5 : 0.0);
  EVERY_FORM(bcast, message, std::vector<double>(3, 2.5), message, root, comm, "binomial");

  const Ints mine{me}, ones(comm.size(), 1), places = counted();
  Ints all = nothing;
  const Ints at_root = me == root ? counted() : nothing;
  EVERY_FORM(gather, all, at_root, mine, all, root, comm, "linear");
  EVERY_FORM(gatherv, all, at_root, mine, all, ones, places, root, comm, "linear");
  if (me == root)
    toccata::gather(mine, all, root, comm, "binomial");
  else
    toccata::gather(mine, ignored, root, comm, "binomial");
  EXPECT_EQ(all, at_root);

  const Ints given = counted(10);
  Ints part{-1};
  EVERY_FORM(scatter, part, Ints{10 * me}, given, part, root, comm, "binomial");
  EVERY_FORM(scatterv, part, Ints{10 * me}, given, ones, places, part, root, comm, "linear");
  part = {-1};
  if (me == root)
    toccata::scatter(given, part, root, comm);
  else
    toccata::scatter(ignored, part, root, comm);
  EXPECT_EQ(part, Ints{10 * me});
}

TEST_F(Interface, Reductions) {
  const Ints mine{me, 2 * me};
  const int all = sum_before(p), before = sum_before(me);
  Ints sum{0, 0};
  EVERY_FORM(allreduce, sum, (Ints{all, 2 * all}), mine, sum, std::plus<>(), comm, "ring");
  EVERY_FORM(scan, sum, (Ints{before + me, 2 * (before + me)}), mine, sum, std::plus<int>(), comm,
             "linear");
  const Ints exclusive = me == 0 ? Ints{0, 0} : Ints{before, 2 * before};
  sum = {0, 0};
  EVERY_FORM(exscan, sum, exclusive, mine, sum, MPI_SUM, comm, "recursive_doubling");
  sum = {0, 0};
  const Ints at_root = me == 0 ? Ints{p - 1, 2 * (p - 1)} : sum;
  EVERY_FORM(reduce, sum, at_root, mine, sum, toccata::maximum, 0, comm, "binomial");
  if (me == 0)
    toccata::reduce(mine, sum, std::bit_or<>(), 0, comm);
  else
    toccata::reduce(mine, ignored, std::bit_or<>(), 0, comm);
  Ints own{me};
  EVERY_FORM(allreduce, own, Ints{0}, in_place, own, toccata::minimum, comm);

  const Ints of_all = counted();
  Ints part{-1};
  EVERY_FORM(reduce_scatter_block, part, Ints{p * me}, of_all, part, std::plus<>(), comm, "ring");
  const Ints ones(comm.size(), 1);
  EVERY_FORM(reduce_scatter, part, Ints{p * me}, of_all, part, ones, std::plus<>(), comm,
             "pairwise");
}

TEST_F(Interface, Barrier) {
  toccata::barrier(comm, "dissemination");
  toccata::ibarrier(comm).wait();
  auto again = toccata::barrier_init(comm, "knomial");
  again.run();
  again.run();
}

// From the next lower rank to the next higher one, on two edges.
TEST_F(Interface, Neighbors) {
  const Ints below(2, (me + p - 1) % p), above(2, (me + 1) % p);
  MPI_Comm circle;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, below.data(), MPI_UNWEIGHTED, 2, above.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &circle);
  const Communicator ring(circle);
  ASSERT_EQ(ring.sources(), 2U);
  ASSERT_EQ(ring.destinations(), 2U);
  const Ints mine{me}, ones{1, 1}, places{1, 0}, straight{0, 1}, both{10 * me, 10 * me + 1};
  const Ints its{10 * below[0], 10 * below[0] + 1}, crossed{its[1], its[0]};
  Ints all{-1, -1};
  EVERY_FORM(neighbor_allgather, all, below, mine, all, ring, "direct");
  EVERY_FORM(neighbor_allgatherv, all, below, mine, all, ones, places, ring);
  EVERY_FORM(neighbor_alltoall, all, its, both, all, ring, "direct");
  EVERY_FORM(neighbor_alltoallv, all, crossed, both, ones, straight, all, ones, places, ring);
  const std::vector<MPI_Aint> bytes{0, sizeof(int)};
  const std::vector<MPI_Datatype> types(2, MPI_INT);
  EVERY_FORM(neighbor_alltoallw, all, its, both.data(), ones, bytes, types, all.data(), ones, bytes,
             types, ring, "direct");
  MPI_Comm_free(&circle);
}

TEST_F(Interface, SizesThatDoNotFit) {
  const Ints mine(2);
  Ints wrong(2 * comm.size() + 1), right(2 * comm.size());
  const auto said = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const toccata::Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said([&] { toccata::allgather(mine, wrong, comm); }),
            "toccata: the receive buffer has " + std::to_string(2 * p + 1) +
                " elements; expected " + std::to_string(2 * p));
  EXPECT_EQ(said([&] { toccata::bcast(wrong, p, comm); }), "toccata: root " + std::to_string(p) +
                                                               " is not a rank; expected 0 to " +
                                                               std::to_string(p - 1));
  const Ints counts(comm.size(), 3), places(comm.size(), 0);
  EXPECT_EQ(
      said([&] { toccata::allgatherv(mine, right, Ints(comm.size() + 1), places, comm); }),
      "toccata: counts has " + std::to_string(p + 1) + " elements; expected " + std::to_string(p));
  EXPECT_EQ(said([&] { toccata::allgatherv(mine, right, counts, Ints(comm.size(), 2 * p), comm); }),
            "toccata: block 0 does not lie in the receive buffer of " + std::to_string(2 * p) +
                " elements");
  EXPECT_EQ(said([&] { toccata::barrier(MPI_COMM_NULL); }),
            "toccata: the communicator is MPI_COMM_NULL");
}

TEST_F(Interface, ErrorsAreThrown) {
  MPI_Comm mute;
  MPI_Comm_dup(MPI_COMM_WORLD, &mute);
  MPI_Comm_set_errhandler(mute, MPI_ERRORS_RETURN);
  Ints all = nothing;
  const Ints mine{me};
  const std::string unknown = "sparbt";
  try {
    toccata::allgather(mine, all, mute, toccata::named(unknown));
    ADD_FAILURE() << "no exception";
  } catch (const toccata::Error& error) {
    int error_class;
    MPI_Error_class(error.code(), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_ARG);
#ifdef OPEN_MPI  // MPICH 4.0 has no text for a class, so the library prints it
    EXPECT_NE(std::string(error.what()).find("sparbt"), std::string::npos) << error.what();
#endif
  }
  EXPECT_THROW(toccata::Request().start(), toccata::Error);
  MPI_Comm_free(&mute);
}

TEST_F(Interface, Intercommunicators) {
  if (p < 2) GTEST_SKIP();
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 1, &between);
  EXPECT_THROW(toccata::barrier(between), toccata::Error);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

TEST_F(Interface, Requests) {
  const Ints mine{me};
  std::vector<Ints> all(3, nothing);
  std::vector<toccata::Request> requests;
  for (Ints& each : all) requests.push_back(toccata::iallgather(mine, each, comm, "ring"));
  toccata::wait_all(requests);
  EXPECT_EQ(all, std::vector<Ints>(3, counted()));

  requests.clear();
  for (Ints& each : all) requests.push_back(toccata::iallgather(mine, each, comm, "ring"));
  while (!toccata::test_all(requests)) {
  }
  EXPECT_EQ(toccata::wait_any(requests), MPI_UNDEFINED);

  all.assign(3, nothing);
  for (int i = 0; i < 3; ++i) requests[i] = toccata::iallgather(mine, all[i], comm, "ring");
  int ended = toccata::wait_any(requests);
  ASSERT_GE(ended, 0);
  EXPECT_EQ(all[ended], counted());
  EXPECT_FALSE(requests[ended]);
  while ((ended = toccata::test_any(requests)) == MPI_UNDEFINED) {
  }
  EXPECT_EQ(all[ended], counted());
  Ints codes(3, -1);
  toccata::wait_all(requests, codes);
  EXPECT_EQ(codes, Ints(3, MPI_SUCCESS));

  all.assign(3, nothing);
  {
    const toccata::Request waits_here = toccata::iallgather(mine, all[0], comm, "ring");
    toccata::Request moved = toccata::iallgather(mine, all[1], comm, "ring");
    moved = toccata::iallgather(mine, all[2], comm, "ring");
    EXPECT_EQ(all[1], counted());
  }
  EXPECT_EQ(all, std::vector<Ints>(3, counted()));
}

TEST_F(Interface, CommunicatorsForPatterns) {
  MPI_Comm near = toccata::reordered(MPI_COMM_WORLD, "ring");
  int same;
  MPI_Comm_compare(near, MPI_COMM_WORLD, &same);
  EXPECT_NE(same, MPI_UNEQUAL);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "toccata_allgather", "ring");
  toccata::set_info(near, info);
  MPI_Info_free(&info);
  MPI_Comm_free(&near);
  EXPECT_EQ(toccata::version(), TOCCATA_VERSION);
}

struct Own {
  int number;
};

}  // namespace

template <>
struct toccata::Datatype<Own> {
  static MPI_Datatype get() { return MPI_INT; }
};

namespace {

TEST_F(Interface, ElementTypes) {
  std::vector<Own> own{{me == 0 ? 7 : 0}};
  toccata::bcast(own, 0, comm);
  EXPECT_EQ(own[0].number, 7);
  std::complex<double> value[] = {{1, 2}}, sum[] = {{0, 0}};
  toccata::allreduce(value, sum, std::plus<>(), comm);
  EXPECT_EQ(sum[0], std::complex<double>(p, 2 * p));
  std::array<std::byte, 1> bits{std::byte(1 << me % 8)}, any{};
  toccata::allreduce(bits, any, std::bit_or<>(), comm);
  EXPECT_EQ(any[0], std::byte((1 << std::min(p, 8)) - 1));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  testing::InitGoogleTest(&argc, argv);
  const int code = RUN_ALL_TESTS();
  MPI_Finalize();
  return code;
}
