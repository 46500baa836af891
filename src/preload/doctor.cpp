#include "preload/doctor.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mpi/device_memory.h"
#include "mpi/family.h"
#include "mpi/settings.h"
#include "selection/spelling.h"
#include "toccata/toccata.h"
#include "topology/environment.h"

namespace toccata {

void tell_the_doctor() {
  const char* const asked = setting_in_environment("TOCCATA_DOCTOR");
  if (asked == nullptr || *asked == '\0' || switches_off(asked)) return;
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
    std::fprintf(stderr, "toccata: doctor: mpi: %s\n", text.substr(0, text.find('\n')).c_str());
  }
  if (has_device_runtime())
    std::fprintf(stderr,
                 "toccata: doctor: devices: %s is loaded; in calls that Toccata serves, it copies "
                 "buffers in "
                 "device memory through host memory\n",
                 device_runtime_names());
  std::fprintf(stderr, "toccata: doctor: rank %d of %d on %s has %s, settings %016llx\n", rank, p,
               processor_name().c_str(), own_path().c_str(),
               static_cast<unsigned long long>(settings.digest()));
  PMPI_Finalize();
  std::exit(0);  // MPICH 5 then signs off at the launcher
}

}  // namespace toccata
