// Compares scan and exscan with a local result for each rank: every algorithm and travel setting,
// every kind of operation and datatype.

#include "operands.h"

namespace toccata::test {
namespace {

// The number of ranks, starting with rank 0, that contribute to this rank's result.
int contributors(const Collective& collective, int rank) {
  return collective.contributors({}, rank);
}

void expect_prefix(const Collective& collective, MPI_Comm comm, const OperandCase& operands,
                   int count, bool in_place, const Travels& travels = one_travel) {
  SCOPED_TRACE(std::string(collective.name) + " of " + std::to_string(count) + " " + operands.name +
               (in_place ? ", in place" : ""));
  const int rank = rank_in(comm), ranks = contributors(collective, rank);
  const Memory send = operands.of(rank, count);
  const Memory recv = in_place ? send : operands.of(1000 + rank, count);
  const OnHost host(operands.may_be_native());
  expect_like_native(
      collective, comm, send, recv,
      [&](void*, void* into) {  // an exscan does not change rank 0's buffer
        return ranks == 0 ? MPI_SUCCESS : operands.combine(ranks, count, 0, count, into);
      },
      [&](void* from, void* into, const char* algorithm) {
        const auto call = &collective == &scan ? toccata_scan : toccata_exscan;
        return call(in_place ? MPI_IN_PLACE : from, into, count, operands.type, operands.operation,
                    comm, algorithm);
      },
      travels);
}

TEST(Scans, EveryOperation) {
  int turn = 0;
  for (const Collective* each : {&scan, &exscan})
    for (const OperandCase& operands : OperandCases())
      for (const int count : operand_counts(size_of(MPI_COMM_WORLD)))
        expect_prefix(*each, MPI_COMM_WORLD, operands, count, turn++ % 2 == 1);
}

TEST(Scans, EveryWayToTravel) {
  const int p = size_of(MPI_COMM_WORLD);
  for (const Collective* each : {&scan, &exscan})
    for (const OperandCase& operands : OperandCases())
      expect_prefix(*each, MPI_COMM_WORLD, operands, 2 * p + 1, false, every_travel);
}

TEST(Scans, EveryKindOfCommunicator) {
  const OperandCases all;
  for (const Collective* each : {&scan, &exscan})
    for (const MPI_Comm comm : KindsOfCommunicator())
      for (const OperandCase& operands : all)
        if (operands.type == MPI_INT || operands.name == "compositions")
          for (const bool in_place : {false, true})
            expect_prefix(*each, comm, operands, 5, in_place);
}

TEST(Scans, NonblockingAndPersistent) {
  const int rank = rank_in(MPI_COMM_WORLD);
  constexpr int n = 3;
  for (const Collective* each : {&scan, &exscan}) {
    const bool inclusive = each == &scan;
    const auto start = inclusive ? toccata_iscan : toccata_iexscan;
    const auto make = inclusive ? toccata_scan_init : toccata_exscan_init;
    std::vector<std::string> all = choices(*each, MPI_COMM_WORLD);
    all.emplace_back("native");
    struct Call {
      std::array<int, n> mine, got;
      toccata_request request;
    };
    std::vector<Call> calls(2 * all.size());
    const auto renew = [&](Call& call, int salt) {
      for (int i = 0; i < n; ++i) call.mine[i] = 100 * rank + i + salt;
      call.got.fill(-1);
    };
    const auto expect_right = [&](const Call& call, int salt, const std::string& choice) {
      const int ranks = contributors(*each, rank);
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(call.got[i], ranks == 0 ? -1 : 100 * ranks * (ranks - 1) / 2 + ranks * (i + salt))
            << each->name << "/" << choice;
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      Call &once = calls[2 * i], &often = calls[2 * i + 1];
      renew(once, static_cast<int>(i));
      ASSERT_EQ(start(once.mine.data(), once.got.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                      all[i].c_str(), &once.request),
                MPI_SUCCESS);
      ASSERT_EQ(make(often.mine.data(), often.got.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                     MPI_INFO_NULL, all[i].c_str(), &often.request),
                MPI_SUCCESS);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(toccata_wait(&calls[2 * i].request), MPI_SUCCESS);
      expect_right(calls[2 * i], static_cast<int>(i), all[i]);
      Call& often = calls[2 * i + 1];
      for (int time = 0; time < 3; ++time) {
        renew(often, time);
        if (time == 2) {
          EXPECT_EQ(toccata_run(&often.request), MPI_SUCCESS);
        } else {
          EXPECT_EQ(toccata_start(&often.request), MPI_SUCCESS);
          EXPECT_EQ(toccata_wait(&often.request), MPI_SUCCESS);
        }
        expect_right(often, time, all[i]);
      }
      EXPECT_EQ(toccata_request_free(&often.request), MPI_SUCCESS);
    }
  }
}

TEST(Scans, ErrorsHaveTheirClass) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int mine = 1, sum = 0;
  const auto expect = [](int expected, int code) { EXPECT_EQ(error_class(code), expected); };
  for (const auto call : {toccata_scan, toccata_exscan}) {
    expect(MPI_ERR_COUNT, call(&mine, &sum, -1, MPI_INT, MPI_SUM, comm, "linear"));
    expect(MPI_ERR_OP, call(&mine, &sum, 1, MPI_INT, MPI_OP_NULL, comm, "linear"));
    expect(MPI_ERR_ARG, call(&mine, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm, "linear"));
    expect(MPI_ERR_ARG, call(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, "nonsense"));
  }
  EXPECT_EQ(toccata_scan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, "linear"), MPI_SUCCESS);
  EXPECT_EQ(sum, rank_in(comm) + 1);
}

}  // namespace
}  // namespace toccata::test
