#include "mpi/process/gathering.h"

#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

#include "mpi/world/world.h"

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

namespace {

constexpr int gathering_tag = 31418;  // tags up to 32767 are always valid

// Empty messages from rank 0 to each other rank, and back.
void exchange_answers(int rank, int size, MPI_Comm comm) {
  const int first = rank == 0 ? 1 : 0, end = rank == 0 ? size : 1;
  std::vector<MPI_Request> received, sent;
  const auto send_to_all = [&] {
    for (int other = first; other < end; ++other)
      PMPI_Isend(nullptr, 0, MPI_BYTE, other, gathering_tag, comm, &sent.emplace_back());
  };
  for (int other = first; other < end; ++other)
    PMPI_Irecv(nullptr, 0, MPI_BYTE, other, gathering_tag, comm, &received.emplace_back());
  if (rank == 0) send_to_all();
  for (MPI_Request& each : received) ends_in_time(each);
  if (rank != 0) send_to_all();
  for (MPI_Request& each : sent) ends_in_time(each);
}

}  // namespace

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
  // Unlike MPI_Finalize, the end of a session does not wait for other ranks, and under Open MPI 5 a
  // rank may be ended by SIGPIPE there. These messages come after all others between their ranks.
  if (World::is_ours()) exchange_answers(rank, size, comm);
  std::vector<std::string> texts;
  for (std::size_t from = 0; from < data->lengths.size(); ++from)
    texts.push_back(data->all.substr(data->places[from], data->lengths[from]));
  return texts;
}

}  // namespace toccata
