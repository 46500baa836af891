#include "mpi/sized_execution.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "mpi/copying.h"

namespace toccata {

namespace {

// As much data goes with the sizes: what MPIs send at once, without asking the receiver.
constexpr std::int64_t room = 4 << 10;
// Up to so much is packed, more is sent by a derived datatype.
constexpr std::int64_t pack_limit = 64 << 10;

using Size = std::int64_t;
constexpr Size lost = -1;

const DatatypeTraits packed = packed_traits();

bool is_lost(const Run& block) { return block.elements == lost; }

std::int64_t bytes_of(const Run& block) { return is_lost(block) ? 0 : block.bytes(); }

void write_size(char* sizes, std::int64_t place, Size size) {
  std::memcpy(sizes + place * sizeof(Size), &size, sizeof(Size));
}

Size read_size(const char* sizes, std::int64_t place) {
  Size size;
  std::memcpy(&size, sizes + place * sizeof(Size), sizeof(Size));
  return size;
}

std::int64_t sizes_bytes(std::int64_t blocks) { return blocks * sizeof(Size); }

}  // namespace

template <typename Visit>
void SizedExecution::for_each_slot(std::span<const BlockRange> ranges, Visit&& visit) {
  for (const BlockRange& range : ranges)
    for_each_block(range, [&](std::int32_t block) { visit(slot(range.buffer, block)); });
}

template <typename Body>
int SizedExecution::without_exception(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return give_up(MPI_ERR_NO_MEM);
  }
}

// What is in place needs no copy: blocks leave recv before anything is put there, at the end.
int SizedExecution::prepare(const Plan& plan, MPI_Comm comm, int rank, int first_tag) {
  schedule_ = &plan.schedule;
  comm_ = comm;
  rank_ = rank;
  first_tag_ = first_tag;
  round_ = 0;
  error_ = MPI_SUCCESS;
  PMPI_Comm_size(comm, &blocks_);
  first_slot_[static_cast<int>(Buffer::recv)] = blocks_;
  first_slot_[static_cast<int>(Buffer::scratch)] = std::int64_t{2} * blocks_;
  return without_exception([&] {
    slots_.assign(2 * blocks_ + blocks(schedule_->scratch()), Run{nullptr, 0, &packed});
    for (int block = 0; block < blocks_; ++block)
      slot(Buffer::send, block) = binding.send.block(block);
    return MPI_SUCCESS;
  });
}

int SizedExecution::run(Background& background) {
  return without_exception([&] {
    for (; !finished(); ++round_) {
      if (int code = open_round(); code != MPI_SUCCESS) return give_up(code);
      for (bool arrived = false; !arrived;) {
        const bool busy = background.busy();
        if (int code = all_arrived(!busy, arrived); code != MPI_SUCCESS) return give_up(code);
        if (arrived) break;
        background.progress();
        std::this_thread::yield();
      }
      close_round();
    }
    return finish();
  });
}

int SizedExecution::start() {
  return without_exception([&] { return advance(); });
}

int SizedExecution::test(bool& done) {
  return without_exception([&] {
    while (!finished()) {
      bool arrived;
      if (int code = all_arrived(false, arrived); code != MPI_SUCCESS) return give_up(code);
      if (!arrived) return MPI_SUCCESS;
      close_round();
      ++round_;
      if (int code = advance(); code != MPI_SUCCESS) return code;
    }
    done = true;
    return finish();
  });
}

int SizedExecution::advance() {
  for (; !finished(); ++round_) {
    if (int code = open_round(); code != MPI_SUCCESS) return give_up(code);
    if (!incoming_.empty() || !sends_.empty()) return MPI_SUCCESS;
    close_round();
  }
  return MPI_SUCCESS;
}

int SizedExecution::open_round() {
  incoming_.clear();
  recvs_.clear();
  sends_.clear();
  types_.clear();
  staging_.reset();
  heard_ = arrived_ = 0;
  for (const Message& each : schedule_->recvs(round_))
    if (int code = recv_sizes(each); code != MPI_SUCCESS) return code;
  for (const Message& each : schedule_->sends(round_))
    if (int code = send_sizes(each); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

int SizedExecution::recv_sizes(const Message& message) {
  std::int64_t blocks = 0;
  for (const BlockRange& range : schedule_->ranges(message)) blocks += range.blocks();
  const std::int64_t most = sizes_bytes(blocks) + room;
  Incoming& incoming = incoming_.emplace_back(
      Incoming{&message, blocks, kept_.take(most), nullptr, MPI_REQUEST_NULL});
  return PMPI_Irecv(incoming.first, static_cast<int>(most), MPI_PACKED, message.peer,
                    first_tag_ + message.channel, comm_, &incoming.request);
}

int SizedExecution::send_sizes(const Message& message) {
  std::int64_t blocks = 0, bytes = 0;
  moved_.clear();
  for_each_slot(schedule_->ranges(message), [&](const Run& block) {
    ++blocks;
    bytes += bytes_of(block);
    moved_.push_back(block);
  });
  const bool at_once = bytes <= room;
  const std::int64_t first_bytes = sizes_bytes(blocks) + (at_once ? bytes : 0);
  char* const first = staging_.take(first_bytes);
  for (std::int64_t i = 0; i < blocks; ++i)
    write_size(first, i, is_lost(moved_[i]) ? lost : moved_[i].bytes());
  std::erase_if(moved_, [](const Run& block) { return bytes_of(block) == 0; });
  if (at_once) note(pack_runs(moved_, first + sizes_bytes(blocks), bytes, comm_));
  MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
  if (int code = PMPI_Isend(first, static_cast<int>(first_bytes), MPI_PACKED, message.peer,
                            first_tag_ + message.channel, comm_, &request);
      code != MPI_SUCCESS)
    return code;
  return at_once ? MPI_SUCCESS : send_data(message, bytes);
}

int SizedExecution::send_data(const Message& message, std::int64_t bytes) {
  MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
  if (bytes <= pack_limit) {
    char* const data = staging_.take(bytes);
    note(pack_runs(moved_, data, bytes, comm_));
    return PMPI_Isend(data, static_cast<int>(bytes), MPI_PACKED, message.peer, data_tag(message),
                      comm_, &request);
  }
  OwnedDatatype& type = types_.emplace_back();
  if (int code = make_datatype(moved_, type); code != MPI_SUCCESS) return code;
  return PMPI_Isend(MPI_BOTTOM, 1, type.get(), message.peer, data_tag(message), comm_, &request);
}

// The sizes are here.
int SizedExecution::take_data(Incoming& incoming) {
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < incoming.blocks; ++i)
    bytes += std::max<Size>(read_size(incoming.first, i), 0);
  if (bytes <= room) {
    incoming.data = incoming.first + sizes_bytes(incoming.blocks);
    return MPI_SUCCESS;
  }
  try {
    incoming.data = kept_.take(bytes);
    return recv_data(*incoming.message, incoming.data, bytes);
  } catch (const std::bad_alloc&) {
    note(MPI_ERR_NO_MEM);
    return drain(*incoming.message, incoming.first + sizes_bytes(incoming.blocks), bytes);
  }
}

int SizedExecution::recv_data(const Message& message, char* data, std::int64_t bytes) {
  MPI_Request& request = recvs_.emplace_back(MPI_REQUEST_NULL);
  if (bytes <= INT_MAX)
    return PMPI_Irecv(data, static_cast<int>(bytes), MPI_PACKED, message.peer, data_tag(message),
                      comm_, &request);
  OwnedDatatype& type = types_.emplace_back();
  if (int code = make_datatype({{data, bytes, &packed}}, type); code != MPI_SUCCESS) return code;
  return PMPI_Irecv(MPI_BOTTOM, 1, type.get(), message.peer, data_tag(message), comm_, &request);
}

// What there is no memory for has to be received all the same, or its sender would wait: piece over
// piece into the room that data with the sizes would have had.
int SizedExecution::drain(const Message& message, char* sink, std::int64_t bytes) {
  MPI_Request& request = recvs_.emplace_back(MPI_REQUEST_NULL);
  MPI_Datatype pieces;
  const auto count = static_cast<int>((bytes + room - 1) / room);
  if (int code = PMPI_Type_create_hvector(count, room, 0, MPI_PACKED, &pieces); code != MPI_SUCCESS)
    return code;
  const OwnedDatatype& type = types_.emplace_back(pieces);
  if (int code = PMPI_Type_commit(&pieces); code != MPI_SUCCESS) return code;
  return PMPI_Irecv(sink, 1, type.get(), message.peer, data_tag(message), comm_, &request);
}

bool SizedExecution::ended(MPI_Request& request, bool by_waiting) {
  int flag = 1;
  const int code = by_waiting ? PMPI_Wait(&request, MPI_STATUS_IGNORE)
                              : PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  note(code);
  return flag != 0 || code != MPI_SUCCESS;
}

// Sizes in the order of posting: the data of two messages from one rank match in that order too.
int SizedExecution::all_arrived(bool by_waiting, bool& arrived) {
  arrived = false;
  for (; heard_ < incoming_.size(); ++heard_) {
    if (!ended(incoming_[heard_].request, by_waiting)) return MPI_SUCCESS;
    if (int code = take_data(incoming_[heard_]); code != MPI_SUCCESS) return code;
  }
  for (; arrived_ < recvs_.size() + sends_.size(); ++arrived_) {
    MPI_Request& request =
        arrived_ < recvs_.size() ? recvs_[arrived_] : sends_[arrived_ - recvs_.size()];
    if (!ended(request, by_waiting)) return MPI_SUCCESS;
  }
  arrived = true;
  return MPI_SUCCESS;
}

void SizedExecution::close_round() {
  for (const Incoming& each : incoming_) {
    char* data = each.data;
    std::int64_t place = 0;
    for_each_slot(schedule_->ranges(*each.message), [&](Run& block) {
      const Size size = read_size(each.first, place++);
      block = {data, data == nullptr && size > 0 ? lost : size, &packed};
      if (size > 0 && data != nullptr) data += size;
    });
  }
  for (const Step& copy : schedule_->steps(round_)) {
    moved_.clear();
    for_each_slot(schedule_->from(copy), [&](const Run& block) { moved_.push_back(block); });
    auto next = moved_.begin();
    for_each_slot(schedule_->into(copy), [&](Run& block) { block = *next++; });
  }
}

// The receiver may have room for more than came, or by mistake for less.
int SizedExecution::finish() {
  for (int block = 0; block < blocks_; ++block) {
    Run from = slot(Buffer::recv, block);
    const Run into = binding.recv.block(block);
    if (is_lost(from)) note(MPI_ERR_NO_MEM);
    if (bytes_of(from) > into.bytes()) {
      note(MPI_ERR_TRUNCATE);
      from.elements = into.bytes() / from.traits->size;
    }
    if (bytes_of(from) == 0) continue;
    const bool plain = from.traits->plain && into.traits->plain;
    if (plain && from.address != into.address)
      std::memcpy(into.address, from.address, static_cast<std::size_t>(from.bytes()));
    else if (!plain)  // datatypes may lead to other places from the same address
      note(copy_runs({from}, {into}, comm_, rank_, first_tag_));
  }
  kept_.reset();
  staging_.reset();
  return error_;
}

int SizedExecution::give_up(int code) {
  const auto cancel = [](MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) return;
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  for (Incoming& each : incoming_) cancel(each.request);
  for (MPI_Request& each : recvs_) cancel(each);
  for (MPI_Request& each : sends_)
    if (each != MPI_REQUEST_NULL) PMPI_Request_free(&each);
  abandoned_.push_back(std::exchange(kept_, {}));
  abandoned_.push_back(std::exchange(staging_, {}));
  incoming_.clear();
  recvs_.clear();
  sends_.clear();
  types_.clear();
  if (schedule_ != nullptr) round_ = schedule_->rounds();
  return code;
}

}  // namespace toccata
