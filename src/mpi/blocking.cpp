#include "mpi/blocking.h"

namespace toccata {

namespace {

// Whether any rank's data is out of the host's reach. Where no rank has a GPU runtime, nobody asks.
bool is_out_of_reach(const Operation& call, const Seat& seat, const Communicator& communicator) {
  const int here = call.on_device(seat) ? 1 : 0;
  int anywhere = 0;
  PMPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, communicator.user());
  return anywhere != 0;
}

}  // namespace

bool run_ours(const Operation& call, Communicator& communicator, Server& server, int& code) {
  Process& process = communicator.process();
  const Seat seat = communicator.seat(call);
  // What is wrong with a call of MPI's own functions the MPI library is to say in its words.
  const auto judge = [&](int fault) {
    if (server.service->asked.empty()) return false;
    code = communicator.raise(fault);
    return true;
  };
  if (communicator.open_channel() != MPI_SUCCESS) return false;
  Channel& channel = communicator.channel();
  if (!channel.is_ready()) return false;
  if (channel.has_devices() && is_out_of_reach(call, seat, communicator)) return false;
  int turn = 0;
  const std::shared_ptr<const Plan> plan = communicator.plan(server, call.root, turn);
  if (plan->tags() > Channel::blocking_tags) return false;

  const auto run = [&](auto& engine) {
    engine.binding.reset();
    if (int fault = call.bind(seat, process.datatypes(), engine.binding); fault != MPI_SUCCESS)
      return judge(fault);
    if (call.empty(engine.binding)) return true;
    engine.fit(*plan);
    code = engine.prepare(*plan, Transport(channel.route(), Channel::blocking_tag, turn));
    if (code == MPI_SUCCESS) code = engine.run(process);
    if (code != MPI_SUCCESS) {
      channel.spoil();
      communicator.raise(code);
    }
    return true;
  };
  return plan->sized ? run(*process.workspaces().sized()) : run(*process.workspaces().plain());
}

}  // namespace toccata
