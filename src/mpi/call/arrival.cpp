#include "mpi/call/arrival.h"

#include <exception>

namespace toccata {

// Without memory, or with another error, nothing is kept; serve() reports the error.
void Arrival::arrive(const Signature& signature) noexcept try {
  Communicator* const communicator = Communicator::of(signature.comm);
  if (communicator == nullptr) return;
  samples_ = communicator->samples(*signature.collective);
  if (samples_ == nullptr) return;
  sample_.number = samples_->count();
  if (sample_.number < 0) return;
  communicator_ = communicator;
  communicator->forget_counted();
  sample_.root = signature.named_root;
  sample_.arrived = time_of_node();
} catch (const std::exception&) {
}

void Arrival::leave() noexcept try {
  sample_.left = time_of_node();
  sample_.row = communicator_->counted();
  samples_->add(sample_);
} catch (const std::exception&) {
}

}  // namespace toccata
