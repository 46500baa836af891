#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/agreement/node_memory.h"
#include "mpi/communicator/communicator.h"
#include "mpi/devices/device_memory.h"
#include "mpi/devices/device_support.h"
#include "mpi/libraries/library.h"
#include "mpi/settings/family.h"
#include "mpi/settings/network.h"
#include "mpi/settings/settings.h"
#include "preload/begin.h"
#include "toccata/toccata.h"
#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata {

namespace {

// Sends data from the memory of a device to that of the next rank's device, with the MPI library.
bool transfer(const DeviceRuntime& runtime, char* device, int bytes, int rank, int p) {
  std::vector<char> mine(bytes, static_cast<char>(rank + 1)), got(bytes);
  const auto copy = [&](void* into, const void* from) {
    const DeviceCopy one{.into = static_cast<char*>(into),
                         .from = static_cast<const char*>(from),
                         .bytes = static_cast<std::size_t>(bytes)};
    return runtime.copy({&one, 1}, device);
  };
  const int before = (rank + p - 1) % p;
  const bool is_there = copy(device, mine.data());
  // In any case, because the other ranks wait for it.
  const int code = PMPI_Sendrecv(device, bytes, MPI_BYTE, (rank + 1) % p, 0, device + bytes, bytes,
                                 MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return is_there && code == MPI_SUCCESS && copy(got.data(), device + bytes) &&
         got == std::vector<char>(bytes, static_cast<char>(before + 1));
}

// Tests direct messages, because an MPI library that reports support may crash the program. Here,
// that does no harm: the program itself never runs.
void try_transfers(const std::vector<const DeviceRuntime*>& runtimes, int rank, int p) {
  static constexpr int short_one = 64, long_one = 1 << 20;
  const bool sends = Settings::get().sends_from_devices() && !runtimes.empty();
  char* device = nullptr;
  if (sends) device = static_cast<char*>(runtimes.front()->allocate(std::size_t{2} * long_one));
  int mine = device != nullptr ? 1 : 0, all = 0, some = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  PMPI_Allreduce(&mine, &some, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (all == 1) {
    if (rank == 0) std::fprintf(stderr, "toccata: doctor: transfers begin\n");
    PMPI_Barrier(MPI_COMM_WORLD);  // another rank may crash at once, which ends rank 0
    int good = 1;
    for (const int bytes : {short_one, long_one})
      good = transfer(*runtimes.front(), device, bytes, rank, p) ? good : 0;
    PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
      std::fprintf(stderr, "toccata: doctor: transfers: %s\n", all == 1 ? "right" : "wrong");
  } else if (some == 1 && rank == 0) {
    std::fprintf(stderr, "toccata: doctor: transfers: not all ranks have device memory\n");
  }
  if (device != nullptr) runtimes.front()->release(device);
}

// The machine and the place of each rank, as algorithms see them. All ranks find out whether that
// is possible; for example, it is not if they have different settings.
void tell_places(int rank) {
  Communicator* const world = Communicator::of(MPI_COMM_WORLD);
  if (world == nullptr) return;
  try {
    const auto placement = world->placement();
    if (rank == 0)
      std::fprintf(stderr, "toccata: doctor: places: %s | %s\n", text(placement->machine()).c_str(),
                   text(*placement).c_str());
  } catch (const ChoiceError&) {
  }
}

// The fixed rule for networks serves more calls if no message is fast.
void tell_network(int rank) {
  int mine = has_only_ethernet() ? 1 : 0, all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0 && all == 1) std::fprintf(stderr, "toccata: doctor: network: only Ethernet\n");
}

// The lowest rank of each node says how its ranks exchange data. Ranks may have different settings.
void try_node_memory(Settings::Node permitted, int rank) {
  int mine = static_cast<int>(permitted), least = 0;
  PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  NodeMemory node;
  node.open(MPI_COMM_WORLD, static_cast<Settings::Node>(least));
  if (node.lowest_rank() == rank)
    std::fprintf(stderr, "toccata: doctor: node: %s: %s\n", processor_name().c_str(),
                 node.describe().c_str());
}

}  // namespace

void tell_the_doctor() {
  const Settings& settings = Settings::get();
  if (!settings.is_our_mpi()) {
    settings.complain(true);
    std::_Exit(1);
  }
  int rank = 0, p = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &p);
  settings.complain(rank == 0);
  std::vector<std::string> files = settings.configuration().files();
  if (!settings.tuning_file().empty()) files.push_back(settings.tuning_file());
  for (const std::string& each : files)
    if (rank == 0) std::fprintf(stderr, "toccata: doctor: reads %s\n", each.c_str());
  if (rank == 0) {
    const std::string text = library_text();
    std::fprintf(stderr, "toccata: doctor: mpi: %s%s\n", text.substr(0, text.find('\n')).c_str(),
                 std::string_view(our_mpi.family) == "abi" ? " (standard ABI)" : "");
  }
  const std::vector<const DeviceRuntime*> runtimes = begin_device_runtimes();
  for (const DeviceRuntime* each : runtimes)
    std::fprintf(stderr, "toccata: doctor: devices: %s\n", describe(*each).c_str());
  std::fprintf(stderr, "toccata: doctor: rank %d of %d on %s has %s, settings %016llx\n", rank, p,
               processor_name().c_str(), own_path().c_str(),
               static_cast<unsigned long long>(settings.digest()));
  tell_places(rank);
  tell_network(rank);
  try_node_memory(settings.node(), rank);
  try_transfers(runtimes, rank, p);
  PMPI_Finalize();
  std::exit(0);  // MPICH 5 signs off at the launcher on exit
}

}  // namespace toccata
