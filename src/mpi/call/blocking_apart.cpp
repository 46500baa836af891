#include <cstddef>
#include <utility>
#include <vector>

#include "mpi/call/blocking.h"

namespace toccata {

namespace {

int run_native(const Operation& call, int p, MPI_Comm comm) {
  const Collective& collective = call.collective;
  const auto [sent, received] = std::pair(call.send.buffer, call.recv.buffer);
  const int count = static_cast<int>(call.recv.count);
  const MPI_Datatype type = call.recv.type;
  const MPI_Op operation = call.operation;
  if (&collective == &allreduce)
    return PMPI_Allreduce(sent, received, count, type, operation, comm);
  if (&collective == &reduce)
    return PMPI_Reduce(sent, received, count, type, operation, call.root, comm);
  if (&collective == &scan) return PMPI_Scan(sent, received, count, type, operation, comm);
  if (&collective == &exscan) return PMPI_Exscan(sent, received, count, type, operation, comm);
  if (!call.recv.counted)
    return PMPI_Reduce_scatter_block(sent, received, count, type, operation, comm);
  std::vector<int> counts(p);
  for (int block = 0; block < p; ++block) counts[block] = static_cast<int>(call.recv.counts[block]);
  return PMPI_Reduce_scatter(sent, received, counts.data(), type, operation, comm);
}

// The elements of the whole vector; no buffer has more.
std::int64_t elements_of(const Operation& call, int p) {
  if (&call.collective != &reduce_scatter) return call.recv.count;
  std::int64_t elements = 0;
  for (int block = 0; block < p; ++block) elements += call.recv.elements(block);
  return elements;
}

}  // namespace

// The operands are zeros, because the program may have changed its own after its call.
TimedCall run_apart(const Operation& call, Communicator& communicator, Server& server) {
  const int p = communicator.size();
  const std::int64_t bytes = elements_of(call, p) * size_of(call.recv.type);
  std::vector<std::max_align_t> zeros(2 * (bytes / sizeof(std::max_align_t) + 1));
  Operation apart = call;
  apart.send.buffer = zeros.data();
  apart.recv.buffer = zeros.data() + zeros.size() / 2;
  TimedCall timed{.arrived = communicator.now()};
  int code = MPI_SUCCESS;
  if (server.is_native() || !run_ours(apart, communicator.seat(apart), communicator, server, code))
    static_cast<void>(run_native(apart, p, communicator.user()));
  timed.left = communicator.now();
  return timed;
}

}  // namespace toccata
