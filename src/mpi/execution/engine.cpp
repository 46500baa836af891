#include "mpi/execution/engine.h"

#include "mpi/execution/waiting.h"

namespace toccata {

int Engine::prepare(const Plan& plan, const Transport& transport) {
  plan_ = &plan;
  transport_ = transport;
  round_ = 0;
  error_ = MPI_SUCCESS;
  return without_exception([&]() -> int { return make_ready(); });
}

int Engine::run(Background& background) {
  return without_exception([&]() -> int {
    Waiting waiting(background, transport_.has_spare_cores(), transport_.comm());
    for (; !finished(); ++round_) {
      if (int code = open_round(); code != MPI_SUCCESS) return give_up(code);
      for (bool arrived = false; !arrived;) {
        const bool busy = background.busy();
        if (int code = all_arrived(!busy, arrived); code != MPI_SUCCESS) return give_up(code);
        if (arrived) break;
        waiting.again();
      }
      close_round();
    }
    finish();
    return error_;
  });
}

int Engine::start() {
  return without_exception([&]() -> int {
    if (int code = advance(); code != MPI_SUCCESS) return give_up(code);
    return MPI_SUCCESS;
  });
}

int Engine::test(bool& done) {
  done = false;
  return without_exception([&]() -> int {
    while (!finished()) {
      bool arrived = false;
      if (int code = all_arrived(false, arrived); code != MPI_SUCCESS) return give_up(code);
      if (!arrived) return MPI_SUCCESS;
      close_round();
      ++round_;
      if (int code = advance(); code != MPI_SUCCESS) return give_up(code);
    }
    finish();
    done = true;
    return error_;
  });
}

int Engine::advance() {
  for (; !finished(); ++round_) {
    if (int code = open_round(); code != MPI_SUCCESS) return code;
    if (is_waiting()) return MPI_SUCCESS;
    close_round();
  }
  return MPI_SUCCESS;
}

int Engine::give_up(int code) {
  if (cancel()) {
    abandoned_.push_back(std::exchange(scratch_, {}));
    abandoned_.push_back(std::exchange(staging_, {}));
  }
  release();
  if (plan_ != nullptr) round_ = schedule().rounds();
  return code;
}

}  // namespace toccata
