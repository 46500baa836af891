// An invalid call gives an MPI error class, through the user's error handler, and does not affect
// later calls.

#include <climits>

#include "support.h"

namespace toccata::test {
namespace {

int handler_calls = 0, handler_class = MPI_SUCCESS;
MPI_Comm handler_comm = MPI_COMM_NULL;

void note_error(MPI_Comm* comm, int* code, ...) {
  ++handler_calls;
  handler_class = error_class(*code);
  handler_comm = *comm;
}

class Errors : public testing::Test {
 protected:
  Errors() {
    MPI_Errhandler noting;
    MPI_Comm_create_errhandler(note_error, &noting);
    MPI_Comm_set_errhandler(noted, noting);
    MPI_Errhandler_free(&noting);
    MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
    handler_calls = 0;
  }

  // The call fails with an error of that class, both on a communicator that returns errors, and on
  // one with a handler that records them. `any` means any error of the MPI library. After a
  // handler, MPI may return any code: MPICH 5 then returns success.
  static constexpr int any = -1;
  enum class By { us, mpi };
  template <typename Call>
  void expect_error(int expected, Call&& call, By by = By::us) {
    const int code = call(returning);
    EXPECT_NE(code, MPI_SUCCESS);
    if (expected != any) {
      EXPECT_EQ(error_class(code), expected);
    }

    const int calls_before = handler_calls;
    const int noted_code = call(noted);
    EXPECT_EQ(handler_calls, calls_before + 1);
    EXPECT_EQ(handler_comm, noted);
    EXPECT_EQ(handler_class, error_class(code));
    if (by == By::us) {
      EXPECT_EQ(error_class(noted_code), error_class(code));
    }

    expect_allgather_works(returning, "sparbit");
    expect_allgather_works(noted, "ring");
  }

  // All ways to request an algorithm.
  void expect_refused(const char* algorithm) {
    SCOPED_TRACE(algorithm);
    expect_error(MPI_ERR_ARG, [&](MPI_Comm comm) {
      return toccata_allgather(mine, 1, MPI_INT, all, 1, MPI_INT, comm, algorithm);
    });
    expect_error(MPI_ERR_ARG, [&](MPI_Comm comm) {
      return toccata_allgatherv(mine, 1, MPI_INT, all, counts, places, MPI_INT, comm, algorithm);
    });
    expect_error(MPI_ERR_ARG, [&](MPI_Comm comm) {
      toccata_request request;
      const int code =
          toccata_iallgather(mine, 1, MPI_INT, all, 1, MPI_INT, comm, algorithm, &request);
      EXPECT_EQ(request, TOCCATA_REQUEST_NULL);
      return code;
    });
    expect_error(MPI_ERR_ARG, [&](MPI_Comm comm) {
      toccata_request request;
      return toccata_allgather_init(mine, 1, MPI_INT, all, 1, MPI_INT, comm, MPI_INFO_NULL,
                                    algorithm, &request);
    });
  }

  static constexpr int most_ranks = 64;
  const int p = size_of(MPI_COMM_WORLD);
  const OwnedComm returning = duplicate(MPI_COMM_WORLD), noted = duplicate(MPI_COMM_WORLD);
  int mine[4] = {1, 2, 3, 4}, all[4 * most_ranks] = {}, counts[most_ranks] = {},
      places[most_ranks] = {};
};

TEST_F(Errors, UnknownAlgorithmOrParameter) {
  for (const char* algorithm : {"nonsense", "", ":", "alltoall/ring", "ring:", "ring:travel",
                                "ring:travel=slow", "sparbit:messages=maybe", "sparbit:color=red"})
    expect_refused(algorithm);
}

TEST_F(Errors, AlgorithmThatCannotRunHere) {
  if ((p & (p - 1)) != 0) expect_refused("recursive_doubling");
  if (p % 2 != 0 && p > 1) expect_refused("neighbor_exchange");
}

// Open MPI stores texts for codes of its own classes. MPICH 4.0 does not, so the texts go to
// standard error.
TEST_F(Errors, AreExplained) {
#ifdef OPEN_MPI
  const int code = toccata_allgather(mine, 1, MPI_INT, all, 1, MPI_INT, returning, "nonsense");
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  EXPECT_NE(std::string(text).find("'nonsense'; expected one of native, "), std::string::npos)
      << text;
#endif
}

// MPI limits the number of error codes, so equal mistakes share one code. A tuner makes thousands
// of mistakes.
TEST_F(Errors, MayBeMany) {
  const auto fail = [&] {
    return toccata_allgather(mine, 1, MPI_INT, all, 1, MPI_INT, returning, "nonsense");
  };
  const int first = fail();
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(fail(), first);
  EXPECT_EQ(error_class(first), MPI_ERR_ARG);
}

// Bruck's scratch would take petabytes of (never touched) memory.
TEST_F(Errors, NotEnoughMemory) {
  MPI_Datatype long_type;
  MPI_Type_contiguous(1 << 24, MPI_CHAR, &long_type);
  MPI_Type_commit(&long_type);
  expect_error(MPI_ERR_NO_MEM, [&](MPI_Comm comm) {
    return toccata_allgather(mine, INT_MAX, long_type, all, INT_MAX, long_type, comm, "bruck");
  });
  expect_error(MPI_ERR_NO_MEM, [&](MPI_Comm comm) {
    toccata_request request;
    EXPECT_EQ(toccata_iallgather(mine, INT_MAX, long_type, all, INT_MAX, long_type, comm, "bruck",
                                 &request),
              MPI_SUCCESS);
    return toccata_wait(&request);
  });
  MPI_Type_free(&long_type);
}

TEST_F(Errors, BadArguments) {
  expect_error(MPI_ERR_COUNT, [&](MPI_Comm comm) {
    return toccata_allgather(mine, -1, MPI_INT, all, 1, MPI_INT, comm, "ring");
  });
  expect_error(MPI_ERR_COUNT, [&](MPI_Comm comm) {
    return toccata_allgather(mine, 1, MPI_INT, all, -1, MPI_INT, comm, "ring");
  });
  expect_error(MPI_ERR_TYPE, [&](MPI_Comm comm) {
    return toccata_allgather(mine, 1, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm, "ring");
  });
  expect_error(MPI_ERR_TYPE, [&](MPI_Comm comm) {
    return toccata_allgather(mine, 1, MPI_INT, all, 1, MPI_DATATYPE_NULL, comm, "ring");
  });
  counts[p - 1] = -1;
  expect_error(MPI_ERR_COUNT, [&](MPI_Comm comm) {
    return toccata_allgatherv(mine, 0, MPI_INT, all, counts, places, MPI_INT, comm, "ring");
  });
  expect_error(any, [&](MPI_Comm comm) {
    return toccata_allgatherv(mine, 0, MPI_INT, all, nullptr, places, MPI_INT, comm, "ring");
  });
  // If no rank names an algorithm, MPI checks the call before any rank reads sizes.
  expect_error(
      MPI_ERR_TYPE,
      [&](MPI_Comm comm) { return toccata_bcast(mine, 1, MPI_DATATYPE_NULL, 0, comm, nullptr); },
      By::mpi);
}

TEST_F(Errors, NoCommunicator) {
  MPI_Errhandler before;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQ(
      error_class(toccata_allgather(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_NULL, "ring")),
      MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  MPI_Errhandler_free(&before);
}

// MPI does not require that any rank detects the error, but no rank may wait forever.
TEST_F(Errors, MoreSentThanExpected) {
  if (p == 1) {
    expect_error(MPI_ERR_TRUNCATE, [&](MPI_Comm comm) {
      return toccata_allgather(mine, 2, MPI_INT, all, 1, MPI_INT, comm, "ring");
    });
    return;
  }
  for (const std::string& choice : choices(allgather, MPI_COMM_WORLD))
    for (const bool blocking : {true, false}) {
#ifdef MPICH_VERSION
      // MPICH 4.0 ends the program if a message that is too long arrives before its receive is
      // posted: it raises this error outside the communicator. If `shared` uses messages, it sends
      // all of them at once.
      if (choice.starts_with("shared")) continue;
#endif
      SCOPED_TRACE(choice + (blocking ? "" : ", nonblocking"));
      const OwnedComm comm = duplicate(MPI_COMM_WORLD);
      toccata_barrier(comm, "dissemination");  // without it, native may serve the nonblocking call
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      const int count = rank_in(comm) == 0 ? 3 : 1;
      toccata_request request = TOCCATA_REQUEST_NULL;
      int code =
          blocking ? toccata_allgather(mine, count, MPI_INT, all, 1, MPI_INT, comm, choice.c_str())
                   : toccata_iallgather(mine, count, MPI_INT, all, 1, MPI_INT, comm, choice.c_str(),
                                        &request);
      if (code == MPI_SUCCESS) code = toccata_wait(&request);
      const int failed = code == MPI_SUCCESS ? 0 : 1;
      if (failed != 0) {
        EXPECT_EQ(error_class(code), MPI_ERR_TRUNCATE);
      }
      int anywhere = 0;
      MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, comm);
      EXPECT_EQ(anywhere, 1);
      expect_allgather_works(comm, choice.c_str());
    }
}

// One request fails on some ranks; the other does not fail.
TEST_F(Errors, WaitallTellsWhichRequestFailed) {
  if (p == 1) GTEST_SKIP() << "takes two ranks";
  const OwnedComm comm = duplicate(MPI_COMM_WORLD), right = duplicate(MPI_COMM_WORLD);
  toccata_barrier(comm, "dissemination");  // without it, native may serve the nonblocking call
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int count = rank_in(comm) == 0 ? 3 : 1;
  std::vector<int> others(p);
  toccata_request requests[2] = {};
  EXPECT_EQ(toccata_iallgather(mine, count, MPI_INT, all, 1, MPI_INT, comm, "ring", &requests[0]),
            MPI_SUCCESS);
  EXPECT_EQ(
      toccata_iallgather(mine, 1, MPI_INT, others.data(), 1, MPI_INT, right, "ring", &requests[1]),
      MPI_SUCCESS);
  int codes[2] = {-1, -1};
  const int code = toccata_waitall_codes(2, requests, codes);
  EXPECT_EQ(code, codes[0] == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_IN_STATUS);
  EXPECT_EQ(codes[1], MPI_SUCCESS);
  const int failed = error_class(codes[0]) == MPI_ERR_TRUNCATE ? 1 : 0;
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(anywhere, 1);
}

TEST_F(Errors, RequestsThatCannotStartOrBeFreed) {
  MPI_Errhandler before;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  toccata_request request = TOCCATA_REQUEST_NULL;
  EXPECT_EQ(error_class(toccata_start(&request)), MPI_ERR_REQUEST);
  EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);

  toccata_iallgather(mine, 1, MPI_INT, all, 1, MPI_INT, returning, "ring", &request);
  EXPECT_EQ(error_class(toccata_start(&request)), MPI_ERR_REQUEST);
  EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);

  toccata_allgather_init(mine, 1, MPI_INT, all, 1, MPI_INT, returning, MPI_INFO_NULL, "ring",
                         &request);
  EXPECT_EQ(toccata_start(&request), MPI_SUCCESS);
  EXPECT_EQ(error_class(toccata_start(&request)), MPI_ERR_REQUEST);
  EXPECT_EQ(error_class(toccata_request_free(&request)), MPI_ERR_REQUEST);
  EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
  EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  MPI_Errhandler_free(&before);
}

// Only the MPI library can detect this error. It must not be fatal if the communicator returns
// errors.
TEST_F(Errors, DatatypeThatIsNotCommitted) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  const int code = toccata_allgather(mine, 1, pair, all, 1, pair, returning, "ring");
  EXPECT_TRUE(code == MPI_SUCCESS || error_class(code) == MPI_ERR_TYPE);
  MPI_Type_free(&pair);
}

}  // namespace
}  // namespace toccata::test
