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
    if (!exchange.is_copy()) add(exchange);
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
  struct Side {
    char* base;
    std::int64_t bytes;  // a block
    int elements;
    MPI_Datatype type;
  };
  const auto side = [](const Layout& layout) {
    return Side{layout.block(0).address, layout.bytes(0), static_cast<int>(layout.elements(0)),
                layout.traits().type};
  };
  const Side sides[] = {side(binding.send), side(binding.recv), side(binding.scratch)};

  int error = MPI_SUCCESS;
  for (const Step& step : steps_) {
    const Side& from = sides[static_cast<int>(step.send.buffer)];
    const Side& into = sides[static_cast<int>(step.recv.buffer)];
    char* const source = from.base + step.send.first * from.bytes;
    char* const target = into.base + step.recv.first * into.bytes;
    if (step.is_copy()) {
      if (source != target)
        std::memcpy(target, source, static_cast<std::size_t>(step.send.count * from.bytes));
      continue;
    }
    const int code = PMPI_Sendrecv(source, step.send.count * from.elements, from.type,
                                   step.send_peer, first_tag + step.send_channel, target,
                                   step.recv.count * into.elements, into.type, step.recv_peer,
                                   first_tag + step.recv_channel, comm, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS) error = code;  // others wait for what comes after
  }
  return error;
}

}  // namespace toccata
