#include "mpi/process/report.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

namespace toccata {

namespace {

std::string readable_bytes(double bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

std::string readable_seconds(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.2f s", seconds);
  return text;
}

// Ranks without a request for a report do not take part; rank 0 must not wait for them forever.
bool ends_in_time(MPI_Request& request) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
  int ended = 0;
  while (ended == 0 && Clock::now() < end) {
    PMPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    std::this_thread::yield();
  }
  return ended != 0;
}

}  // namespace

namespace {

void add_up(Report::Row& into, const Report::Row& from) {
  into.calls += from.calls;
  into.bytes += from.bytes;
  into.seconds += from.seconds;
  into.outside += from.outside;
  for (const auto each :
       {&Evidence::predicted, &Evidence::measured, &Evidence::native, &Evidence::bound})
    if (from.times.*each > 0) into.times.*each = from.times.*each;
  if (from.times.nodes > 0) into.times.nodes = from.times.nodes;
}

}  // namespace

std::string Report::serialized() const {
  std::ostringstream out;
  out.precision(17);
  for (const auto& [key, row] : rows_)
    if (row.calls > 0)
      out << key.collective << ' ' << key.ranks << ' ' << key.bytes << ' ' << word_of(key.source)
          << ' ' << (key.why.empty() ? "-" : key.why) << ' ' << row.calls << ' ' << row.bytes << ' '
          << row.seconds << ' ' << row.outside << ' ' << row.times.nodes << ' '
          << row.times.predicted << ' ' << row.times.measured << ' ' << row.times.native << ' '
          << row.times.bound << ' ' << key.choice << '\n';
  return out.str();
}

void Report::add_serialized(const std::string& lines) {
  std::istringstream in(lines);
  Key key;
  Row row;
  std::string source;
  while (in >> key.collective >> key.ranks >> key.bytes >> source >> key.why >> row.calls >>
             row.bytes >> row.seconds >> row.outside >> row.times.nodes >> row.times.predicted >>
             row.times.measured >> row.times.native >> row.times.bound &&
         in.get() == ' ' && std::getline(in, key.choice)) {
    key.source = source_of(source);
    if (key.why == "-") key.why.clear();
    add_up(rows_[key], row);
  }
}

bool Report::gather(MPI_Comm comm) {
  int rank, size;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  struct Messages {
    std::string mine, all;
    int length = 0;
    std::vector<int> lengths, places;
  };
  auto data = std::make_unique<Messages>();
  if (rank != 0) data->mine = serialized();
  data->length = static_cast<int>(data->mine.size());
  data->lengths.resize(rank == 0 ? size : 0);
  data->places.resize(data->lengths.size());
  // A collective cannot be cancelled: if other ranks come too late, its memory must remain.
  const auto gathered = [&](MPI_Request request) {
    if (ends_in_time(request)) return true;
    static_cast<void>(data.release());
    return false;
  };
  MPI_Request request;
  PMPI_Igather(&data->length, 1, MPI_INT, data->lengths.data(), 1, MPI_INT, 0, comm, &request);
  if (!gathered(request)) return false;
  std::exclusive_scan(data->lengths.begin(), data->lengths.end(), data->places.begin(), 0);
  if (rank == 0) data->all.resize(data->places.back() + data->lengths.back());
  PMPI_Igatherv(data->mine.data(), data->length, MPI_CHAR, data->all.data(), data->lengths.data(),
                data->places.data(), MPI_CHAR, 0, comm, &request);
  if (!gathered(request)) return false;
  if (rank == 0) add_serialized(data->all);
  return true;
}

// Sums over all sizes. The gain is relative to the native time of these calls, if it was measured.
std::string Report::table() const {
  struct Line {
    Row all;
    double own = 0, native = 0;  // seconds of calls with both times known
  };
  std::map<Key, Line> lines;
  for (const auto& [key, row] : rows_) {
    if (row.calls == 0) continue;
    Line& line = lines[{key.collective, key.ranks, key.choice, key.source, -1, ""}];
    add_up(line.all, row);
    if (row.times.measured <= 0 || row.times.native <= 0) continue;
    line.own += static_cast<double>(row.calls) * row.times.measured;
    line.native += static_cast<double>(row.calls) * row.times.native;
  }
  std::ostringstream out;
  char text[320];
  for (const auto& [key, line] : lines) {
    if (out.tellp() == 0) {
      std::snprintf(text, sizeof text, "toccata: %-26s %6s  %-32s  %-8s %10s %12s %10s %6s %8s\n",
                    "collective", "ranks", "algorithm", "reason", "calls", "bytes", "time", "gain",
                    "overlap");
      out << text;
    }
    char gain[16] = "";
    if (line.own > 0 && key.choice != "native")
      std::snprintf(gain, sizeof gain, "%.2f", line.native / line.own);
    char overlap[16] = "";
    if (line.all.outside > 0)
      std::snprintf(overlap, sizeof overlap, "%.0f%%", 100 * line.all.outside / line.all.seconds);
    std::snprintf(text, sizeof text, "toccata: %-26s %6d  %-32s  %-8s %10lld %12s %10s %6s %8s\n",
                  key.collective.c_str(), key.ranks, key.choice.c_str(), word_of(key.source).data(),
                  static_cast<long long>(line.all.calls),
                  readable_bytes(static_cast<double>(line.all.bytes)).c_str(),
                  readable_seconds(line.all.seconds).c_str(), gain, overlap);
    out << text;
  }
  return out.str();
}

std::string Report::json(const std::string& mpi, int ranks, double seconds, const std::string& node,
                         const std::vector<std::string>& devices) const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [key, row] : rows_)
    if (row.calls > 0)
      rows.push_back({{"collective", key.collective},
                      {"ranks", key.ranks},
                      {"nodes", row.times.nodes},
                      {"bytes", key.bytes},
                      {"calls", row.calls},
                      {"total_bytes", row.bytes},
                      {"seconds", row.seconds},
                      {"outside", row.outside},
                      {"choice", key.choice},
                      {"reason", word_of(key.source)},
                      {"why", key.why},
                      {"predicted", row.times.predicted},
                      {"measured", row.times.measured},
                      {"native", row.times.native},
                      {"bound", row.times.bound}});
  const nlohmann::ordered_json all{{"toccata_report", 1}, {"mpi", mpi},   {"ranks", ranks},
                                   {"seconds", seconds},  {"node", node}, {"devices", devices},
                                   {"rows", rows}};
  return all.dump(1) + "\n";
}

}  // namespace toccata
