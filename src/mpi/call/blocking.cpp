#include "mpi/call/blocking.h"

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/call/shortcuts.h"
#include "mpi/execution/staging.h"
#include "mpi/execution/waiting.h"
#include "mpi/process/ending.h"

namespace toccata {

void end_open_publications(Communicator& communicator) {
  const Channel& channel = communicator.channel();
  while (channel.has_open_publications()) {
    communicator.process().progress();
    if (channel.is_ready()) Waiting::advance(channel.route().comm);
    std::this_thread::yield();
  }
}

bool run_ours(const Operation& call, const Seat& seat, Communicator& communicator, Server& server,
              int& code, const Signature* signature) {
  Process& process = communicator.process();
  // The MPI library reports errors in calls of MPI's own functions.
  const auto judge = [&](int fault) {
    if (server.service->asked.empty()) return false;
    code = communicator.raise(fault);
    return true;
  };
  if (communicator.open_channel() != MPI_SUCCESS) return false;
  Channel& channel = communicator.channel();
  if (!channel.is_ready()) return false;
  const bool publishes = server.service->choice.publishes();
  if (publishes) end_open_publications(communicator);
  int turn = 0;
  const std::shared_ptr<const Plan> plan = communicator.plan(server, call.root, turn);
  if (plan->tags() > Channel::blocking_tags) return false;

  Transport transport;
  Staging staging;  // other ranks need not know the location of the buffers
  const auto run = [&](auto& engine, const Operation& bound) {
    engine.binding.reset();
    if (int fault = bound.bind(seat, process.datatypes(), engine.binding); fault != MPI_SUCCESS)
      return judge(fault);
    if (bound.empty(engine.binding)) return true;
    engine.binding.devices = staging.direct();
    engine.fit(*plan);
    const Route& route = channel.route();
    transport = publishes ? Transport::with_board(route, Channel::blocking_tag, turn)
                          : Transport(route, Channel::blocking_tag, turn);
    code = engine.prepare(*plan, transport);
    if (code == MPI_SUCCESS) code = engine.run(process);
    if (code != MPI_SUCCESS) {
      channel.spoil();
      communicator.raise(code);
    }
    return true;
  };
  const auto serve = [&](const Operation& bound) {
    if (plan->sized) return run(*process.workspaces().sized(), bound);
    const auto engine = process.workspaces().plain();
    const bool served = run(*engine, bound);
    // An empty call did not run, so it must not take a shortcut later: that would count as a call.
    const bool ran = served && code == MPI_SUCCESS && !bound.empty(engine->binding);
    // After its operation is freed, another one with the same handle may need the order of ranks.
    const bool any_operation = !call.runs_users_code() || server.service->choice.ordered();
    if (ran && publishes && signature != nullptr && any_operation)
      Shortcuts::keep(*signature, bound, communicator, *plan, *engine, transport);
    return served;
  };
  if (!has_device_runtime()) return serve(call);
  const Places places(call, seat, process.datatypes());
  if (!places.any()) return serve(call);
  Operation staged = call;
  if (int fault = staging.replace(staged, seat, process.datatypes(), *plan, places);
      fault != MPI_SUCCESS)
    return judge(fault);
  signature = nullptr;
  if (!staging.any()) return serve(call);
  int copied = staging.copy_in();
  if (!serve(staged)) return false;
  if (copied == MPI_SUCCESS) copied = staging.copy_out();
  if (code == MPI_SUCCESS && copied != MPI_SUCCESS) code = communicator.raise(copied);
  return true;
}

void end_job_if_others_wait(const Operation& call, Communicator& communicator, Server& server,
                            int code) {
  int error_class = MPI_SUCCESS, turn = 0;
  PMPI_Error_class(code, &error_class);
  const bool tells_others = communicator.plan(server, call.root, turn)->sized;
  if (error_class == MPI_ERR_NO_MEM && !tells_others && communicator.size() > 1)
    end_job("out of memory");
}

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
  MPI_Aint lower_bound = 0, extent = 0;  // those of MPI_DOUBLE_INT have gaps
  PMPI_Type_get_extent(call.recv.type, &lower_bound, &extent);
  const std::int64_t bytes = elements_of(call, p) * std::int64_t{extent};
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
