// Measures the parts of a machine for `toccata check`: every core, the memory of every host, and
// messages between pairs of hosts. Rank 0 prints one JSON object per line.
//
// One rank of each host sends messages. In a round, each host exchanges with one other host, and
// all pairs are active at the same time. In round r, host i meets host i xor r, as in a tournament:
//
//   4 hosts   round 1: 0-1 2-3     round 2: 0-2 1-3     round 3: 0-3 1-2
//
// With up to 64 hosts, every host meets every other one. With more, it meets up to four hosts at
// each distance of 1, 2, 4, 8, ... hosts.
//
// On a mesh, whose cables pairs would share, all neighbours meet before that. In a round, every
// cable has at most one pair:
//
//   a ring of 5 cells   round 1: 0-1 2-3     round 2: 1-2 3-4     round 3: 4-0
//
// All waiting has a limit. After that, rank 0 prints the ranks that do not answer, and the run
// ends.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "options.h"

namespace toccata::bench {
namespace {

using nlohmann::json;

// The pairs that are active together: hosts whose numbers differ by `distance` in their binary
// digits, or neighbours on a mesh in one dimension.
struct Round {
  enum class Part : std::uint8_t { even, odd, border };  // the lower cells, or those on the border
  int distance = 0, dimension = -1;
  Part part = Part::even;
};

constexpr int most_hosts_of_all_pairs = 64;
constexpr int rounds_per_distance = 4;
constexpr int turns_of_cores = 16;  // groups of hosts that compute one after the other
constexpr std::size_t least_bytes = 64 << 10, most_bytes = 4 << 20;
// Noise only adds time, so the lower quartile of a pair's times is nearer to the truth than the
// median.
constexpr double typical = 0.25;
constexpr double long_enough = 0.015;  // seconds of a long message
constexpr std::size_t memory_bytes = 16 << 20;
enum Tag { command_tag, data_tag, reply_tag, alive_tag };

std::vector<int> rounds_of(int hosts) {
  std::vector<int> rounds;
  for (int distance = 1; distance < hosts; distance *= 2)
    for (int i = 0; i < distance; ++i)
      if (hosts <= most_hosts_of_all_pairs)
        rounds.push_back(distance + i);
      else if (i < rounds_per_distance)
        rounds.push_back(distance + static_cast<int>(i * 2654435761U % distance));
  std::ranges::sort(rounds);
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  return rounds;
}

// The hosts of a job on the cells of a mesh.
class OnMesh {
 public:
  OnMesh() = default;
  OnMesh(std::vector<int> dims, std::vector<int> periodic, std::vector<int> cells)
      : dims_(std::move(dims)), periodic_(std::move(periodic)), cells_(std::move(cells)) {
    int number = 1;
    for (const int size : dims_) number *= size;
    host_at_.assign(number, -1);
    for (std::size_t host = 0; host < cells_.size(); ++host)
      host_at_[cells_[host]] = static_cast<int>(host);
  }

  std::vector<Round> rounds() const {
    std::vector<Round> result;
    for (int dimension = 0; dimension < static_cast<int>(dims_.size()); ++dimension)
      for (const auto part : {Round::Part::even, Round::Part::odd, Round::Part::border})
        result.push_back({.dimension = dimension, .part = part});
    return result;
  }

  // -1 if there is none.
  int peer(int host, const Round& round) const {
    const int size = dims_[round.dimension];
    const int stride = stride_of(round.dimension), at = cells_[host] / stride % size;
    const bool wraps = periodic_[round.dimension] != 0 && size > 2;
    int to = -1;
    if (round.part == Round::Part::border) {
      if (wraps && size % 2 == 1 && (at == 0 || at == size - 1)) to = size - 1 - at;
    } else {
      const bool is_lower = (at % 2 == 0) == (round.part == Round::Part::even);
      to = is_lower ? at + 1 : at - 1;
      const bool crosses = to < 0 || to == size;
      if (crosses) to = wraps && size % 2 == 0 ? (to + size) % size : -1;
    }
    return to < 0 ? -1 : host_at_[cells_[host] + (to - at) * stride];
  }

  bool are_neighbors(int a, int b) const {
    return std::ranges::any_of(rounds(), [&](const Round& each) { return peer(a, each) == b; });
  }

 private:
  int stride_of(int dimension) const {
    int stride = 1;
    for (std::size_t i = dimension + 1; i < dims_.size(); ++i) stride *= dims_[i];
    return stride;
  }

  std::vector<int> dims_, periodic_, cells_, host_at_;
};

// Of ranges such as 0-7; other texts are left out.
std::vector<int> numbers_of(const std::vector<std::string>& ranges) {
  std::vector<int> result;
  for (const std::string& each : ranges) {
    int first = 0, last = 0;
    const int found = std::sscanf(each.c_str(), "%d-%d", &first, &last);
    if (found == 1) last = first;
    for (int number = first; found > 0 && number <= last; ++number) result.push_back(number);
  }
  return result;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::ranges::nth_element(values, values.begin() + at);
  return values[at];
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double processor_time() {
#ifdef TOCCATA_SIMULATED
  return MPI_Wtime();
#else
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
}

// How often another program took the core of this thread.
long interruptions() {
#ifdef TOCCATA_SIMULATED
  return 0;
#else
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nivcsw;
#endif
}

// Computes for about a millisecond, without memory.
std::uint64_t compute(std::uint64_t state) {
  for (int i = 0; i < 400'000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

class Check {
 public:
  explicit Check(CheckOptions options) : options_(std::move(options)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  // Exit code.
  int all() {
    const double start = MPI_Wtime();
    find_hosts();
    if (!options_.names) {
      const std::vector<Round> rounds = all_rounds();
      nodes();
      paired_ = true;
      if (is_leader_ && !rounds.empty()) {
        choose_bytes(rounds.front());
        for (const Round& each : rounds) round(each);
      }
    }
    wait_for_leaders();
    say({{"event", "done"}, {"seconds", MPI_Wtime() - start}});
    return 0;
  }

 private:
  void say(const json& line) const {
    if (rank_ != 0) return;
    std::puts(line.dump().c_str());
    std::fflush(stdout);
  }

  // Hosts are numbered by their first ranks, which are the leaders.
  void find_hosts() {
    std::array<char, MPI_MAX_PROCESSOR_NAME> own{};
    int length = 0;
    MPI_Get_processor_name(own.data(), &length);
    std::vector<char> names(own.size() * size_);
    MPI_Allgather(own.data(), own.size(), MPI_CHAR, names.data(), own.size(), MPI_CHAR,
                  MPI_COMM_WORLD);
    std::map<std::string, int> number;
    for (int rank = 0; rank < size_; ++rank) {
      const std::string name = names.data() + own.size() * rank;
      if (number.try_emplace(name, leaders_.size()).second) {
        leaders_.push_back(rank);
        hosts_.push_back(name);
      }
      host_of_.push_back(number[name]);
    }
    host_ = host_of_[rank_];
    is_leader_ = leaders_[host_] == rank_;
    MPI_Comm_split(MPI_COMM_WORLD, is_leader_ ? 0 : MPI_UNDEFINED, rank_, &among_leaders_);
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_library_version(version, &length);
    say({{"event", "start"},
         {"mpi", std::string(version).substr(0, std::string(version).find_first_of(",\n"))},
         {"hosts", hosts_},
         {"host_of", host_of_}});
  }

  // Those with pairs, in their order.
  std::vector<Round> all_rounds() {
    const int hosts = static_cast<int>(leaders_.size());
    std::vector<Round> result;
    if (!options_.mesh.empty()) {
      mesh_ = OnMesh(options_.mesh, options_.periodic, cells_of_hosts());
      result = mesh_->rounds();
    }
    for (const int each : options_.rounds.empty() ? rounds_of(hosts) : options_.rounds)
      result.push_back({.distance = each});
    std::erase_if(result, [&](const Round& each) {
      for (int host = 0; host < hosts; ++host)
        if (peer_in(each, host) >= 0) return false;
      return true;
    });
    if (options_.backwards) std::ranges::reverse(result);
    return result;
  }

  // Ends the run if the options do not describe these hosts.
  std::vector<int> cells_of_hosts() const {
    std::vector<int> cells = numbers_of(options_.cells);
    std::int64_t number = 1;
    for (const int size : options_.mesh) number = std::min<std::int64_t>(number * size, 1 << 24);
    std::vector<int> sorted = cells;
    std::ranges::sort(sorted);
    const bool fits = cells.size() == leaders_.size() &&
                      options_.periodic.size() == options_.mesh.size() && sorted.front() >= 0 &&
                      sorted.back() < number && std::ranges::adjacent_find(sorted) == sorted.end();
    if (!fits) {
      if (rank_ == 0)
        std::fprintf(stderr, "toccata_check: --mesh, --periodic and --cells do not fit %zu hosts\n",
                     leaders_.size());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return cells;
  }

  // The processor time of a core for the same work, the share of the time for which a rank had its
  // core, how often another program interrupted it, and the processor time to copy memory. Few
  // hosts compute at the same time.
  void nodes() {
    const int hosts = static_cast<int>(leaders_.size());
    std::array<double, 4> own{0, 1, 0, 0};
    for (int turn = 0; turn < std::min(turns_of_cores, hosts); ++turn) {
      if (host_ % turns_of_cores == turn && options_.work > 0) own = probe();
      meet(MPI_COMM_WORLD);
    }
    std::vector<double> all(own.size() * size_);
    gather(own.data(), own.size(), all, MPI_COMM_WORLD);
    if (rank_ != 0) return;
    json cores = json::array();
    for (int rank = 0; rank < size_; ++rank) {
      const double* const of = all.data() + own.size() * rank;
      cores.push_back({of[0], of[1], of[2], of[3]});
    }
    say({{"event", "cores"}, {"cores", cores}});
  }

  std::array<double, 4> probe() {
    std::vector<double> seconds, copies;
    std::uint64_t state = rank_ + 1;
    const double start = MPI_Wtime(), start_processor = processor_time();
    const long interrupted = interruptions();
    for (int i = 0; i < options_.work; ++i) {
      const double before = processor_time();
      state = compute(state);
      seconds.push_back(processor_time() - before);
    }
    const double used = processor_time() - start_processor, passed = MPI_Wtime() - start;
    const auto times = static_cast<double>(interruptions() - interrupted);
    sink_ = state;
    if (is_leader_) {
      std::vector<char> from(memory_bytes, '\1'), into(memory_bytes, '\0');
      for (int i = 0; i < 9; ++i) {
        const double before = processor_time();
        std::memcpy(into.data(), from.data(), memory_bytes);
        copies.push_back(processor_time() - before);
        sink_ = sink_ + into[i];
      }
    }
    const double share = passed > 0 ? std::min(used / passed, 1.0) : 1.0;
    return {quantile(seconds, 0.5), share, times, quantile(copies, 0.5)};
  }

  // The smallest power of two that takes long enough in most of the faster pairs.
  void choose_bytes(const Round& round) {
    const int peer = peer_in(round, host_);
    bytes_ = options_.bytes > 0 ? options_.bytes : least_bytes;
    while (options_.bytes == 0 && bytes_ < most_bytes) {
      reserve();
      double longest = 0;
      if (peer > host_) {
        for (int i = 0; i < 3; ++i) longest = one(peer, bytes_, 0, i == 2);
      } else if (peer >= 0) {
        answer(peer);
      }
      const double own = longest;
      std::vector<double> times(leaders_.size());
      gather(&own, 1, times, among_leaders_);
      std::erase(times, 0.0);
      double common = quantile(times, typical);
      tell_all(common);
      if (common >= long_enough) break;
      bytes_ *= 2;
    }
    reserve();
    say({{"event", "bytes"}, {"bytes", bytes_}});
  }

  void reserve() {
    from_.assign(bytes_, '\1');
    into_.assign(bytes_, '\0');
  }

  // The host that a host meets; -1 if there is none. Neighbours on a mesh meet only once.
  int peer_in(const Round& round, int host) const {
    if (round.dimension >= 0) return mesh_->peer(host, round);
    const int peer = host ^ round.distance;
    if (peer >= static_cast<int>(leaders_.size())) return -1;
    return mesh_ && mesh_->are_neighbors(host, peer) ? -1 : peer;
  }

  void round(const Round& round) {
    const int peer = peer_in(round, host_);
    // The two directions, in an order that depends on the round.
    const std::array<std::array<std::size_t, 2>, 2> ways{{{bytes_, 0}, {0, bytes_}}};
    const int first = options_.backwards ? 1 : 0;
    std::array<double, 5> own{};
    meet(among_leaders_);
    if (peer > host_) {
      const std::vector<double> pings = times(peer, 0, 0, options_.pings, 20, 4 * options_.limit);
      own[0] = quantile(pings, typical) / 2;
      own[1] = mean(pings) / 2;
      // The approximate standard error, from the quartiles.
      own[4] = (quantile(pings, 0.5) - quantile(pings, 0.25)) / own[0] /
               std::sqrt(static_cast<double>(std::max<std::size_t>(pings.size(), 1)));
    } else if (peer >= 0) {
      answer(peer);
    }
    for (const int way : {first, 1 - first}) {
      meet(among_leaders_);
      if (peer > host_)
        own[2 + way] = quantile(
            times(peer, ways[way][0], ways[way][1], options_.messages, 3, options_.limit), typical);
      else if (peer >= 0)
        answer(peer);
    }
    std::vector<double> all(own.size() * leaders_.size());
    gather(own.data(), own.size(), all, among_leaders_);
    if (rank_ != 0) return;
    json pairs = json::array();
    for (int host = 0; host < static_cast<int>(leaders_.size()); ++host)
      if (const int other = peer_in(round, host); other > host) {
        const double* const of = all.data() + own.size() * host;
        pairs.push_back({host, other, of[0], of[1], of[2], of[3], of[4]});
      }
    say({{"event", "round"}, {"pairs", pairs}});
  }

  // Seconds of messages to and from another host, after one without a clock. Ends when all are
  // there, or at the limit, but not before `least`.
  std::vector<double> times(int peer, std::size_t there, std::size_t back, int number, int least,
                            double limit) {
    std::vector<double> seconds;
    one(peer, there, back, false);
    double spent = 0;
    for (bool last = false; !last;) {
      const int next = static_cast<int>(seconds.size()) + 1;
      last = next >= number || (next >= least && spent > limit);
      seconds.push_back(one(peer, there, back, last));
      spent += seconds.back();
    }
    return seconds;
  }

  // A command, the bytes that it announces, and the reply. The host with the lower number asks.
  double one(int peer, std::size_t there, std::size_t back, bool last) {
    const int to = leaders_[peer];
    const std::array<std::uint64_t, 3> command{there, back, last};
    const double start = MPI_Wtime();
    std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(into_.data(), static_cast<int>(back), MPI_CHAR, to, reply_tag, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(command.data(), command.size(), MPI_UINT64_T, to, command_tag, MPI_COMM_WORLD,
              &requests[1]);
    if (there > 0)
      MPI_Isend(from_.data(), static_cast<int>(there), MPI_CHAR, to, data_tag, MPI_COMM_WORLD,
                &requests[2]);
    wait(requests.data(), requests.size(), true);
    return MPI_Wtime() - start;
  }

  // Replies until the last command.
  void answer(int peer) {
    const int to = leaders_[peer];
    std::array<std::uint64_t, 3> command{};
    while (command[2] == 0) {
      MPI_Request request;
      MPI_Irecv(command.data(), command.size(), MPI_UINT64_T, to, command_tag, MPI_COMM_WORLD,
                &request);
      wait(&request, 1, true);
      if (command[0] > 0) {
        MPI_Irecv(into_.data(), static_cast<int>(command[0]), MPI_CHAR, to, data_tag,
                  MPI_COMM_WORLD, &request);
        wait(&request, 1, true);
      }
      MPI_Isend(from_.data(), static_cast<int>(command[1]), MPI_CHAR, to, reply_tag, MPI_COMM_WORLD,
                &request);
      wait(&request, 1, true);
    }
  }

  void meet(MPI_Comm comm) {
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    wait(&request, 1, false);
  }

  void gather(const double* own, std::size_t number, std::vector<double>& all, MPI_Comm comm) {
    MPI_Request request;
    MPI_Igather(own, static_cast<int>(number), MPI_DOUBLE, all.data(), static_cast<int>(number),
                MPI_DOUBLE, 0, comm, &request);
    wait(&request, 1, false);
  }

  void tell_all(double& value) {
    MPI_Request request;
    MPI_Ibcast(&value, 1, MPI_DOUBLE, 0, among_leaders_, &request);
    wait(&request, 1, false);
  }

  // The ranks that do not send messages sleep until the leaders have finished.
  void wait_for_leaders() {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    options_.patience = options_.lifetime;
    wait(&request, 1, false);
  }

  // Waits for all requests. A waiting rank polls and sleeps in turns; if times depend on it, it
  // polls for 50 µs without sleeping.
  void wait(MPI_Request* requests, std::size_t number, bool timed) {
#ifdef TOCCATA_SIMULATED
    static_cast<void>(timed);
    MPI_Waitall(static_cast<int>(number), requests, MPI_STATUSES_IGNORE);
#else
    const double start = MPI_Wtime();
    for (;;) {
      int done = 0;
      MPI_Testall(static_cast<int>(number), requests, &done, MPI_STATUSES_IGNORE);
      if (done != 0) return;
      const double waited = MPI_Wtime() - start;
      if (waited > options_.patience) accuse();
      if (!timed || waited > 50e-6) usleep(timed ? 20 : 200);
    }
#endif
  }

  // A rank has waited too long. Every rank that can still send tells rank 0, which names the others
  // and ends the run.
  [[noreturn]] void accuse() {
    char word = 0;
    MPI_Request request;
    if (rank_ != 0) {
      MPI_Isend(&word, 1, MPI_CHAR, 0, alive_tag, MPI_COMM_WORLD, &request);
      for (int done = 0;; usleep(1000)) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    std::vector<char> words(size_);
    std::vector<MPI_Request> requests(size_, MPI_REQUEST_NULL);
    for (int rank = 1; rank < size_; ++rank)
      MPI_Irecv(&words[rank], 1, MPI_CHAR, rank, alive_tag, MPI_COMM_WORLD, &requests[rank]);
    std::vector<bool> silent(size_, true);
    silent[0] = false;
    const double start = MPI_Wtime();
    for (int left = size_ - 1; left > 0 && MPI_Wtime() - start < 3; usleep(1000))
      for (int rank = 1; rank < size_; ++rank) {
        int done = 0;
        if (silent[rank]) MPI_Test(&requests[rank], &done, MPI_STATUS_IGNORE);
        if (done != 0) silent[rank] = false, --left;
      }
    json ranks = json::array();
    for (int rank = 0; rank < size_; ++rank)
      if (silent[rank] && !is_waiting_alone(rank)) ranks.push_back(rank);
    say({{"event", "silent"}, {"ranks", ranks}});
    MPI_Abort(MPI_COMM_WORLD, 3);
    std::_Exit(3);
  }

  // Whether a rank only waits for the leaders, and so need not answer yet.
  bool is_waiting_alone(int rank) const { return paired_ && leaders_[host_of_[rank]] != rank; }

  CheckOptions options_;
  int rank_ = 0, size_ = 0, host_ = 0;
  bool is_leader_ = false, paired_ = false;
  std::vector<std::string> hosts_;
  std::vector<int> host_of_, leaders_;
  std::optional<OnMesh> mesh_;
  std::size_t bytes_ = 0;
  std::vector<char> from_, into_;
  MPI_Comm among_leaders_ = MPI_COMM_NULL;
  volatile std::uint64_t sink_ = 0;  // keeps the compiler from removing the work
};

int run(int argc, char** argv) {
  CheckOptions options;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (const auto end = parse(argc, argv, rank == 0, options)) return *end;
#ifndef TOCCATA_SIMULATED
  alarm(options.lifetime);
  prctl(PR_SET_TIMERSLACK, 1000UL);  // ns; short sleeps would take 50 µs longer
#endif
  return Check(options).all();
}

}  // namespace
}  // namespace toccata::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = toccata::bench::run(argc, argv);
  MPI_Finalize();
  return code;
}
