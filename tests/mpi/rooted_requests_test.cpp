// Nonblocking and persistent forms of the rooted collectives and the reductions, their errors, and
// calls that the MPI library serves.

#include <array>
#include <numeric>

#include "support.h"

namespace toccata::test {
namespace {

constexpr int forms = 9;
constexpr int n = 3;

// Every form with its buffers. On rank r, element i has the value 1000 r + i + call.
struct All {
  explicit All(MPI_Comm comm_, int root_) : comm(comm_), root(root_) {
    std::iota(places.begin(), places.end(), 0);
    for (int& place : places) place *= n;
    renew(0);
  }
  All(const All&) = delete;

  int value(int of, int i) const { return 1000 * of + i + call; }
  int sum(int i) const { return 1000 * p * (p - 1) / 2 + p * (i + call); }
  void renew(int call_) {
    call = call_;
    for (int i = 0; i < n * p; ++i) mine[i] = value(rank, i);
    for (int i = 0; i < n * p; ++i) of_all[i] = value(i / n, i % n);
    for (auto& each : got) std::ranges::fill(each, -1);
    if (rank == root) std::copy_n(mine.begin(), n, got[0].begin());
  }

  int nonblocking(int form, const char* algorithm, toccata_request* request) {
    void* into = got[form].data();
    const int* from = mine.data();
    switch (form) {
      case 0:
        return toccata_ibcast(into, n, MPI_INT, root, comm, algorithm, request);
      case 1:
        return toccata_igather(from, n, MPI_INT, into, n, MPI_INT, root, comm, algorithm, request);
      case 2:
        return toccata_igatherv(from, n, MPI_INT, into, counts.data(), places.data(), MPI_INT, root,
                                comm, algorithm, request);
      case 3:
        return toccata_iscatter(of_all.data(), n, MPI_INT, into, n, MPI_INT, root, comm, algorithm,
                                request);
      case 4:
        return toccata_iscatterv(of_all.data(), counts.data(), places.data(), MPI_INT, into, n,
                                 MPI_INT, root, comm, algorithm, request);
      case 5:
        return toccata_ireduce(from, into, n, MPI_INT, MPI_SUM, root, comm, algorithm, request);
      case 6:
        return toccata_iallreduce(from, into, n, MPI_INT, MPI_SUM, comm, algorithm, request);
      case 7:
        return toccata_ireduce_scatter_block(from, into, n, MPI_INT, MPI_SUM, comm, algorithm,
                                             request);
      default:
        return toccata_ireduce_scatter(from, into, counts.data(), MPI_INT, MPI_SUM, comm, algorithm,
                                       request);
    }
  }
  int persistent(int form, const char* algorithm, toccata_request* request) {
    void* into = got[form].data();
    const int* from = mine.data();
    const MPI_Info info = MPI_INFO_NULL;
    switch (form) {
      case 0:
        return toccata_bcast_init(into, n, MPI_INT, root, comm, info, algorithm, request);
      case 1:
        return toccata_gather_init(from, n, MPI_INT, into, n, MPI_INT, root, comm, info, algorithm,
                                   request);
      case 2:
        return toccata_gatherv_init(from, n, MPI_INT, into, counts.data(), places.data(), MPI_INT,
                                    root, comm, info, algorithm, request);
      case 3:
        return toccata_scatter_init(of_all.data(), n, MPI_INT, into, n, MPI_INT, root, comm, info,
                                    algorithm, request);
      case 4:
        return toccata_scatterv_init(of_all.data(), counts.data(), places.data(), MPI_INT, into, n,
                                     MPI_INT, root, comm, info, algorithm, request);
      case 5:
        return toccata_reduce_init(from, into, n, MPI_INT, MPI_SUM, root, comm, info, algorithm,
                                   request);
      case 6:
        return toccata_allreduce_init(from, into, n, MPI_INT, MPI_SUM, comm, info, algorithm,
                                      request);
      case 7:
        return toccata_reduce_scatter_block_init(from, into, n, MPI_INT, MPI_SUM, comm, info,
                                                 algorithm, request);
      default:
        return toccata_reduce_scatter_init(from, into, counts.data(), MPI_INT, MPI_SUM, comm, info,
                                           algorithm, request);
    }
  }

  void expect_right(int form) const {
    const bool only_root = form == 1 || form == 2 || form == 5;
    if (only_root && rank != root) return;
    const int count = form == 1 || form == 2 ? n * p : n;
    for (int i = 0; i < count; ++i) {
      const int expected = form == 0                ? value(root, i)
                           : form == 1 || form == 2 ? value(i / n, i % n)
                           : form == 3 || form == 4 ? value(rank, i)
                           : form <= 6              ? sum(i)
                                                    : sum(n * rank + i);
      EXPECT_EQ(got[form][i], expected) << "form " << form << ", place " << i;
    }
  }

  MPI_Comm comm;
  int root;
  int rank = rank_in(comm), p = size_of(comm), call = 0;
  std::vector<int> counts = std::vector<int>(p, n), places = std::vector<int>(p);
  std::vector<int> mine = std::vector<int>(n * p), of_all = std::vector<int>(n * p);
  std::array<std::vector<int>, forms> got = [this] {
    std::array<std::vector<int>, forms> result;
    result.fill(std::vector<int>(n * p));
    return result;
  }();
};

const Collective& collective_of(int form) {
  static const std::array all{&bcast,  &gather,    &gatherv,        &scatter,       &scatterv,
                              &reduce, &allreduce, &reduce_scatter, &reduce_scatter};
  return *all[form];
}

// The algorithm of a collective for this turn; native is one of them.
std::string choice_of(int form, MPI_Comm comm, int turn) {
  std::vector<std::string> all = choices(collective_of(form), comm, one_travel);
  all.emplace_back("native");
  return all[turn % all.size()];
}

TEST(RootedRequests, RunAllFormsAtOnce) {
  const int p = size_of(MPI_COMM_WORLD);
  for (int turn = 0; turn < 12; ++turn) {
    SCOPED_TRACE(turn);
    All all(MPI_COMM_WORLD, turn % p);
    std::array<toccata_request, forms> requests;
    for (int form = 0; form < forms; ++form)
      ASSERT_EQ(
          all.nonblocking(form, choice_of(form, MPI_COMM_WORLD, turn).c_str(), &requests[form]),
          MPI_SUCCESS);
    EXPECT_EQ(toccata_waitall(forms, requests.data()), MPI_SUCCESS);
    for (int form = 0; form < forms; ++form) all.expect_right(form);
  }
}

TEST(RootedRequests, PersistentOnesStartInAnyOrder) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  for (int turn = 0; turn < 12; ++turn) {
    SCOPED_TRACE(turn);
    All all(MPI_COMM_WORLD, turn % p);
    std::array<toccata_request, forms> requests;
    for (int form = 0; form < forms; ++form)
      ASSERT_EQ(
          all.persistent(form, choice_of(form, MPI_COMM_WORLD, turn).c_str(), &requests[form]),
          MPI_SUCCESS);
    for (int start = 1; start <= 2; ++start) {
      all.renew(start);
      for (int i = 0; i < forms; ++i)
        EXPECT_EQ(toccata_start(&requests[(i + rank) % forms]), MPI_SUCCESS);
      EXPECT_EQ(toccata_waitall(forms, requests.data()), MPI_SUCCESS);
      for (int form = 0; form < forms; ++form) all.expect_right(form);
    }
    all.renew(3);
    for (int form = 0; form < forms; ++form) {
      EXPECT_EQ(toccata_run(&requests[form]), MPI_SUCCESS);
      all.expect_right(form);
    }
    for (toccata_request& each : requests) EXPECT_EQ(toccata_request_free(&each), MPI_SUCCESS);
  }
}

TEST(RootedErrors, HaveTheirClass) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int p = size_of(comm), rank = rank_in(comm);
  std::vector<int> all(p), minus(p, -1);
  int mine = 1, sum = 0;
  const auto expect = [](int expected, int code) { EXPECT_EQ(error_class(code), expected); };
  for (const int root : {-100, p})
    for (const char* algorithm : {"linear", "binomial"}) {
      expect(MPI_ERR_ROOT,
             toccata_gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, root, comm, algorithm));
      expect(MPI_ERR_ROOT,
             toccata_scatter(all.data(), 1, MPI_INT, &mine, 1, MPI_INT, root, comm, algorithm));
    }
  expect(MPI_ERR_ROOT, toccata_bcast(&mine, 1, MPI_INT, p, comm, "binomial"));
  expect(MPI_ERR_ROOT, toccata_reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, -100, comm, "binomial"));
  expect(MPI_ERR_COUNT, toccata_bcast(&mine, -1, MPI_INT, 0, comm, "binomial"));
  expect(MPI_ERR_TYPE, toccata_bcast(&mine, 1, MPI_DATATYPE_NULL, 0, comm, "binomial"));
  expect(MPI_ERR_COUNT, toccata_allreduce(&mine, &sum, -1, MPI_INT, MPI_SUM, comm, "ring"));
  expect(MPI_ERR_OP, toccata_allreduce(&mine, &sum, 1, MPI_INT, MPI_OP_NULL, comm, "ring"));
  expect(MPI_ERR_COUNT,
         toccata_reduce_scatter(all.data(), &sum, minus.data(), MPI_INT, MPI_SUM, comm, "ring"));
  if (rank != 0)  // the other ranks would wait forever
    expect(MPI_ERR_ARG,
           toccata_reduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, 0, comm, "binomial"));
  // For calls that the standard does not define, the MPI library checks the arguments.
  EXPECT_NE(toccata_allreduce(&mine, &sum, 1, MPI_FLOAT, MPI_BAND, comm, "ring"), MPI_SUCCESS);
  expect(MPI_ERR_ARG, toccata_allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, "nonsense"));

  EXPECT_EQ(toccata_allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, "ring"), MPI_SUCCESS);
  EXPECT_EQ(sum, p);
}

TEST(Rooted, IntercommunicatorsAreTheMpiLibrarys) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  if (p < 2) GTEST_SKIP() << "needs two groups";
  const bool low = rank < p / 2;
  const OwnedComm half = split(MPI_COMM_WORLD, low ? 0 : 1, rank);
  MPI_Comm made;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? p / 2 : 0, 0, &made);
  const OwnedComm inter(made);
  const int root = low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  int number = rank == 0 ? 42 : -1;
  EXPECT_EQ(toccata_bcast(&number, 1, MPI_INT, root, inter, "binomial"), MPI_SUCCESS);
  EXPECT_EQ(number, low && rank != 0 ? -1 : 42);
  toccata_request request;
  number = rank == 0 ? 43 : -1;
  EXPECT_EQ(
      toccata_bcast_init(&number, 1, MPI_INT, root, inter, MPI_INFO_NULL, "binomial", &request),
      MPI_SUCCESS);
  EXPECT_EQ(toccata_run(&request), MPI_SUCCESS);
  EXPECT_EQ(number, low && rank != 0 ? -1 : 43);
  EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
}

}  // namespace
}  // namespace toccata::test
