#include "mpi/execution/straight.h"

#include <algorithm>

namespace toccata {

bool StraightProgram::flatten(std::span<const BlockRange> ranges, Stretch& stretch) {
  if (ranges.empty()) return true;
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
         (message.travel != Travel::per_block || stretch.count <= 1);
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
    if (!exchange.is_local()) add(exchange);
    for (const toccata::Step& each : schedule.steps(round)) {
      Step local;
      local.reduces = each.reduces;
      if (!flatten(schedule.from(each), local.send) || !flatten(schedule.into(each), local.recv))
        return {};
      add(local);
    }
  }
  return program;
}

// The three buffers in a short form.
class StraightProgram::Memory {
 public:
  Memory(const Binding& binding, const Transport& transport)
      : sides_{side(binding.send), side(binding.recv), side(binding.scratch)},
        operation_(binding.operation),
        transport_(transport) {}

  StraightStep resolve(const Step& step) const {
    const Side& from = sides_[static_cast<int>(step.send.buffer)];
    const Side& into = sides_[static_cast<int>(step.recv.buffer)];
    return {.source = from.base + step.send.first * from.bytes,
            .target = into.base + step.recv.first * into.bytes,
            .send_type = from.type,
            .recv_type = into.type,
            .send_count = step.send.count * from.elements,
            .recv_count = step.recv.count * into.elements,
            .send_peer = address_of(step.send_peer),
            .recv_peer = address_of(step.recv_peer),
            .send_tag = step.send_peer != MPI_PROC_NULL
                            ? transport_.send_tag(step.send_peer, step.send_channel)
                            : 0,
            .recv_tag = transport_.recv_tag(step.recv_channel),
            .operation = step.reduces ? operation_ : MPI_OP_NULL,
            .copied_bytes = step.send.count * from.bytes};
  }

 private:
  struct Side {
    char* base;
    std::int64_t bytes;  // a block
    int elements;
    MPI_Datatype type;
  };
  static Side side(const Layout& layout) {
    return {layout.block(0).address, layout.bytes(0), static_cast<int>(layout.elements(0)),
            layout.traits().type};
  }

  int address_of(int peer) const {
    return peer == MPI_PROC_NULL ? peer : transport_.address_of(peer);
  }

  Side sides_[3];
  MPI_Op operation_;
  const Transport& transport_;
};

int StraightProgram::run(const Binding& binding, const Transport& transport) const {
  const Memory memory(binding, transport);
  int error = MPI_SUCCESS;
  for (const Step& step : steps_)
    if (int code = memory.resolve(step).run(transport.comm()); error == MPI_SUCCESS) error = code;
  return error;
}

BoundProgram StraightProgram::bind(const Binding& binding, const Transport& transport) const {
  const Memory memory(binding, transport);
  std::vector<StraightStep> steps;
  for (const Step& step : steps_) steps.push_back(memory.resolve(step));
  return {std::move(steps), transport.comm()};
}

}  // namespace toccata
