#include "mpi/communicator/common_clock.h"

#include <array>
#include <map>
#include <span>
#include <vector>

#include "arrivals/node_clock.h"
#include "mpi/process/clocks.h"

namespace toccata {

namespace {

constexpr int trips = 8;  // the shortest one counts

// Messages of one number between this rank and others.
class Numbers {
 public:
  Numbers(const Transport& transport, Background& background)
      : transport_(transport), background_(background) {}

  bool has_failed() const { return failed_; }
  void send(std::int64_t number, int to) {
    MPI_Request request;
    finish(transport_.isend(&number, 1, MPI_INT64_T, to, 0, request), request);
  }
  std::int64_t receive(int from) {
    std::int64_t number = 0;
    MPI_Request request;
    finish(transport_.irecv(&number, 1, MPI_INT64_T, from, 0, request), request);
    return number;
  }

 private:
  void finish(int code, MPI_Request& request) {
    if (code == MPI_SUCCESS) code = Transport::wait(request, background_);
    failed_ = failed_ || code != MPI_SUCCESS;
  }

  const Transport& transport_;
  Background& background_;
  bool failed_ = false;
};

void tell_time(Numbers& numbers, int to, std::int64_t ahead) {
  for (int trip = 0; trip < trips; ++trip) {
    numbers.receive(to);
    numbers.send(time_of_node() - ahead, to);
  }
}

std::int64_t ask_time(Numbers& numbers, int from) {
  std::array<RoundTrip, trips> all;
  for (RoundTrip& each : all) {
    each.sent = time_of_node();
    numbers.send(each.sent, from);
    each.answered = numbers.receive(from);
    each.received = time_of_node();
  }
  return -offset_of(all).ahead;
}

// The lowest rank of each clock, and which of these has the clock of each rank.
struct ClocksOfRanks {
  std::vector<int> lowest, of;

  explicit ClocksOfRanks(const std::vector<std::uint64_t>& names) {
    std::map<std::uint64_t, int> known;
    for (const std::uint64_t name : names) {
      const auto [found, is_new] = known.try_emplace(name, static_cast<int>(lowest.size()));
      if (is_new) lowest.push_back(static_cast<int>(of.size()));
      of.push_back(found->second);
    }
  }
};

// One rank per clock asks a rank that knows the time of rank 0. In each round, the number of those
// that know it doubles. Then they tell the other ranks with the same clock.
//
//   clocks 0 1 2 3     1 asks 0; then 2 asks 0 and 3 asks 1
std::int64_t ahead_of_rank_0(Numbers& numbers, const ClocksOfRanks& clocks, int rank) {
  const int mine = clocks.of[rank];
  if (rank != clocks.lowest[mine]) return numbers.receive(clocks.lowest[mine]);
  std::int64_t ahead = 0;
  const auto number = static_cast<int>(clocks.lowest.size());
  for (int known = 1; known < number; known *= 2) {
    if (mine < known && mine + known < number)
      tell_time(numbers, clocks.lowest[mine + known], ahead);
    if (mine >= known && mine < 2 * known) ahead = ask_time(numbers, clocks.lowest[mine - known]);
  }
  for (int each = rank + 1; each < static_cast<int>(clocks.of.size()); ++each)
    if (clocks.of[each] == mine) numbers.send(ahead, each);
  return ahead;
}

}  // namespace

std::optional<std::int64_t> ahead_of_rank_0(Exchange exchange, const Transport& transport, int rank,
                                            int p) {
  const std::uint64_t name = name_of_clock();
  std::vector<std::uint64_t> names(p);
  if (exchange.allgather(&name, 1, MPI_UINT64_T, names.data()) != MPI_SUCCESS) return {};
  const ClocksOfRanks clocks(names);
  if (clocks.lowest.size() == 1) return 0;
  Numbers numbers(transport, exchange.background());
  const std::int64_t ahead = ahead_of_rank_0(numbers, clocks, rank);
  const double good_here = numbers.has_failed() ? 0 : 1;
  double good = 0;
  const int code = exchange.agree(std::span(&good_here, 1), std::span(&good, 1));
  return code == MPI_SUCCESS && good > 0 ? std::optional(ahead) : std::nullopt;
}

}  // namespace toccata
