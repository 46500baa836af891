// Loops of short calls as programs write them: with several operations, datatypes, lengths, roots
// or communicators in turn, with counts per rank, or with objects that live for one call. Each
// pattern runs with the library that is preloaded (MPI_) and without it (PMPI_), in turns. Rank 0
// prints, for each pattern, the medians in ns per call and the speedup. With an argument, only
// patterns whose name contains it. This program does not use Toccata.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace {

// The functions that one side calls.
struct Api {
#define FUNCTION(name) decltype(&MPI_##name) name;
#define FUNCTIONS(F)      \
  F(Allreduce)            \
  F(Bcast)                \
  F(Barrier)              \
  F(Allgather)            \
  F(Reduce)               \
  F(Alltoall)             \
  F(Allgatherv)           \
  F(Alltoallv)            \
  F(Gatherv)              \
  F(Reduce_scatter)       \
  F(Reduce_scatter_block) \
  F(Scan)                 \
  F(Gather)               \
  F(Scatter)              \
  F(Iallreduce) F(Ibcast) F(Ibarrier) F(Wait) F(Test) F(Comm_split) F(Comm_dup) F(Comm_free)
  FUNCTIONS(FUNCTION)
#undef FUNCTION
};
#define PRELOADED(name) MPI_##name,
#define DIRECT(name) PMPI_##name,
constexpr Api preloaded{FUNCTIONS(PRELOADED)}, direct{FUNCTIONS(DIRECT)};

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<double*>(inout)[i] += static_cast<double*>(in)[i];
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<long>(values.size()) / 2);
  return values[values.size() / 2];
}

using Pattern = std::pair<const char*, std::function<void(const Api&, int)>>;  // by call number

// Times one pattern. A sample is `calls` calls; samples of both sides take turns.
void measure(const Pattern& pattern, int rank) {
  constexpr int calls = 500, samples = 61, warm_up = 3000;
  const auto seconds = [&](const Api& api, int number) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int i = 0; i < number; ++i) pattern.second(api, i);
    return MPI_Wtime() - began;
  };
  seconds(preloaded, warm_up);  // the library may compare algorithms in the first calls
  std::array<std::vector<double>, 2> times;
  for (int sample = 0; sample < samples; ++sample)
    for (const int side : {sample % 2, 1 - sample % 2})
      times[side].push_back(seconds(side == 0 ? direct : preloaded, calls) / calls * 1e9);
  const double without = median(times[0]), with = median(times[1]);
  if (rank == 0)
    std::printf("%-40s %9.0f %9.0f %8.2f\n", pattern.first, without, with, without / with);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm world = MPI_COMM_WORLD;
  int rank = 0, p = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &p);
  std::vector<double> in(1 << 13, 1), out(1 << 13, 1);
  double *const a = in.data(), *const b = out.data();
  const std::vector<int> ones(p, 1);
  std::vector<int> places(p);
  std::iota(places.begin(), places.end(), 0);
  const std::array operations{MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD};
  const std::array types{MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_LONG};
  std::array<MPI_Comm, 24> comms{};
  for (MPI_Comm& each : comms) MPI_Comm_dup(world, &each);
  MPI_Datatype with_gaps = MPI_DATATYPE_NULL;
  MPI_Type_vector(8, 1, 2, MPI_DOUBLE, &with_gaps);
  MPI_Type_commit(&with_gaps);
  const auto allreduce = [&](const Api& mpi, MPI_Comm comm, int count = 1, MPI_Op op = MPI_SUM,
                             MPI_Datatype type = MPI_DOUBLE) {
    mpi.Allreduce(a, b, count, type, op, comm);
  };
  const auto finish = [](const Api& mpi, MPI_Request request) {
    mpi.Wait(&request, MPI_STATUS_IGNORE);
  };

  const std::vector<Pattern> patterns{
      {"allreduce", [&](const Api& mpi, int) { allreduce(mpi, world); }},
      {"allreduce in place",
       [&](const Api& mpi, int) { mpi.Allreduce(MPI_IN_PLACE, b, 1, MPI_DOUBLE, MPI_MAX, world); }},
      {"allreduce, 64 buffers",
       [&](const Api& mpi, int i) {
         mpi.Allreduce(a + i % 64, b + i % 64, 1, MPI_DOUBLE, MPI_SUM, world);
       }},
      {"allreduce, 4 operations",
       [&](const Api& mpi, int i) { allreduce(mpi, world, 1, operations[i % 4]); }},
      {"allreduce, 4 datatypes",
       [&](const Api& mpi, int i) { allreduce(mpi, world, 1, MPI_MAX, types[i % 4]); }},
      {"allreduce, 8 to 488 B",
       [&](const Api& mpi, int i) { allreduce(mpi, world, 1 + i % 16 * 4, MPI_MAX); }},
      {"allreduce, 4 communicators", [&](const Api& mpi, int i) { allreduce(mpi, comms[i % 4]); }},
      {"allreduce, 24 communicators",
       [&](const Api& mpi, int i) { allreduce(mpi, comms[i % 24]); }},
      {"allreduce, 64 KiB", [&](const Api& mpi, int) { allreduce(mpi, world, 1 << 13); }},
      {"allreduce, own operation",
       [&](const Api& mpi, int) {
         MPI_Op own = MPI_OP_NULL;
         MPI_Op_create(add, 1, &own);
         allreduce(mpi, world, 1, own);
         MPI_Op_free(&own);
       }},
      {"allreduce of one rank", [&](const Api& mpi, int) { allreduce(mpi, MPI_COMM_SELF); }},
      {"allreduce, bcast, barrier",
       [&](const Api& mpi, int) {
         allreduce(mpi, world);
         mpi.Bcast(a, 1, MPI_DOUBLE, 0, world);
         mpi.Barrier(world);
       }},
      {"five collectives",
       [&](const Api& mpi, int) {
         allreduce(mpi, world);
         mpi.Bcast(a, 4, MPI_INT, 0, world);
         mpi.Allgather(a, 1, MPI_INT, b, 1, MPI_INT, world);
         mpi.Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, 0, world);
         mpi.Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, world);
       }},
      {"bcast, each rank the root",
       [&](const Api& mpi, int i) { mpi.Bcast(a, 1, MPI_DOUBLE, i % p, world); }},
      {"bcast, 8 to 488 B",
       [&](const Api& mpi, int i) { mpi.Bcast(a, 1 + i % 16 * 4, MPI_DOUBLE, 0, world); }},
      {"bcast of a datatype with gaps",
       [&](const Api& mpi, int) { mpi.Bcast(a, 1, with_gaps, 0, world); }},
      {"bcast of a new datatype",
       [&](const Api& mpi, int) {
         MPI_Datatype type = MPI_DATATYPE_NULL;
         MPI_Type_contiguous(4, MPI_DOUBLE, &type);
         MPI_Type_commit(&type);
         mpi.Bcast(a, 1, type, 0, world);
         MPI_Type_free(&type);
       }},
      {"allgather of a datatype with gaps",
       [&](const Api& mpi, int) { mpi.Allgather(a, 1, with_gaps, b, 8, MPI_DOUBLE, world); }},
      {"allgatherv",
       [&](const Api& mpi, int) {
         mpi.Allgatherv(a, 1, MPI_DOUBLE, b, ones.data(), places.data(), MPI_DOUBLE, world);
       }},
      {"alltoallv",
       [&](const Api& mpi, int) {
         mpi.Alltoallv(a, ones.data(), places.data(), MPI_DOUBLE, b, ones.data(), places.data(),
                       MPI_DOUBLE, world);
       }},
      {"gatherv",
       [&](const Api& mpi, int) {
         mpi.Gatherv(a, 1, MPI_DOUBLE, b, ones.data(), places.data(), MPI_DOUBLE, 0, world);
       }},
      {"reduce_scatter",
       [&](const Api& mpi, int) {
         mpi.Reduce_scatter(a, b, ones.data(), MPI_DOUBLE, MPI_SUM, world);
       }},
      {"reduce_scatter_block",
       [&](const Api& mpi, int) { mpi.Reduce_scatter_block(a, b, 1, MPI_DOUBLE, MPI_SUM, world); }},
      {"scan", [&](const Api& mpi, int) { mpi.Scan(a, b, 1, MPI_DOUBLE, MPI_SUM, world); }},
      {"gather",
       [&](const Api& mpi, int) { mpi.Gather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, world); }},
      {"scatter",
       [&](const Api& mpi, int) { mpi.Scatter(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, world); }},
      {"iallreduce, wait",
       [&](const Api& mpi, int) {
         MPI_Request request = MPI_REQUEST_NULL;
         mpi.Iallreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, world, &request);
         finish(mpi, request);
       }},
      {"ibcast, wait",
       [&](const Api& mpi, int) {
         MPI_Request request = MPI_REQUEST_NULL;
         mpi.Ibcast(a, 1, MPI_DOUBLE, 0, world, &request);
         finish(mpi, request);
       }},
      {"ibarrier, test",
       [&](const Api& mpi, int) {
         MPI_Request request = MPI_REQUEST_NULL;
         mpi.Ibarrier(world, &request);
         for (int done = 0; done == 0;) mpi.Test(&request, &done, MPI_STATUS_IGNORE);
       }},
      {"dup, free",
       [&](const Api& mpi, int) {
         MPI_Comm made = MPI_COMM_NULL;
         mpi.Comm_dup(world, &made);
         mpi.Comm_free(&made);
       }},
      {"split, allreduce, free", [&](const Api& mpi, int) {
         MPI_Comm made = MPI_COMM_NULL;
         mpi.Comm_split(world, 0, rank, &made);
         allreduce(mpi, made);
         mpi.Comm_free(&made);
       }}};
  if (rank == 0)
    std::printf("%-40s %9s %9s %8s\n", "8 B unless named; ns", "native", "preloaded", "speedup");
  for (const Pattern& each : patterns)
    if (argc < 2 || std::strstr(each.first, argv[1]) != nullptr) measure(each, rank);

  MPI_Type_free(&with_gaps);
  for (MPI_Comm& each : comms) MPI_Comm_free(&each);
  MPI_Finalize();
}
