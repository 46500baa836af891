#include "mpi/process/report.h"

#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "mpi/process/gathering.h"

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

// Rows of samples get the numbers of rank 0's rows.
void renumber(std::vector<Series>& series, const std::map<int, int>& numbers) {
  for (Series& each : series)
    for (Sample& sample : each.samples.kept()) {
      const auto found = numbers.find(sample.row);
      sample.row = found != numbers.end() ? found->second : -1;
    }
}

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
      out << row.number << ' ' << key.collective << ' ' << key.ranks << ' ' << key.bytes << ' '
          << word_of(key.source) << ' ' << (key.why.empty() ? "-" : key.why) << ' ' << row.calls
          << ' ' << row.bytes << ' ' << row.seconds << ' ' << row.outside << ' ' << row.times.nodes
          << ' ' << row.times.predicted << ' ' << row.times.measured << ' ' << row.times.native
          << ' ' << row.times.bound << ' ' << key.choice << '\n';
  return out.str();
}

Report::Row& Report::row(const Key& key) {
  const auto [place, is_new] = rows_.try_emplace(key);
  if (is_new) place->second.number = static_cast<int>(rows_.size()) - 1;
  return place->second;
}

std::map<int, int> Report::add_serialized(const std::string& lines) {
  std::map<int, int> numbers;
  std::istringstream in(lines);
  Key key;
  Row row;
  std::string source;
  while (in >> row.number >> key.collective >> key.ranks >> key.bytes >> source >> key.why >>
             row.calls >> row.bytes >> row.seconds >> row.outside >> row.times.nodes >>
             row.times.predicted >> row.times.measured >> row.times.native >> row.times.bound &&
         in.get() == ' ' && std::getline(in, key.choice)) {
    key.source = source_of(source);
    if (key.why == "-") key.why.clear();
    Row& sum = this->row(key);
    add_up(sum, row);
    numbers[row.number] = sum.number;
  }
  return numbers;
}

bool Report::gather(MPI_Comm comm, ArrivalLog& log, MPI_Comm common) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const bool knows_arrivals = ArrivalLog::is_on();
  const std::string text =
      (rank != 0 ? serialized() : "") + '\0' + (knows_arrivals ? log.text() : "");
  const std::optional<std::vector<std::string>> texts = gather_texts(text, comm);
  if (!texts) return false;
  const std::vector<NodeClock> clocks =
      knows_arrivals ? log.clocks().end(common) : std::vector<NodeClock>();
  std::vector<std::vector<Series>> series;
  for (const std::string& each : *texts) {
    const std::size_t split = each.find('\0');
    const std::map<int, int> numbers = add_serialized(each.substr(0, split));
    std::istringstream in(each.substr(split + 1));
    std::string& host = hosts_.emplace_back();
    std::getline(in, host);
    series.push_back(read_series(in));
    if (series.size() > 1) renumber(series.back(), numbers);
  }
  if (!clocks.empty()) arrivals_ = match(series, clocks, static_cast<int>(rows_.size()));
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
      std::snprintf(gain, sizeof gain, "%.2fx", line.native / line.own);
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
  if (!lines.empty())
    out << "toccata: TOCCATA_REPORT=FILE.json and `toccata explain FILE.json` explain the "
           "reasons\n";
  return out.str();
}

namespace {

using Json = nlohmann::ordered_json;

// Null where no call was sampled.
Json means(const std::vector<double>& sums, const std::vector<double>& numbers) {
  Json result = Json::array();
  for (std::size_t i = 0; i < sums.size(); ++i)
    result.push_back(numbers[i] > 0 ? Json(sums[i] / numbers[i]) : Json());
  return result;
}

// Waiting and working are means over calls and ranks.
Json json_of(const RowArrivals& row, int ranks) {
  return {{"sampled", row.sampled},
          {"waiting", row.waiting / row.calls / ranks},
          {"working", row.working / row.calls / ranks},
          {"after_first", means(row.after_first, row.taking_part)},
          {"awaited", row.awaited},
          {"last", row.last}};
}

}  // namespace

std::string Report::json(const std::string& mpi, int ranks, double seconds, const std::string& node,
                         const std::vector<std::string>& devices) const {
  Json rows = Json::array();
  for (const auto& [key, row] : rows_) {
    if (row.calls == 0) continue;
    Json& added = rows.emplace_back(Json{{"collective", key.collective},
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
    if (arrivals_ && arrivals_->rows[row.number].sampled > 0)
      added["arrivals"] = json_of(arrivals_->rows[row.number], key.ranks);
  }
  Json all{{"toccata_report", 1}, {"mpi", mpi},         {"ranks", ranks}, {"seconds", seconds},
           {"node", node},        {"devices", devices}, {"rows", rows}};
  if (arrivals_)
    all["arrivals"] = {{"hosts", hosts_},
                       {"waiting", arrivals_->waiting},
                       {"working", arrivals_->working},
                       {"left_out", arrivals_->left_out},
                       {"clock_error", arrivals_->clock_error}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";  // names of files
}

}  // namespace toccata
