#include "mpi/execution/execution.h"

#include <climits>

#include "mpi/data/data.h"
#include "mpi/data/reducing.h"
#include "mpi/execution/copying.h"
#include "mpi/execution/waiting.h"

namespace toccata {

namespace {

// Up to this many bytes, two copies cost less than creating and using a derived datatype.
constexpr std::int64_t pack_limit = 64 << 10;

}  // namespace

int Execution::make_ready() {
  on_board_ = goes_on_board();
  if (schedule().scratch().empty() && !binding.has_stand_ins()) return MPI_SUCCESS;
  fill(binding.send_copy, binding.send, true);
  fill(binding.recv_copy, binding.recv, binding.recv_role == Binding::Role::input);
  const Room room = binding.bind_scratch(schedule(), plan().units.reduces);
  binding.scratch.set_base(scratch_.take(room.bytes) + room.origin);
  return MPI_SUCCESS;
}

void Execution::fill(Binding::StandIn& stand_in, Layout& layout, bool from_callers) {
  if (stand_in.blocks == 0) return;
  char* const memory = scratch_.take(stand_in.room.bytes) + stand_in.room.origin;
  stand_in.own.set_base(memory);
  layout.set_base(memory);
  if (from_callers)
    note(
        copy_blocks(stand_in.callers, stand_in.own, stand_in.blocks, transport(), binding.devices));
}

void Execution::finish() {
  const Binding::StandIn& result = binding.recv_copy;
  if (result.blocks > 0 && binding.recv_role == Binding::Role::result)
    note(copy_blocks(result.own, result.callers, result.blocks, transport(), binding.devices));
  release();
}

int Execution::run(Background& background) {
  runs_program_ = false;
  if (on_board_) {
    Waiting::advance_at(transport().call(), transport().comm());
    if (background.busy() || !start_program()) return Engine::run(background);
    Waiting waiting(background, transport().has_spare_cores(), transport().comm());
    while (!program_.go_on()) waiting.again();
    return end_program();
  }
  if (!plan().straight || !plan().straight->serves(binding) || background.busy())
    return Engine::run(background);
  note(plan().straight->run(binding, transport()));
  if (plan().straight->uses_scratch() || binding.has_stand_ins()) finish();
  return error();
}

int Execution::start() {
  return without_exception([&] { return start_program() ? MPI_SUCCESS : Engine::start(); });
}

int Execution::test(bool& done) {
  if (!runs_program_) return Engine::test(done);
  return without_exception([&] {
    done = program_.go_on();
    return done ? end_program() : MPI_SUCCESS;
  });
}

int Execution::all_arrived(bool by_waiting, bool& arrived) {
  if (exchanging_) {
    exchanging_ = !exchange_.go_on();
    if (!exchanging_ && exchange_.was_cut()) note(MPI_ERR_TRUNCATE);
    by_waiting = by_waiting && !exchanging_;
  }
  arrived = true;
  for (; arrived && arrived_ < requests_.size(); arrived_ += arrived ? 1 : 0)
    note(by_waiting ? Transport::wait(requests_[arrived_])
                    : Transport::test(requests_[arrived_], arrived));
  arrived = arrived && !exchanging_;
  return MPI_SUCCESS;
}

int Execution::open_round() {
  recvs_.clear();
  sends_.clear();
  staging_.reset();
  published_.clear();
  readings_.clear();
  for (const Message& each : schedule().recvs(round())) {
    if (is_on_board(each))
      add_reading(each);
    else if (int code = add_message(each, false); code != MPI_SUCCESS)
      return code;
  }
  for (const Message& each : schedule().sends(round())) {
    if (is_on_board(each))
      published_.push_back(&each);
    else if (int code = add_message(each, true); code != MPI_SUCCESS)
      return code;
  }
  open_exchange();
  return post();
}

int Execution::post() {
  requests_.clear();
  arrived_ = 0;
  for (const Transfer& each : recvs_)
    if (int code = transport().irecv(each.address, each.count, each.type, each.peer, each.channel,
                                     requests_.emplace_back(MPI_REQUEST_NULL));
        code != MPI_SUCCESS)
      return code;
  for (const Transfer& each : sends_)
    if (int code = transport().isend(each.address, each.count, each.type, each.peer, each.channel,
                                     requests_.emplace_back(MPI_REQUEST_NULL));
        code != MPI_SUCCESS)
      return code;
  return MPI_SUCCESS;
}

void Execution::close_round() {
  if (!unpackings_.empty() || !types_.empty()) settle();
  for (const Step& each : schedule().steps(round())) step(each);
}

void Execution::settle() {
  for (const Unpacking& each : unpackings_)
    note(unpack_runs(each.staged,
                     std::span(unpack_runs_).subspan(each.first_run, each.end_run - each.first_run),
                     transport().comm()));
  types_.clear();
  unpackings_.clear();
  unpack_runs_.clear();
}

int Execution::add_message(const Message& message, bool is_send) {
  const auto ranges = schedule().ranges(message);
  if (ranges.empty()) {  // the peer waits for a signal from us
    add(message, nullptr, 0, MPI_BYTE, is_send);
    return MPI_SUCCESS;
  }
  if (message.travel == Travel::per_block) {
    int code = MPI_SUCCESS;
    for (const BlockRange& range : ranges)
      for_each_block(range, [&](int block) {
        if (code == MPI_SUCCESS)
          code = add_run(message, binding[range.buffer].block(block), is_send);
      });
    return code;
  }
  return add_piece(message, ranges, is_send);
}

int Execution::add_piece(const Message& message, std::span<const BlockRange> ranges, bool is_send) {
  if (ranges.size() == 1 && ranges[0].consecutive() && binding[ranges[0].buffer].is_uniform()) {
    Run run = binding[ranges[0].buffer].block(ranges[0].first);
    run.elements *= ranges[0].blocks();
    return add_run(message, run, is_send);
  }
  runs_.clear();
  collect_runs(ranges, runs_);
  if (runs_.empty()) return MPI_SUCCESS;
  if (runs_.size() == 1) return add_run(message, runs_[0], is_send);
  const std::int64_t bytes = total_bytes(runs_);
  const bool packed =
      message.travel == Travel::packed
          ? bytes <= INT_MAX
          : (message.travel == Travel::whole || message.travel == Travel::published) &&
                bytes <= pack_limit && all_plain(runs_);
  return packed ? add_packed(message, bytes, is_send) : add_typed(message, runs_, is_send);
}

// A run without data needs no message: it is empty at the sender and at the receiver.
int Execution::add_run(const Message& message, const Run& run, bool is_send) {
  if (run.bytes() == 0) return MPI_SUCCESS;
  if (run.elements > INT_MAX) return add_typed(message, {run}, is_send);
  add(message, run.address, static_cast<int>(run.elements), run.traits->type, is_send);
  return MPI_SUCCESS;
}

int Execution::add_packed(const Message& message, std::int64_t bytes, bool is_send) {
  char* staged = staging_.take(bytes);
  add(message, staged, static_cast<int>(bytes), MPI_PACKED, is_send);
  if (is_send) return pack_runs(runs_, staged, transport().comm());
  const std::size_t first = unpack_runs_.size();
  unpack_runs_.insert(unpack_runs_.end(), runs_.begin(), runs_.end());
  unpackings_.push_back({first, unpack_runs_.size(), staged});
  return MPI_SUCCESS;
}

int Execution::add_typed(const Message& message, const std::vector<Run>& runs, bool is_send) {
  if (!data_moves && total_bytes(runs) <= INT_MAX) {
    add(message, runs[0].address, static_cast<int>(total_bytes(runs)), MPI_BYTE, is_send);
    return MPI_SUCCESS;
  }
  OwnedDatatype& type = types_.emplace_back();
  if (int code = make_datatype(runs, type); code != MPI_SUCCESS) return code;
  add(message, MPI_BOTTOM, 1, type.get(), is_send);
  return MPI_SUCCESS;
}

void Execution::add(const Message& message, void* address, int count, MPI_Datatype type,
                    bool is_send) {
  (is_send ? sends_ : recvs_).push_back({address, count, type, message.peer, message.channel});
}

void Execution::collect_runs(std::span<const BlockRange> ranges, std::vector<Run>& runs) const {
  for (const BlockRange& range : ranges) binding[range.buffer].append_runs(range, runs);
}

void Execution::step(const Step& step) {
  runs_.clear();
  into_runs_.clear();
  collect_runs(schedule().from(step), runs_);
  collect_runs(schedule().into(step), into_runs_);
  note(step.reduces ? reduce_runs(runs_, into_runs_, binding.operation)
                    : copy_runs(runs_, into_runs_, transport(), binding.devices));
}

bool Execution::cancel() {
  bool sending = false;
  exchanging_ = false;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (i < recvs_.size()) {
      Transport::cancel(requests_[i]);
    } else {
      sending = sending || requests_[i] != MPI_REQUEST_NULL;
      Transport::abandon(requests_[i]);
    }
  }
  requests_.clear();
  types_.clear();
  unpackings_.clear();
  unpack_runs_.clear();
  return sending;
}

}  // namespace toccata
