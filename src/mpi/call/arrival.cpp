#include "mpi/call/arrival.h"

#include <cstdint>
#include <exception>

namespace toccata {

// Without memory, or with another error, nothing is kept; serve() reports the error.
void Arrival::arrive(const Signature& signature) noexcept try {
  Communicator* const communicator = Communicator::of(signature.comm);
  if (communicator == nullptr) return;
  Samples* const samples = communicator->samples(*signature.collective);
  if (samples == nullptr) return;
  const std::int64_t number = samples->count();
  if (number < 0) return;
  communicator->forget_counted();
  kept_.emplace(Kept{*communicator, *samples, {.number = number, .root = signature.named_root}});
  kept_->sample.arrived = time_of_node();
} catch (const std::exception&) {
}

void Arrival::leave() noexcept try {
  auto& [communicator, samples, sample] = *kept_;
  sample.left = time_of_node();
  sample.row = communicator.counted();
  samples.add(sample);
} catch (const std::exception&) {
}

}  // namespace toccata
