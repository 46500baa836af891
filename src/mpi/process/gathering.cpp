#include "mpi/process/gathering.h"

#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

namespace toccata {

bool ends_in_time(MPI_Request& request) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
  int ended = 0;
  while (ended == 0 && Clock::now() < end) {
    PMPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    if (ended == 0) std::this_thread::yield();
  }
  return ended != 0;
}

std::optional<std::vector<std::string>> gather_texts(const std::string& mine, MPI_Comm comm) {
  int rank, size;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  struct Messages {
    std::string mine, all;
    int length = 0;
    std::vector<int> lengths, places;
  };
  auto data = std::make_unique<Messages>();
  data->mine = mine;
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
  if (!gathered(request)) return {};
  std::exclusive_scan(data->lengths.begin(), data->lengths.end(), data->places.begin(), 0);
  if (rank == 0) data->all.resize(data->places.back() + data->lengths.back());
  PMPI_Igatherv(data->mine.data(), data->length, MPI_CHAR, data->all.data(), data->lengths.data(),
                data->places.data(), MPI_CHAR, 0, comm, &request);
  if (!gathered(request)) return {};
  std::vector<std::string> texts;
  for (std::size_t from = 0; from < data->lengths.size(); ++from)
    texts.push_back(data->all.substr(data->places[from], data->lengths[from]));
  return texts;
}

}  // namespace toccata
