#include "mpi/straight.h"

#include <algorithm>
#include <cstring>

namespace toccata {

bool StraightProgram::flatten(std::span<const BlockRange> ranges, Stretch& stretch) {
  if (ranges.size() != 1 || !ranges[0].consecutive()) return false;
  stretch = {ranges[0].first, static_cast<std::int32_t>(ranges[0].blocks()), ranges[0].buffer};
  return true;
}

bool StraightProgram::flatten(const Schedule& schedule, std::span<const Message> messages,
                              Stretch& stretch, int& peer, int& channel) {
  if (messages.empty()) return true;
  const Message& message = messages.front();
  peer = message.peer;
  channel = message.channel;
  return messages.size() == 1 && flatten(schedule.ranges(message), stretch) &&
         (message.travel != Travel::per_block || stretch.count == 1);
}

std::optional<StraightProgram> StraightProgram::compile(const Schedule& schedule) {
  StraightProgram program;
  program.uses_scratch_ = !schedule.scratch().empty();
  const auto add = [&](const Step& step) {
    program.steps_.push_back(step);
    program.most_blocks_ =
        std::max<std::int64_t>({program.most_blocks_, step.send.count, step.recv.count});
  };
  for (int round = 0; round < schedule.rounds(); ++round) {
    Step exchange;
    if (!flatten(schedule, schedule.sends(round), exchange.send, exchange.send_peer,
                 exchange.send_channel) ||
        !flatten(schedule, schedule.recvs(round), exchange.recv, exchange.recv_peer,
                 exchange.recv_channel))
      return {};
    if (exchange.send_peer != MPI_PROC_NULL || exchange.recv_peer != MPI_PROC_NULL) add(exchange);
    for (const Copy& each : schedule.copies(round)) {
      Step copy;
      if (!flatten(schedule.from(each), copy.send) || !flatten(schedule.into(each), copy.recv))
        return {};
      add(copy);
    }
  }
  return program;
}

int StraightProgram::run(const Binding& binding, MPI_Comm comm, int first_tag) const {
  for (const Step& step : steps_) {
    const Layout& from = binding[step.send.buffer];
    const Layout& into = binding[step.recv.buffer];
    char* const source = from.block(step.send.first).address;
    char* const target = into.block(step.recv.first).address;
    if (step.send_peer == MPI_PROC_NULL && step.recv_peer == MPI_PROC_NULL) {
      if (source != target)
        std::memcpy(target, source, static_cast<std::size_t>(step.send.count * from.bytes(0)));
      continue;
    }
    const int code =
        PMPI_Sendrecv(source, static_cast<int>(step.send.count * from.elements(0)),
                      from.traits().type, step.send_peer, first_tag + step.send_channel, target,
                      static_cast<int>(step.recv.count * into.elements(0)), into.traits().type,
                      step.recv_peer, first_tag + step.recv_channel, comm, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace toccata
