#include "mpi/execution/sized_execution.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "mpi/execution/copying.h"

namespace toccata {

namespace {

// Data of up to this many bytes is sent with the sizes, because MPIs send such messages eagerly.
constexpr std::int64_t room = 4 << 10;
// Up to this many bytes are packed; more are sent with a derived datatype.
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

// MPI_IN_PLACE needs no copy of the data: blocks leave recv before the end, when any are stored
// there.
int SizedExecution::make_ready() {
  const int sends = plan().units.send;
  blocks_ = plan().units.recv;
  first_slot_[static_cast<int>(Buffer::recv)] = sends;
  first_slot_[static_cast<int>(Buffer::scratch)] = std::int64_t{sends} + blocks_;
  slots_.assign(sends + blocks_ + blocks(schedule().scratch()), Run{nullptr, 0, &packed});
  for (int block = 0; block < sends; ++block) slot(Buffer::send, block) = binding.send.block(block);
  return MPI_SUCCESS;
}

int SizedExecution::open_round() {
  incoming_.clear();
  recvs_.clear();
  sends_.clear();
  types_.clear();
  staging_.reset();
  heard_ = arrived_ = 0;
  for (const Message& each : schedule().recvs(round()))
    if (int code = recv_sizes(each); code != MPI_SUCCESS) return code;
  for (const Message& each : schedule().sends(round()))
    if (int code = send_sizes(each); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

int SizedExecution::recv_sizes(const Message& message) {
  std::int64_t blocks = 0;
  for (const BlockRange& range : schedule().ranges(message)) blocks += range.blocks();
  const std::int64_t most = sizes_bytes(blocks) + room;
  Incoming& incoming = incoming_.emplace_back(
      Incoming{&message, blocks, scratch_.take(most), nullptr, MPI_REQUEST_NULL});
  return transport().irecv(incoming.first, static_cast<int>(most), MPI_PACKED, message.peer,
                           message.channel, incoming.request);
}

int SizedExecution::send_sizes(const Message& message) {
  std::int64_t blocks = 0, bytes = 0;
  moved_.clear();
  for_each_slot(schedule().ranges(message), [&](const Run& block) {
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
  if (at_once) note(pack_runs(moved_, first + sizes_bytes(blocks), transport().comm()));
  MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
  if (int code = transport().isend(first, static_cast<int>(first_bytes), MPI_PACKED, message.peer,
                                   message.channel, request);
      code != MPI_SUCCESS)
    return code;
  return at_once ? MPI_SUCCESS : send_data(message, bytes);
}

int SizedExecution::send_data(const Message& message, std::int64_t bytes) {
  MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
  if (bytes <= pack_limit) {
    char* const data = staging_.take(bytes);
    note(pack_runs(moved_, data, transport().comm()));
    return transport().isend(data, static_cast<int>(bytes), MPI_PACKED, message.peer,
                             data_channel(message), request);
  }
  OwnedDatatype& type = types_.emplace_back();
  if (int code = make_datatype(moved_, type); code != MPI_SUCCESS) return code;
  return transport().isend(MPI_BOTTOM, 1, type.get(), message.peer, data_channel(message), request);
}

// The sizes have arrived.
int SizedExecution::take_data(Incoming& incoming) {
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < incoming.blocks; ++i)
    bytes += std::max<Size>(read_size(incoming.first, i), 0);
  if (bytes <= room) {
    incoming.data = incoming.first + sizes_bytes(incoming.blocks);
    return MPI_SUCCESS;
  }
  try {
    incoming.data = scratch_.take(bytes);
    return recv_data(*incoming.message, incoming.data, bytes);
  } catch (const std::bad_alloc&) {
    note(MPI_ERR_NO_MEM);
    return drain(*incoming.message, incoming.first + sizes_bytes(incoming.blocks), bytes);
  }
}

int SizedExecution::recv_data(const Message& message, char* data, std::int64_t bytes) {
  MPI_Request& request = recvs_.emplace_back(MPI_REQUEST_NULL);
  if (bytes <= INT_MAX)
    return transport().irecv(data, static_cast<int>(bytes), MPI_PACKED, message.peer,
                             data_channel(message), request);
  OwnedDatatype& type = types_.emplace_back();
  if (int code = make_datatype({{data, bytes, &packed}}, type); code != MPI_SUCCESS) return code;
  return transport().irecv(MPI_BOTTOM, 1, type.get(), message.peer, data_channel(message), request);
}

// Data must be received even without memory for it, because its sender would wait otherwise. It is
// received in pieces, into the memory for data that arrives with its sizes.
int SizedExecution::drain(const Message& message, char* sink, std::int64_t bytes) {
  MPI_Request& request = recvs_.emplace_back(MPI_REQUEST_NULL);
  MPI_Datatype pieces;
  const auto count = static_cast<int>((bytes + room - 1) / room);
  if (int code = PMPI_Type_create_hvector(count, room, 0, MPI_PACKED, &pieces); code != MPI_SUCCESS)
    return code;
  const OwnedDatatype& type = types_.emplace_back(pieces);
  if (int code = PMPI_Type_commit(&pieces); code != MPI_SUCCESS) return code;
  return transport().irecv(sink, 1, type.get(), message.peer, data_channel(message), request);
}

bool SizedExecution::ended(MPI_Request& request, bool by_waiting) {
  bool over = true;
  note(by_waiting ? Transport::wait(request) : Transport::test(request, over));
  return over;
}

// The rank reads sizes in the order of posting. So the data of two messages from one rank also
// match in that order.
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
    for_each_slot(schedule().ranges(*each.message), [&](Run& block) {
      const Size size = read_size(each.first, place++);
      block = {data, data == nullptr && size > 0 ? lost : size, &packed};
      if (size > 0 && data != nullptr) data += size;
    });
  }
  for (const Step& copy : schedule().steps(round())) {
    moved_.clear();
    for_each_slot(schedule().from(copy), [&](const Run& block) { moved_.push_back(block); });
    auto next = moved_.begin();
    for_each_slot(schedule().into(copy), [&](Run& block) { block = *next++; });
  }
}

// The receiver's room may be larger than the arrived data, or smaller because of an error in the
// program.
void SizedExecution::finish() {
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
    else if (!plain)  // because other datatypes lead to other places from one address
      note(copy_runs({from}, {into}, transport()));
  }
  release();
}

bool SizedExecution::cancel() {
  for (Incoming& each : incoming_) Transport::cancel(each.request);
  for (MPI_Request& each : recvs_) Transport::cancel(each);
  const bool sending =
      std::ranges::any_of(sends_, [](MPI_Request each) { return each != MPI_REQUEST_NULL; });
  for (MPI_Request& each : sends_) Transport::abandon(each);
  incoming_.clear();
  recvs_.clear();
  sends_.clear();
  types_.clear();
  return sending;
}

}  // namespace toccata
