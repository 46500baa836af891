#include "mpi/execution.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "mpi/copying.h"
#include "mpi/reducing.h"

namespace toccata {

namespace {

// Up to this many bytes, two copies cost less than making and walking a derived datatype.
constexpr std::int64_t pack_limit = 64 << 10;

constexpr std::int64_t least_chunk = 16 << 10;
constexpr std::int64_t most_kept = 4 << 20;  // bytes an idle arena may keep

}  // namespace

char* Arena::take(std::int64_t bytes) {
  static constexpr std::int64_t alignment = 64;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < bytes) {
    const std::int64_t size = std::max(bytes, least_chunk);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size, 0});
  }
  Chunk& chunk = chunks_.back();
  chunk.used += bytes;
  return chunk.memory.get() + chunk.used - bytes;
}

void Arena::reset() {
  if (chunks_.empty()) return;
  std::swap(chunks_.front(), chunks_.back());  // the last is the one that was large enough
  chunks_.resize(1);
  chunks_.front().used = 0;
  if (chunks_.front().size > most_kept) chunks_.clear();
}

template <typename Body>
int Execution::without_exception(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return give_up(MPI_ERR_NO_MEM);
  }
}

int Execution::prepare(const Plan& plan, MPI_Comm comm, int rank, int first_tag) {
  const Schedule& schedule = plan.schedule;
  schedule_ = &schedule;
  straight_ = plan.straight ? &*plan.straight : nullptr;
  comm_ = comm;
  rank_ = rank;
  first_tag_ = first_tag;
  round_ = 0;
  error_ = MPI_SUCCESS;
  if (schedule.scratch().empty() && !binding.has_stand_ins()) return MPI_SUCCESS;
  return without_exception([&] {
    fill(binding.send_copy, binding.send, true);
    fill(binding.recv_copy, binding.recv, binding.recv_role == Binding::Role::input);
    const Room room = binding.bind_scratch(schedule, plan.units.reduces);
    binding.scratch.set_base(scratch_.take(room.bytes) + room.origin);
    return MPI_SUCCESS;
  });
}

void Execution::fill(Binding::StandIn& stand_in, Layout& layout, bool from_callers) {
  if (stand_in.blocks == 0) return;
  char* const memory = scratch_.take(stand_in.room.bytes) + stand_in.room.origin;
  stand_in.own.set_base(memory);
  layout.set_base(memory);
  if (from_callers)
    note(copy_blocks(stand_in.callers, stand_in.own, stand_in.blocks, comm_, rank_, first_tag_));
}

void Execution::finish() {
  const Binding::StandIn& result = binding.recv_copy;
  if (result.blocks > 0 && binding.recv_role == Binding::Role::result)
    note(copy_blocks(result.own, result.callers, result.blocks, comm_, rank_, first_tag_));
  release();
}

int Execution::run(Background& background) {
  if (straight_ != nullptr && straight_->serves(binding) && !background.busy()) {
    note(straight_->run(binding, comm_, first_tag_));
    if (straight_->uses_scratch() || binding.has_stand_ins()) finish();
    return error_;
  }
  return without_exception([&] {
    for (; !finished(); ++round_) {
      if (int code = exchange(background); code != MPI_SUCCESS) return give_up(code);
      close_round();
    }
    finish();
    return error_;
  });
}

int Execution::exchange(Background& background) {
  if (int code = open_round(); code != MPI_SUCCESS) return code;
  if (int code = post(); code != MPI_SUCCESS) return code;
  while (background.busy() && !all_arrived()) {
    background.progress();
    std::this_thread::yield();
  }
  for (; arrived_ < requests_.size(); ++arrived_)
    note(PMPI_Wait(&requests_[arrived_], MPI_STATUS_IGNORE));
  return MPI_SUCCESS;
}

// One request at a time: errors of MPI_Waitall and MPI_Testall MPICH raises outside the
// communicator, where they are fatal.
bool Execution::all_arrived() {
  for (; arrived_ < requests_.size(); ++arrived_) {
    int ended = 0;
    const int code = PMPI_Test(&requests_[arrived_], &ended, MPI_STATUS_IGNORE);
    note(code);
    if (code == MPI_SUCCESS && ended == 0) return false;
  }
  return true;
}

int Execution::start() {
  return without_exception([&] { return advance(); });
}

int Execution::test(bool& done) {
  return without_exception([&] {
    while (!finished() && all_arrived()) {
      close_round();
      ++round_;
      if (int code = advance(); code != MPI_SUCCESS) return code;
    }
    done = finished();
    return done ? error_ : MPI_SUCCESS;
  });
}

int Execution::advance() {
  for (; !finished(); ++round_) {
    if (int code = open_round(); code != MPI_SUCCESS) return give_up(code);
    if (int code = post(); code != MPI_SUCCESS) return give_up(code);
    if (!requests_.empty()) return MPI_SUCCESS;
    close_round();
  }
  finish();
  return MPI_SUCCESS;
}

void Execution::release() {
  scratch_.reset();
  staging_.reset();
}

int Execution::open_round() {
  recvs_.clear();
  sends_.clear();
  staging_.reset();
  for (const Message& each : schedule_->recvs(round_))
    if (int code = add_message(each, false); code != MPI_SUCCESS) return code;
  for (const Message& each : schedule_->sends(round_))
    if (int code = add_message(each, true); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

int Execution::post() {
  requests_.clear();
  arrived_ = 0;
  for (const Transfer& each : recvs_) {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    if (int code =
            PMPI_Irecv(each.address, each.count, each.type, each.peer, each.tag, comm_, &request);
        code != MPI_SUCCESS)
      return code;
  }
  for (const Transfer& each : sends_) {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    if (int code =
            PMPI_Isend(each.address, each.count, each.type, each.peer, each.tag, comm_, &request);
        code != MPI_SUCCESS)
      return code;
  }
  return MPI_SUCCESS;
}

void Execution::close_round() {
  if (!unpackings_.empty() || !types_.empty()) settle();
  for (const Step& each : schedule_->steps(round_)) step(each);
}

void Execution::settle() {
  for (const Unpacking& each : unpackings_)
    note(unpack_runs(each.staged, each.bytes,
                     std::span(unpack_runs_).subspan(each.first_run, each.end_run - each.first_run),
                     comm_));
  types_.clear();
  unpackings_.clear();
  unpack_runs_.clear();
}

int Execution::add_message(const Message& message, bool is_send) {
  const auto ranges = schedule_->ranges(message);
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
          : message.travel == Travel::whole && bytes <= pack_limit && all_plain(runs_);
  return packed ? add_packed(message, bytes, is_send) : add_typed(message, runs_, is_send);
}

// Where there is no data there is no message: both sides know that.
int Execution::add_run(const Message& message, const Run& run, bool is_send) {
  if (run.bytes() == 0) return MPI_SUCCESS;
  if (run.elements > INT_MAX) return add_typed(message, {run}, is_send);
  add(message, run.address, static_cast<int>(run.elements), run.traits->type, is_send);
  return MPI_SUCCESS;
}

int Execution::add_packed(const Message& message, std::int64_t bytes, bool is_send) {
  char* staged = staging_.take(bytes);
  add(message, staged, static_cast<int>(bytes), MPI_PACKED, is_send);
  if (is_send) return pack_runs(runs_, staged, bytes, comm_);
  const std::size_t first = unpack_runs_.size();
  unpack_runs_.insert(unpack_runs_.end(), runs_.begin(), runs_.end());
  unpackings_.push_back({first, unpack_runs_.size(), staged, bytes});
  return MPI_SUCCESS;
}

int Execution::add_typed(const Message& message, const std::vector<Run>& runs, bool is_send) {
  OwnedDatatype& type = types_.emplace_back();
  if (int code = make_datatype(runs, type); code != MPI_SUCCESS) return code;
  add(message, MPI_BOTTOM, 1, type.get(), is_send);
  return MPI_SUCCESS;
}

void Execution::add(const Message& message, void* address, int count, MPI_Datatype type,
                    bool is_send) {
  (is_send ? sends_ : recvs_)
      .push_back({address, count, type, message.peer, first_tag_ + message.channel});
}

void Execution::collect_runs(std::span<const BlockRange> ranges, std::vector<Run>& runs) const {
  for (const BlockRange& range : ranges) binding[range.buffer].append_runs(range, runs);
}

void Execution::step(const Step& step) {
  runs_.clear();
  into_runs_.clear();
  collect_runs(schedule_->from(step), runs_);
  collect_runs(schedule_->into(step), into_runs_);
  note(step.reduces ? reduce_runs(runs_, into_runs_, binding.operation)
                    : copy_runs(runs_, into_runs_, comm_, rank_, first_tag_));
}

int Execution::give_up(int code) {
  bool sending = false;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (i < recvs_.size()) {
      PMPI_Cancel(&requests_[i]);
      PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    } else {
      PMPI_Request_free(&requests_[i]);
      sending = true;
    }
  }
  if (sending) {
    abandoned_.push_back(std::exchange(scratch_, {}));
    abandoned_.push_back(std::exchange(staging_, {}));
  }
  requests_.clear();
  types_.clear();
  unpackings_.clear();
  unpack_runs_.clear();
  release();
  round_ = schedule_->rounds();
  return code;
}

}  // namespace toccata
