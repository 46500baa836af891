#pragma once

#include <mpi.h>

#include "mpi/libraries/polling.h"

#ifdef TOCCATA_SERVES_REQUESTS

#include <memory>
#include <vector>

#include "mpi/call/driven_request.h"
#include "mpi/call/request.h"
#include "mpi/communicator/communicator.h"

namespace toccata {

// A persistent collective whose algorithm is chosen by trials. All candidates, among them the MPI
// library's own request, are bound to the arguments; one of them serves each start. The ranks agree
// on the times of a trial by separate messages, for which no start waits.
class Alternatives final : public DrivenRequest {
 public:
  // Binds the arguments to all candidates of a decision that has trials. `native` is the MPI
  // library's own request for that call; this object owns it from now on. If the candidates cannot
  // run here, returns null and leaves `native` to the caller. Collective.
  static std::unique_ptr<Alternatives> make(std::unique_ptr<Decision> decision,
                                            Call::Start start_native, Communicator& communicator,
                                            const Operation& call, MPI_Request native);
  ~Alternatives() override;

  bool start_driven() override;
  bool try_driven() override;

 private:
  struct Deciding;
  class Exchange;

  Alternatives() = default;
  bool begin();
  bool go_on(bool ended);
  void count() const;

  std::vector<std::unique_ptr<Request>> requests_;  // by candidate; null: native
  MPI_Request native_ = MPI_REQUEST_NULL;
  std::shared_ptr<Deciding> deciding_;
  std::shared_ptr<Exchange> exchange_;

  std::optional<OpenTrials::Start> start_;  // of the current start; nothing while ranks agree
  double begun_ = 0;                        // when the candidate began
  double waited_ = 0;                       // reading of the WaitClock then
  std::int64_t bytes_ = 0;
};

}  // namespace toccata

#endif
