#include "mpi/process/arrival_log.h"

#include <algorithm>
#include <sstream>

#include "mpi/settings/settings.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

// Rank 0 receives the samples of all ranks. So each of more ranks keeps fewer of them.
constexpr std::size_t most_samples_of_all_ranks = 16384;
constexpr std::size_t most_samples = 1024, least_samples = 32;
constexpr std::size_t most_series = 256;
// Positions in the text that rank 0 receives are of type int.
constexpr std::size_t most_text_of_all_ranks = 1 << 30;

}  // namespace

void ArrivalLog::begin([[maybe_unused]] MPI_Comm comm) {
#ifndef TOCCATA_SIMULATED  // there, time does not pass by our clock
  int p = 0;
  PMPI_Comm_size(comm, &p);
  most_samples_ = std::clamp(most_samples_of_all_ranks / p, least_samples, most_samples);
  clocks_.begin(comm);
  on_ = true;
#endif
}

int ArrivalLog::next_order(std::uint64_t group) {
  const std::lock_guard lock(mutex_);
  return orders_[group]++;
}

Samples* ArrivalLog::add(const Collective& collective, std::uint64_t group, int order, int p,
                         int rank) {
  const std::lock_guard lock(mutex_);
  if (series_.size() == most_series) return nullptr;
  return &series_.emplace_back(&collective, group, order, p, rank, Samples(most_samples_)).samples;
}

std::string ArrivalLog::text() const {
  int ranks = 1;
  PMPI_Comm_size(World::comm(), &ranks);
  const std::lock_guard lock(mutex_);
  std::string text = processor_name() + '\n';
  for (const Series& each : series_) {
    std::ostringstream out;
    write(out, each);
    if (text.size() + out.str().size() > most_text_of_all_ranks / ranks) break;
    text += out.str();
  }
  return text;
}

}  // namespace toccata
