#include "mpi/agreement/overdue.h"

#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace toccata {

// The first process takes a name, and keeps it until it ends. The processes of a job on a host have
// the same parent, mpirun or its daemon.
bool is_first_on_host() {
  const int name_holder = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (name_holder < 0) return true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length =
      std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "toccata.overdue.%d.%d",
                    static_cast<int>(getuid()), static_cast<int>(getppid()));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (bind(name_holder, reinterpret_cast<sockaddr*>(&address), size) == 0) return true;
  close(name_holder);
  return false;
}

void Overdue::say() {
  said_ = true;
  if (!is_first_on_host()) return;
  std::fprintf(
      stderr,
      "toccata: a rank has waited 10 s for %s. If other ranks are only late, ignore this. Ranks "
      "never arrive if they lack the library, have different settings, or load MPI through a "
      "plugin with RTLD_DEEPBIND. Pass LD_PRELOAD and all TOCCATA_* variables to every rank (Open "
      "MPI: mpirun -x LD_PRELOAD -x TOCCATA_..., MPICH: mpiexec -genvall), or to none.\n",
      what_.c_str());
}

}  // namespace toccata
