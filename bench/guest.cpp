// The cost of a program's collectives for a process. This MPI program does not use Toccata.
// scripts/guest.py runs it bare, preloaded without settings, and preloaded with a forced algorithm.
// Rank 0 prints one line per number, "NAME VALUE":
//
//   first_us                   the first collective of the process
//   communicator_first_us      the first collective on a new communicator; median over many
//   communicator_bytes         heap of a communicator after one call of every collective
//   call_ns COLLECTIVE         8 bytes, blocking; the median over samples of many calls
//   call_ns iallreduce, ...    the same, nonblocking, followed by the wait
//   call_ns bcast_by_turns     the same with each rank as the root in turn
//   call_ns mixed              calls of seven sizes in turn, by each rank, on two communicators
//   datatype_ns                the same allgather of a contiguous, derived datatype
//   added_ns alltoallv, ...    calls that MPI usually serves: MPI_ minus PMPI_, which take turns

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <malloc.h>
#include <string>
#include <utility>
#include <vector>

namespace {

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + values.size() / 2);
  return values[values.size() / 2];
}

std::size_t heap() { return mallinfo2().uordblks; }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<double> mine(p, 1), all(p);
  const std::vector<int> ones(p, 1);
  std::vector<int> places(p);
  for (int i = 0; i < p; ++i) places[i] = i;
  const auto say = [&](const std::string& name, double value) {
    if (rank == 0) std::printf("%s %.1f\n", name.c_str(), value);
  };

  MPI_Datatype derived;
  MPI_Type_contiguous(1, MPI_DOUBLE, &derived);
  MPI_Type_commit(&derived);
  double* const in = mine.data();
  double* const out = all.data();
  // Each takes the function of the MPI library, or its PMPI_ name, which no library intercepts.
  const auto alltoallv = [&](auto call, MPI_Comm c) {
    call(in, ones.data(), places.data(), MPI_DOUBLE, out, ones.data(), places.data(), MPI_DOUBLE,
         c);
  };
  const auto gatherv = [&](auto call, MPI_Comm c) {
    call(in, 1, MPI_DOUBLE, out, ones.data(), places.data(), MPI_DOUBLE, 0, c);
  };
  const auto scatterv = [&](auto call, MPI_Comm c) {
    call(in, ones.data(), places.data(), MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, c);
  };
  const std::vector<std::pair<std::string, std::function<void(MPI_Comm)>>> collectives{
      {"allgather", [&](MPI_Comm c) { MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, c); }},
      {"alltoall", [&](MPI_Comm c) { MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, c); }},
      {"alltoallv", [&](MPI_Comm c) { alltoallv(MPI_Alltoallv, c); }},
      {"bcast", [&](MPI_Comm c) { MPI_Bcast(in, 1, MPI_DOUBLE, 0, c); }},
      {"gather", [&](MPI_Comm c) { MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, c); }},
      {"gatherv", [&](MPI_Comm c) { gatherv(MPI_Gatherv, c); }},
      {"scatter", [&](MPI_Comm c) { MPI_Scatter(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, c); }},
      {"scatterv", [&](MPI_Comm c) { scatterv(MPI_Scatterv, c); }},
      {"reduce", [&](MPI_Comm c) { MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, 0, c); }},
      {"allreduce", [&](MPI_Comm c) { MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, c); }},
      {"reduce_scatter",
       [&](MPI_Comm c) { MPI_Reduce_scatter_block(in, out, 1, MPI_DOUBLE, MPI_SUM, c); }},
      {"scan", [&](MPI_Comm c) { MPI_Scan(in, out, 1, MPI_DOUBLE, MPI_SUM, c); }},
      {"exscan", [&](MPI_Comm c) { MPI_Exscan(in, out, 1, MPI_DOUBLE, MPI_SUM, c); }},
      {"barrier", [&](MPI_Comm c) { MPI_Barrier(c); }}};
  const auto blocks = [&](auto start, MPI_Request* r) {
    start(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD, r);
  };
  const auto iallreduce = [&](auto start, MPI_Request* r) {
    start(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, r);
  };
  const auto ibcast = [&](auto start, MPI_Request* r) {
    start(in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, r);
  };
  const auto ibarrier = [&](auto start, MPI_Request* r) { start(MPI_COMM_WORLD, r); };
  const auto waited = [](auto call, auto start) {
    return [call, start](MPI_Comm) {
      MPI_Request request;
      call(start, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    };
  };
  struct Both {
    std::string name;
    std::function<void(MPI_Comm)> call, directly;
  };
  const std::vector<Both> nonblocking{
      {"iallgather", waited(blocks, MPI_Iallgather), waited(blocks, PMPI_Iallgather)},
      {"ialltoall", waited(blocks, MPI_Ialltoall), waited(blocks, PMPI_Ialltoall)},
      {"ibcast", waited(ibcast, MPI_Ibcast), waited(ibcast, PMPI_Ibcast)},
      {"iallreduce", waited(iallreduce, MPI_Iallreduce), waited(iallreduce, PMPI_Iallreduce)},
      {"ibarrier", waited(ibarrier, MPI_Ibarrier), waited(ibarrier, PMPI_Ibarrier)}};
  const auto called = [](auto form, auto function) {
    return [form, function](MPI_Comm c) { form(function, c); };
  };
  std::vector<Both> compared{
      {"alltoallv", called(alltoallv, MPI_Alltoallv), called(alltoallv, PMPI_Alltoallv)},
      {"gatherv", called(gatherv, MPI_Gatherv), called(gatherv, PMPI_Gatherv)},
      {"scatterv", called(scatterv, MPI_Scatterv), called(scatterv, PMPI_Scatterv)}};
  compared.insert(compared.end(), nonblocking.begin(), nonblocking.end());
  int number = 0;
  MPI_Comm another;
  MPI_Comm_dup(MPI_COMM_WORLD, &another);
  std::vector<double> many(1 << 7);
  const std::vector<std::pair<std::string, std::function<void(MPI_Comm)>>> in_turn{
      {"bcast_by_turns", [&](MPI_Comm c) { MPI_Bcast(in, 1, MPI_DOUBLE, ++number % p, c); }},
      {"mixed", [&](MPI_Comm c) {
         ++number;
         MPI_Bcast(many.data(), 1 << number % 7, MPI_DOUBLE, number % p,
                   number % 2 == 0 ? c : another);
       }}};

  double start = MPI_Wtime();
  MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  say("first_us", (MPI_Wtime() - start) * 1e6);
  for (const auto& [name, call] : collectives) call(MPI_COMM_WORLD);

  // First, each communicator runs one collective; then one call of all collectives.
  constexpr int communicators = 500;
  std::vector<MPI_Comm> comms(communicators);
  std::vector<double> first;
  const std::size_t before = heap();
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    start = MPI_Wtime();
    MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm);
    first.push_back((MPI_Wtime() - start) * 1e6);
    for (const auto& [name, call] : collectives) call(comm);
  }
  say("communicator_first_us", median(first));
  say("communicator_bytes", static_cast<double>(heap() - before) / communicators);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);

  const auto time = [&](int calls, const std::function<void(MPI_Comm)>& call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call(MPI_COMM_WORLD);
    return (MPI_Wtime() - began) / calls * 1e9;
  };
  const auto typical = [&](const std::function<void(MPI_Comm)>& call) {
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) times.push_back(time(500, call));
    return median(times);
  };
  for (const auto& [name, call] : collectives) say("call_ns " + name, typical(call));
  for (const Both& each : nonblocking) say("call_ns " + each.name, typical(each.call));
  for (const auto& [name, call] : in_turn) say("call_ns " + name, typical(call));
  say("datatype_ns",
      typical([&](MPI_Comm c) { MPI_Allgather(in, 1, derived, out, 1, derived, c); }));
  for (const Both& each : compared) {
    std::vector<double> more;
    for (int i = 0; i < 200; ++i) {
      const bool mpi_first = i % 2 == 0;
      const double one = time(200, mpi_first ? each.call : each.directly);
      const double other = time(200, mpi_first ? each.directly : each.call);
      more.push_back(mpi_first ? one - other : other - one);
    }
    say("added_ns " + each.name, median(more));
  }
  MPI_Type_free(&derived);
  MPI_Comm_free(&another);
  MPI_Finalize();
}
