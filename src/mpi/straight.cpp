#include "mpi/straight.h"

#include <algorithm>

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

// The three buffers, made short.
class StraightProgram::Memory {
 public:
  Memory(const Binding& binding, int first_tag)
      : sides_{side(binding.send), side(binding.recv), side(binding.scratch)},
        operation_(binding.operation),
        first_tag_(first_tag) {}

  StraightStep resolve(const Step& step) const {
    const Side& from = sides_[static_cast<int>(step.send.buffer)];
    const Side& into = sides_[static_cast<int>(step.recv.buffer)];
    return {.source = from.base + step.send.first * from.bytes,
            .target = into.base + step.recv.first * into.bytes,
            .send_type = from.type,
            .recv_type = into.type,
            .send_count = step.send.count * from.elements,
            .recv_count = step.recv.count * into.elements,
            .send_peer = step.send_peer,
            .recv_peer = step.recv_peer,
            .send_tag = first_tag_ + step.send_channel,
            .recv_tag = first_tag_ + step.recv_channel,
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

  Side sides_[3];
  MPI_Op operation_;
  int first_tag_;
};

int StraightProgram::run(const Binding& binding, MPI_Comm comm, int first_tag) const {
  const Memory memory(binding, first_tag);
  int error = MPI_SUCCESS;
  for (const Step& step : steps_)
    if (int code = memory.resolve(step).run(comm); error == MPI_SUCCESS) error = code;
  return error;
}

BoundProgram StraightProgram::bind(const Binding& binding, MPI_Comm comm, int first_tag) const {
  const Memory memory(binding, first_tag);
  std::vector<StraightStep> steps;
  for (const Step& step : steps_) steps.push_back(memory.resolve(step));
  return {std::move(steps), comm};
}

}  // namespace toccata
