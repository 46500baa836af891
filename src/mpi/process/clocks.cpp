#include "mpi/process/clocks.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "mpi/process/gathering.h"
#include "mpi/settings/settings.h"
#include "text/digest.h"
#include "topology/whereabouts.h"

namespace toccata {

namespace {

constexpr int tag = 31417;  // tags up to 32767 are always valid
constexpr int trips = 40;   // the shortest one counts

// One time to or from a rank. If the other rank does not take part, the memory must remain.
bool send(std::int64_t time, int to, MPI_Comm comm) {
  auto kept = std::make_unique<std::int64_t>(time);
  MPI_Request request;
  PMPI_Isend(kept.get(), 1, MPI_INT64_T, to, tag, comm, &request);
  if (ends_in_time(request)) return true;
  static_cast<void>(kept.release());
  return false;
}
bool receive(std::int64_t& time, int from, MPI_Comm comm) {
  auto kept = std::make_unique<std::int64_t>();
  MPI_Request request;
  PMPI_Irecv(kept.get(), 1, MPI_INT64_T, from, tag, comm, &request);
  if (ends_in_time(request)) {
    time = *kept;
    return true;
  }
  static_cast<void>(kept.release());
  return false;
}

bool answer_rank_0(MPI_Comm comm) {
  std::int64_t ignored = 0;
  for (int trip = 0; trip < trips; ++trip)
    if (!receive(ignored, 0, comm) || !send(time_of_node(), 0, comm)) return false;
  return true;
}

// Empty if the rank does not answer.
std::vector<RoundTrip> ask(int rank, MPI_Comm comm) {
  std::vector<RoundTrip> result(trips);
  for (RoundTrip& each : result) {
    each.sent = time_of_node();
    if (!send(each.sent, rank, comm) || !receive(each.answered, rank, comm)) return {};
    each.received = time_of_node();
  }
  return result;
}

}  // namespace

std::int64_t time_of_node() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Linux starts the clock when a node boots. Containers can have time namespaces.
std::uint64_t name_of_clock() {
  std::string boot = boot_id();
  if (boot.empty()) boot = processor_name();
  std::error_code error;
  return digest(boot + std::filesystem::read_symlink("/proc/self/ns/time", error).string());
}

void Clocks::begin(MPI_Comm comm) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  const std::uint64_t mine = name_of_clock();
  std::vector<std::uint64_t> names(p);
  if (PMPI_Allgather(&mine, 1, MPI_UINT64_T, names.data(), 1, MPI_UINT64_T, comm) != MPI_SUCCESS)
    return;
  lowest_.resize(p);
  for (int rank = 0; rank < p; ++rank)
    lowest_[rank] = static_cast<int>(std::ranges::find(names, names[rank]) - names.begin());
  first_ = measure(comm);
}

std::vector<NodeClock> Clocks::end(MPI_Comm comm) {
  const std::vector<Offset> last = measure(comm);
  std::vector<NodeClock> result;
  if (first_.size() == last.size())
    for (std::size_t rank = 0; rank < last.size(); ++rank)
      result.emplace_back(first_[rank], last[rank]);
  return result;
}

// Rank 0 asks one rank per clock.
std::vector<Offset> Clocks::measure(MPI_Comm comm) const {
  int me = 0;
  PMPI_Comm_rank(comm, &me);
  if (me != 0) {
    if (!lowest_.empty() && lowest_[me] == me) answer_rank_0(comm);
    return {};
  }
  std::vector<Offset> result(lowest_.size());
  for (int rank = 1; rank < static_cast<int>(lowest_.size()); ++rank) {
    if (lowest_[rank] == rank) {
      const std::vector<RoundTrip> all = ask(rank, comm);
      if (all.empty()) return {};
      result[rank] = offset_of(all);
    } else {
      result[rank] = result[lowest_[rank]];
    }
  }
  return result;
}

}  // namespace toccata
