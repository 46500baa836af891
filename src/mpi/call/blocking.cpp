#include "mpi/call/blocking.h"

#include <thread>

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
    if (ran && publishes && signature != nullptr)
      if (const auto memory = engine->memory_on_board())
        Shortcuts::keep(*signature, bound, communicator, *plan, *memory, transport,
                        engine->reduction_on_board());
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

}  // namespace toccata
