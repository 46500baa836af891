#pragma once

#include <optional>

#include "mpi/call/signature.h"
#include "mpi/communicator/communicator.h"
#include "mpi/process/arrival_log.h"

namespace toccata {

// Lives during a blocking call of the program, if ArrivalLog::is_on(). For the report, it keeps
// when this rank arrived at the call and when it left.
class Arrival {
 public:
  explicit Arrival(const Signature& signature) { arrive(signature); }
  ~Arrival() {
    if (kept_) leave();
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

 private:
  void arrive(const Signature& signature) noexcept;
  void leave() noexcept;

  struct Kept {
    Communicator& communicator;
    Samples& samples;
    Sample sample;
  };
  std::optional<Kept> kept_;
};

}  // namespace toccata
