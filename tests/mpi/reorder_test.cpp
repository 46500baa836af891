// Communicators with reordered ranks, and collectives in which a rank plays the part of another
// one.
#include <numeric>

#include "mpi/call/functions.h"
#include "mpi/communicator/communicator.h"
#include "support.h"
#include "topology/reorder/patterns.h"

namespace toccata {
namespace {

using test::rank_in;
using test::size_of;

MPI_Info info_of(const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, const_cast<char*>(key), const_cast<char*>(value));
  return info;
}

TEST(CommReorder, MapsRanksByThePattern) {
  const test::OwnedComm backwards = test::split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD));
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_Comm{backwards}}) {
    const int p = size_of(comm);
    MPI_Comm made;
    ASSERT_EQ(toccata_comm_reorder(comm, "ring", MPI_INFO_NULL, &made), MPI_SUCCESS);
    const int mine = rank_in(comm);
    std::vector<int> players(p);
    PMPI_Allgather(&mine, 1, MPI_INT, players.data(), 1, MPI_INT, made);
    const auto placement = Communicator::of(comm)->placement();
    EXPECT_EQ(players, find_pattern("ring")->map(*placement, {}));
    EXPECT_EQ(players[0], 0);
    MPI_Comm_free(&made);
    ASSERT_EQ(toccata_comm_reorder(comm, "allgather/sparbit", MPI_INFO_NULL, &made), MPI_SUCCESS);
    EXPECT_EQ(size_of(made), p);
    MPI_Comm_free(&made);
    MPI_Info off = info_of("toccata_reorder", "off");
    ASSERT_EQ(toccata_comm_reorder(comm, "ring", off, &made), MPI_SUCCESS);
    EXPECT_EQ(rank_in(made), rank_in(comm));
    MPI_Comm_free(&made);
    MPI_Info_free(&off);
  }
}

TEST(CommReorder, NamesWhatCannotBe) {
  const test::OwnedComm comm = test::duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm made;
  EXPECT_EQ(test::error_class(toccata_comm_reorder(comm, "spiral", MPI_INFO_NULL, &made)),
            MPI_ERR_ARG);
  EXPECT_EQ(test::error_class(toccata_comm_reorder(comm, "allgather/none", MPI_INFO_NULL, &made)),
            MPI_ERR_ARG);
  EXPECT_EQ(test::error_class(toccata_comm_reorder(comm, nullptr, MPI_INFO_NULL, &made)),
            MPI_ERR_ARG);
  MPI_Info wrong = info_of("toccata_reorder", "upwards");
  EXPECT_EQ(test::error_class(toccata_comm_set_info(comm, wrong)), MPI_ERR_ARG);
  MPI_Info_free(&wrong);
  MPI_Info half = info_of("toccata_reorder", "exchange");
  MPI_Info_set(half, const_cast<char*>("toccata_pattern"), const_cast<char*>("spiral"));
  EXPECT_EQ(test::error_class(toccata_comm_set_info(comm, half)), MPI_ERR_ARG);
  EXPECT_EQ(Communicator::of(comm)->reorder_wish().how, Reorder::off)
      << "an invalid info changes nothing";
  MPI_Info_free(&half);
  MPI_Info unknown = info_of("toccata_allgather", "rung");
  EXPECT_EQ(test::error_class(toccata_comm_set_info(comm, unknown)), MPI_ERR_ARG);
  MPI_Info_free(&unknown);
}

// The info takes effect at the next call, for any earlier algorithm.
TEST(CommSetInfo, SaysWhoServes) {
  const test::OwnedComm comm = test::duplicate(MPI_COMM_WORLD);
  if (size_of(comm) == 1) GTEST_SKIP() << "needs at least two ranks";
  const auto served_by = [&](std::size_t count) {
    std::vector<int> mine(count), all(count * size_of(comm));
    const Operation call =
        operations::allgather(mine.data(), static_cast<int>(count), MPI_INT, all.data(),
                              static_cast<int>(count), MPI_INT, comm);
    toccata_allgather(mine.data(), static_cast<int>(count), MPI_INT, all.data(),
                      static_cast<int>(count), MPI_INT, comm, nullptr);
    Communicator& communicator = *Communicator::of(comm);
    Decision* const decision = communicator.decisions().made_for(communicator.question(call));
    return decision == nullptr ? "none" : decision->current().service->choice.text();
  };
  EXPECT_EQ(served_by(1), "none");
  for (const char* name : {"ring", "bruck"}) {
    MPI_Info info = info_of("toccata_allgather", (std::string(name) + "<=1K, native").c_str());
    ASSERT_EQ(toccata_comm_set_info(comm, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    EXPECT_EQ(served_by(1), name);
    EXPECT_EQ(served_by(1000), "native");
  }
}

// The result is correct in every order mode, set by the communicator's info and by the algorithm's
// name.
TEST(Reordered, GivesWhatMpiGives) {
  for (const char* how : {"auto", "straight", "exchange", "shuffle"}) {
    test::OwnedComm comm = test::split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD));
    MPI_Info info = info_of("toccata_reorder", how);
    MPI_Info_set(info, const_cast<char*>("toccata_pattern"), const_cast<char*>("bruck"));
    ASSERT_EQ(toccata_comm_set_info(comm, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    const int p = size_of(comm), rank = rank_in(comm);
    const int count = 7;
    std::vector<int> mine(count * p), all(count * p), expected(count * p);
    std::iota(mine.begin(), mine.end(), 1000 * rank);
    PMPI_Allgather(mine.data(), count, MPI_INT, expected.data(), count, MPI_INT, comm);
    for (const char* name : {"ring", "bruck", "sparbit", "hierarchical", "ring:reorder=straight"}) {
      std::ranges::fill(all, -1);
      ASSERT_EQ(
          toccata_allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm, name),
          MPI_SUCCESS);
      EXPECT_EQ(all, expected) << name << ", " << how;
    }
    PMPI_Alltoall(mine.data(), count, MPI_INT, expected.data(), count, MPI_INT, comm);
    ASSERT_EQ(
        toccata_alltoall(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm, "bruck"),
        MPI_SUCCESS);
    EXPECT_EQ(all, expected) << "alltoall, " << how;
    for (int root = 0; root < p; ++root) {
      std::vector<int> sum(count, -1), wanted(count, -1);
      PMPI_Reduce(mine.data(), wanted.data(), count, MPI_INT, MPI_SUM, root, comm);
      ASSERT_EQ(
          toccata_reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, comm, "binomial"),
          MPI_SUCCESS);
      EXPECT_EQ(sum, wanted) << "reduce, " << how;
    }
  }
}

}  // namespace
}  // namespace toccata
