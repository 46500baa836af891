#include "mpi/report.h"

#include <array>
#include <cstdio>
#include <memory>
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

// Ranks whose environment asks for no report do not come; rank 0 must not wait for them for ever.
bool ends_in_time(MPI_Request& request) {
  static constexpr double patience = 10;  // seconds
  const double started = PMPI_Wtime();
  int ended = 0;
  while (ended == 0 && PMPI_Wtime() - started < patience) {
    PMPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    std::this_thread::yield();
  }
  return ended != 0;
}

}  // namespace

void Report::add(const Report& other) {
  for (const auto& [key, from] : other.rows_) {
    if (from.calls == 0) continue;
    Row& into = rows_[key];
    into.calls += from.calls;
    into.bytes += from.bytes;
    into.seconds += from.seconds;
  }
}

std::string Report::serialized() const {
  std::ostringstream out;
  out.precision(17);
  for (const auto& [key, row] : rows_) {
    const auto& [collective, ranks, algorithm] = key;
    if (row.calls > 0)
      out << collective << ' ' << ranks << ' ' << row.calls << ' ' << row.bytes << ' '
          << row.seconds << ' ' << algorithm << '\n';
  }
  return out.str();
}

void Report::add_serialized(const std::string& lines) {
  std::istringstream in(lines);
  std::string collective, algorithm;
  int ranks;
  Row row;
  while (in >> collective >> ranks >> row.calls >> row.bytes >> row.seconds && in.get() == ' ' &&
         std::getline(in, algorithm)) {
    Row& into = this->row(ranks, collective, algorithm);
    into.calls += row.calls;
    into.bytes += row.bytes;
    into.seconds += row.seconds;
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
  // A collective cannot be cancelled: where others come too late, its memory has to stay.
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

std::string Report::table() const {
  std::ostringstream out;
  char line[256];
  for (const auto& [key, row] : rows_) {
    const auto& [collective, ranks, algorithm] = key;
    if (row.calls == 0) continue;
    if (out.tellp() == 0) {
      std::snprintf(line, sizeof line, "toccata: %-12s %6s  %-32s %10s %12s %10s\n", "collective",
                    "ranks", "algorithm", "calls", "bytes", "time");
      out << line;
    }
    std::snprintf(line, sizeof line, "toccata: %-12s %6d  %-32s %10lld %12s %10s\n",
                  collective.c_str(), ranks, algorithm.c_str(), static_cast<long long>(row.calls),
                  readable_bytes(static_cast<double>(row.bytes)).c_str(),
                  readable_seconds(row.seconds).c_str());
    out << line;
  }
  return out.str();
}

}  // namespace toccata
