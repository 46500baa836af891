#include "mpi/execution/transport.h"

#include <thread>
#include <utility>

namespace toccata {

// Most communicators have consecutive, or equally spaced, ranks.
Translation::Translation(std::vector<int> ranks) {
  if (ranks.empty()) return;
  first_ = ranks[0];
  step_ = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != first_ + static_cast<int>(i) * step_) {
      table_ = std::move(ranks);
      table_.shrink_to_fit();
      return;
    }
}

int Transport::wait(MPI_Request& request, Background& background) {
  while (true) {
    bool ended = false;
    if (const int code = test(request, ended); ended) return code;
    background.progress();
    std::this_thread::yield();
  }
}

}  // namespace toccata
