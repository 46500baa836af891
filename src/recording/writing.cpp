// The end of a recording: rank 0 gets the counts of all ranks, and writes them.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "mpi/agreement/overdue.h"
#include "recording/recorder.h"
#include "topology/placements.h"
#include "topology/readers.h"

namespace toccata::recording {

namespace {

// The counts of a rank and a peer, as messages carry them.
struct Row {
  std::int32_t peer, phase;
  std::uint8_t kind, incoming;
  std::uint64_t messages, bytes;
};

constexpr std::array names{"point-to-point", "neighborhood", "one-sided", "collective"};

// The rows of each rank on rank 0.
template <typename Row>
std::vector<std::vector<Row>> gather(const std::vector<Row>& own, int p, bool is_root) {
  const int number = static_cast<int>(own.size());
  std::vector<int> numbers(is_root ? p : 0), first(is_root ? p + 1 : 0);
  PMPI_Gather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < numbers.size(); ++i) first[i + 1] = first[i] + numbers[i];
  std::vector<Row> all(is_root ? first[p] : 0);
  MPI_Datatype row;
  PMPI_Type_contiguous(sizeof(Row), MPI_BYTE, &row);
  PMPI_Type_commit(&row);
  PMPI_Gatherv(own.data(), number, row, all.data(), numbers.data(), first.data(), row, 0,
               MPI_COMM_WORLD);
  PMPI_Type_free(&row);
  std::vector<std::vector<Row>> rows;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    rows.emplace_back(all.begin() + first[i], all.begin() + first[i + 1]);
  return rows;
}

std::vector<std::string> gather_hosts(int p, bool is_root) {
  constexpr std::size_t length = MPI_MAX_PROCESSOR_NAME;
  std::array<char, length> own{};
  int used = 0;
  PMPI_Get_processor_name(own.data(), &used);
  std::string all(is_root ? p * length : 0, '\0');
  PMPI_Gather(own.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> hosts;
  for (std::size_t at = 0; at < all.size(); at += length) hosts.emplace_back(all.c_str() + at);
  return hosts;
}

std::vector<Whereabouts> gather_whereabouts(const Whereabouts& own, int p, bool is_root) {
  std::vector<Whereabouts> all(is_root ? p : 0);
  PMPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
  return all;
}

// The first line of the library's text, by which Python knows its algorithms.
std::string library_text() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  const std::string whole = text.data();
  return whole.substr(0, whole.find('\n'));
}

// Fewer of each rank if there are many ranks, so that the file does not become huge.
std::size_t most_entries(int p) { return std::max(64, (1 << 16) / p); }

// A row of the file; phase 1 is not named, unless an algorithm follows.
nlohmann::json in_phase(nlohmann::json row, std::int64_t phase, const std::string& algorithm = "") {
  if (phase != 1 || !algorithm.empty()) row.push_back(phase);
  if (!algorithm.empty()) row.push_back(algorithm);
  return row;
}

// Appends what Calls::saved has returned on a rank.
void add_calls(const std::vector<std::int64_t>& saved, nlohmann::json& traffic) {
  auto at = saved.begin();
  nlohmann::json& communicators = traffic["communicators"];
  const auto before = static_cast<std::int64_t>(communicators.size());
  traffic["left_out"] = traffic["left_out"].get<std::int64_t>() + *at++;
  std::vector<std::string> algorithms;
  for (std::int64_t left = *at++; left > 0; --left) {
    const std::int64_t length = *at++;
    algorithms.emplace_back(at, at + length);
    at += length;
  }
  for (std::int64_t groups = *at++; groups > 0; --groups) {
    nlohmann::json runs = nlohmann::json::array();
    for (std::int64_t left = *at++; left > 0; --left, at += 3)
      runs.push_back({at[0], at[1], at[2]});
    communicators.push_back(std::move(runs));
  }
  for (std::int64_t entries = *at++; entries > 0; --entries, at += 8)
    traffic["collectives"].push_back(in_phase({routine_names[at[1]], before + at[0], at[4], at[3],
                                               at[5], at[2] != 0 ? "blocking" : "nonblocking"},
                                              at[6], algorithms[at[7]]));
}

// Files with algorithms, or with collectives that older versions did not distinguish, have version
// 4, and files with phases version 3. Other files remain readable for programs that know version 2.
int version_of(const nlohmann::json& traffic) {
  const auto has_more_than = [](std::size_t numbers) {
    return [=](const nlohmann::json& row) { return row.size() > numbers; };
  };
  const auto is_new = [](const nlohmann::json& row) {
    return row.size() > 7 || row[0] == "allgatherv" || row[0] == "reduce_scatter_block";
  };
  const auto &pairs = traffic["pairs"], &collectives = traffic["collectives"];
  if (std::ranges::any_of(collectives, is_new)) return 4;
  return std::ranges::any_of(pairs, has_more_than(5)) ||
                 std::ranges::any_of(collectives, has_more_than(6))
             ? 3
             : 2;
}

// A rank that has not loaded this library never comes. After ten seconds, a line names the remedy.
void wait_for_all(int p) {
  Overdue overdue("the recorder's MPI_Finalize on all " + std::to_string(p) + " ranks");
  MPI_Request request;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int ended = 0; ended == 0; overdue.tick()) {
    PMPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    std::this_thread::yield();
  }
}

// Returns the error, or "". An interrupted write leaves no broken file.
std::string write_file(const std::string& file, const std::string& contents) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    return "it is not a file";
  const std::string partial = file + ".partial";
  std::FILE* const stream = std::fopen(partial.c_str(), "w");
  if (stream == nullptr) return std::strerror(errno);
  const bool written = std::fwrite(contents.data(), 1, contents.size(), stream) == contents.size();
  if (std::fclose(stream) != 0 || !written || std::rename(partial.c_str(), file.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(partial.c_str());
    return why;
  }
  return "";
}

}  // namespace

void Recorder::write() {
  int p = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &p);
  const bool is_root = rank_ == 0;
  std::vector<Row> own;
  for (const auto& [peer, counter] : counters_)
    if (counter.messages > 0)
      own.push_back({peer.rank, phases_.number(peer.phase), static_cast<std::uint8_t>(peer.kind),
                     std::uint8_t{peer.incoming}, counter.messages, counter.bytes});
  wait_for_all(p);
  const auto rows = gather(own, p, is_root);
  const auto calls = gather(calls_.saved(most_entries(p), phases_), p, is_root);
  const auto hosts = gather_hosts(p, is_root);
  const auto whereabouts = gather_whereabouts(own_, p, is_root);
  const std::array<std::uint64_t, 2> mine{outside_.second.messages, outside_.second.bytes};
  std::array<std::uint64_t, 2> outside{};
  PMPI_Reduce(mine.data(), outside.data(), 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!is_root) return;

  nlohmann::json pairs = nlohmann::json::array();
  for (int rank = 0; rank < p; ++rank)
    for (const Row& each : rows[rank]) {
      const int from = each.incoming != 0 ? each.peer : rank;
      const int to = each.incoming != 0 ? rank : each.peer;
      pairs.push_back(
          in_phase({from, to, names[each.kind], each.messages, each.bytes}, each.phase));
    }
  std::vector<std::int32_t> cores;  // in the numbers of each node; -1 if a rank may leave a core
  for (const Whereabouts& each : whereabouts) cores.push_back(each.objects.back());
  const Placement placement = placement_of(whereabouts);
  nlohmann::json traffic{{"ranks", p},
                         {"mpi", library_text()},
                         {"machine", saved(with_hosts(placement, hosts))},
                         {"placement", text(placement)},
                         {"cores", std::move(cores)},
                         {"pairs", std::move(pairs)},
                         {"communicators", nlohmann::json::array()},
                         {"collectives", nlohmann::json::array()},
                         {"left_out", 0},
                         {"outside", outside}};
  for (const auto& each : calls) add_calls(each, traffic);
  traffic["toccata_traffic"] = version_of(traffic);
  const auto text = traffic.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (const std::string why = write_file(file_, text); !why.empty())
    std::fprintf(stderr,
                 "toccata: cannot write the traffic to '%s': %s. Give --record a file "
                 "that the host of rank 0 can write.\n",
                 file_.c_str(), why.c_str());
}

}  // namespace toccata::recording
