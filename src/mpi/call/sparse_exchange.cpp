#include "mpi/call/sparse_exchange.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <thread>

#include "mpi/execution/copying.h"
#include "mpi/execution/nonblocking_barrier.h"
#include "topology/placements.h"

namespace toccata {

namespace {

// Precedes each message in a packet: the destination or source rank, and the number of bytes.
struct Label {
  std::int64_t rank;
  std::int64_t bytes;
};

const DatatypeTraits packed = packed_traits();

}  // namespace

SparseAlgorithm parse_sparse_algorithm(std::string_view name) {
  if (name == "nbx") return SparseAlgorithm::nbx;
  if (name == "locality_nbx") return SparseAlgorithm::locality_nbx;
  if (name == "native") return SparseAlgorithm::native;
  throw ChoiceError("unknown algorithm '" + std::string(name) +
                    "' of sparse_alltoallv: expected nbx, locality_nbx or native");
}

int SparseExchange::run(SparseAlgorithm algorithm, std::span<const Parcel> parcels) {
  const bool by_us = algorithm != SparseAlgorithm::native &&
                     communicator_.open_channel() == MPI_SUCCESS &&
                     communicator_.channel().is_ready();
  if (!by_us) return run_native(parcels);
  std::shared_ptr<const Placement> placement;
  const Regions* nodes = nullptr;
  if (algorithm == SparseAlgorithm::locality_nbx) {
    placement = communicator_.placement();
    if (const int level = node_level(placement->machine()); level >= 0)
      nodes = &placement->regions(level);
  }
  Channel& channel = communicator_.channel();
  transport_ = Transport(channel.route(), 0);
  const int code =
      nodes != nullptr && nodes->divide() ? run_by_node(parcels, *nodes) : run_nbx(parcels);
  if (code != MPI_SUCCESS) {  // messages may still be on their way
    channel.spoil();
    for (MPI_Request& each : sends_) Transport::abandon(each);
    for (MPI_Request& each : requests_) Transport::abandon(each);
  }
  std::ranges::sort(deliveries_, {}, &Delivery::peer);
  return communicator_.raise(code != MPI_SUCCESS ? code : error_);
}

int SparseExchange::run_nbx(std::span<const Parcel> parcels) {
  std::vector<Letter> letters;
  letters.reserve(parcels.size());
  for (const Parcel& each : parcels)
    letters.push_back({each.peer, each.data.address, static_cast<int>(each.data.elements),
                       each.data.traits->type});
  return nbx(letters, [&](int source, std::int64_t bytes, MPI_Message& message) {
    if (!make_room(source, bytes)) return drain(bytes, message);
    return receive(deliveries_.back().data, deliveries_.back().elements, traits_, message);
  });
}

// Between two probes.
void SparseExchange::make_progress() {
  communicator_.process().progress();
#ifndef TOCCATA_SIMULATED  // there, all ranks share one thread
  std::this_thread::yield();
#endif
}

// Sends letters. Passes each arriving message to `take`, which begins to receive it.
template <typename Take>
int SparseExchange::nbx(std::span<const Letter> letters, Take&& take) {
  const int tag = communicator_.channel().next_sparse_tag();
  sends_.assign(letters.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (int code = transport_.issend(letters[i].data, letters[i].count, letters[i].type,
                                     letters[i].peer, tag, sends_[i]);
        code != MPI_SUCCESS)
      return code;
  std::size_t sent = 0;
  NonblockingBarrier all_done(transport_, communicator_.rank(), communicator_.size(),
                              Channel::local_sparse_tag);
  for (bool in_barrier = false;;) {
    for (bool found = true; found;) {
      int source = Transport::any;
      std::int64_t bytes = 0;
      MPI_Message message;
      int code = transport_.probe(source, tag, found, bytes, message);
      if (code == MPI_SUCCESS && found) code = take(source, bytes, message);
      if (code != MPI_SUCCESS) return code;
    }
    bool over = true;
    while (over && sent < sends_.size()) {
      if (int code = Transport::test(sends_[sent], over); code != MPI_SUCCESS) return code;
      if (over) ++sent;
    }
    if (sent == sends_.size() && !in_barrier) {
      in_barrier = true;
      if (int code = all_done.enter(); code != MPI_SUCCESS) return code;
    }
    if (in_barrier) {
      const int code = all_done.test(over);
      if (code != MPI_SUCCESS) return code;
      if (over) return wait_for_all();
    }
    make_progress();
  }
}

// More than 2 GiB travel as one element of a derived datatype.
int SparseExchange::letter_of(const std::vector<char>& packet, int peer, Letter& letter) {
  const auto bytes = static_cast<std::int64_t>(packet.size());
  if (bytes <= INT_MAX) {
    letter = {peer, packet.data(), static_cast<int>(bytes), MPI_PACKED};
    return MPI_SUCCESS;
  }
  OwnedDatatype& type = types_.emplace_back();
  const int code = make_datatype({{const_cast<char*>(packet.data()), bytes, &packed}}, type);
  letter = {peer, MPI_BOTTOM, 1, type.get()};
  return code;
}

int SparseExchange::receive(char* data, std::int64_t elements, const DatatypeTraits& traits,
                            MPI_Message& message) {
  MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
  if (elements <= INT_MAX)
    return PMPI_Imrecv(data, static_cast<int>(elements), traits.type, &message, &request);
  OwnedDatatype& type = types_.emplace_back();
  if (int code = make_datatype({{data, elements, &traits}}, type); code != MPI_SUCCESS) return code;
  return PMPI_Imrecv(MPI_BOTTOM, 1, type.get(), &message, &request);
}

// Receives a message that cannot be delivered, because its sender would wait otherwise.
int SparseExchange::drain(std::int64_t bytes, MPI_Message& message) {
  constexpr std::int64_t piece = sizeof(sink_);
  const auto pieces = static_cast<int>((bytes + piece - 1) / piece);
  MPI_Datatype type;
  if (int code = PMPI_Type_create_hvector(pieces, piece, 0, MPI_PACKED, &type); code != MPI_SUCCESS)
    return code;
  types_.emplace_back(type);
  if (int code = PMPI_Type_commit(&type); code != MPI_SUCCESS) return code;
  return PMPI_Imrecv(sink_, 1, type, &message, &requests_.emplace_back(MPI_REQUEST_NULL));
}

int SparseExchange::wait_for_all() {
  for (MPI_Request& each : requests_)
    if (int code = Transport::wait(each, communicator_.process()); code != MPI_SUCCESS) return code;
  requests_.clear();
  types_.clear();
  return MPI_SUCCESS;
}

// Makes room for a message of rank `source`. If the message cannot be delivered, notes the error
// and returns false.
bool SparseExchange::make_room(int source, std::int64_t bytes) try {
  const bool whole = traits_.size > 0 && bytes % traits_.size == 0;
  const std::int64_t elements = whole ? bytes / traits_.size : 0;
  if (!whole || elements > INT_MAX) {
    note(whole ? MPI_ERR_COUNT : MPI_ERR_TYPE);
    return false;
  }
  const Room room = room_for(traits_, elements);
  deliveries_.reserve(deliveries_.size() + 1);
  deliveries_.push_back(
      {source, static_cast<int>(elements), arena_.take(room.bytes) + room.origin});
  return true;
} catch (const std::bad_alloc&) {
  note(MPI_ERR_NO_MEM);
  return false;
}

int SparseExchange::append(std::vector<char>& packet, int rank, const Run& data) const {
  const Label label{rank, data.bytes()};
  const auto* const bytes = reinterpret_cast<const char*>(&label);
  packet.insert(packet.end(), bytes, bytes + sizeof(label));
  const std::size_t place = packet.size();
  packet.resize(place + data.bytes());
  return pack_runs({&data, 1}, packet.data() + place, transport_.comm());
}

namespace {

// Calls visit(rank, data) for each message of a packet.
template <typename Visit>
int for_each_message(const std::vector<char>& packet, Visit&& visit) {
  for (std::size_t place = 0; place < packet.size();) {
    Label label;
    std::memcpy(&label, packet.data() + place, sizeof(label));
    place += sizeof(label);
    Run data{const_cast<char*>(packet.data()) + place, label.bytes, &packed};
    if (int code = visit(static_cast<int>(label.rank), data); code != MPI_SUCCESS) return code;
    place += label.bytes;
  }
  return MPI_SUCCESS;
}

}  // namespace

int SparseExchange::unpack(const std::vector<char>& packet) {
  // In some MPIs, MPI_SUCCESS is of an enumeration's type.
  return for_each_message(packet, [&](int source, const Run& data) -> int {
    if (!make_room(source, data.bytes())) return MPI_SUCCESS;
    const Run into{deliveries_.back().data, deliveries_.back().elements, &traits_};
    return unpack_runs(data.address, {&into, 1}, transport_.comm());
  });
}

// Ranks 0 1 | 2 3 in two nodes: 0 has messages for 2 and 3, and sends both to 2; 2 keeps its own,
// and passes the other on to 3.
int SparseExchange::run_by_node(std::span<const Parcel> parcels, const Regions& nodes) {
  const int me = communicator_.rank();
  const int home = nodes.of(me);
  // In packets between nodes, a label names the receiver; inside a node, it names the sender.
  std::vector<std::vector<char>> inside(nodes.size(home));
  std::vector<std::pair<int, std::vector<char>>> outside;  // by node
  std::vector<const Parcel*> by_node(parcels.size());
  std::ranges::transform(parcels, by_node.begin(), [](const Parcel& each) { return &each; });
  std::ranges::stable_sort(by_node, {}, [&](const Parcel* each) { return nodes.of(each->peer); });
  for (const Parcel* each : by_node) {
    const int node = nodes.of(each->peer);
    if (node != home && (outside.empty() || outside.back().first != node))
      outside.emplace_back(node, std::vector<char>());
    const int code = node == home ? append(inside[nodes.local(each->peer)], me, each->data)
                                  : append(outside.back().second, each->peer, each->data);
    if (code != MPI_SUCCESS) return code;
  }
  std::vector<Letter> letters;
  for (auto& [node, packet] : outside) {
    const int entry = nodes.members(node)[nodes.local(me) % nodes.size(node)];
    if (int code = letter_of(packet, entry, letters.emplace_back()); code != MPI_SUCCESS)
      return code;
  }
  std::deque<std::pair<int, std::vector<char>>> arrived;
  int code = nbx(letters, [&](int source, std::int64_t bytes, MPI_Message& message) {
    try {
      arrived.emplace_back(source, std::vector<char>(bytes));
    } catch (const std::bad_alloc&) {
      note(MPI_ERR_NO_MEM);
      return drain(bytes, message);
    }
    return receive(arrived.back().second.data(), bytes, packed, message);
  });
  for (const auto& each : arrived)
    if (code == MPI_SUCCESS)
      code = for_each_message(each.second, [&](int rank, const Run& data) {
        return append(inside[nodes.local(rank)], each.first, data);
      });
  if (code != MPI_SUCCESS) return code;
  return among_node(nodes.members(home), inside);
}

// Every rank of the node sends a packet to each of the others, even if it is empty.
int SparseExchange::among_node(std::span<const int> members,
                               std::span<const std::vector<char>> packets) {
  const int me = communicator_.rank();
  sends_.assign(members.size(), MPI_REQUEST_NULL);
  std::vector<std::vector<char>> arrived(members.size());
  std::size_t missing = members.size() - 1;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] == me) continue;
    Letter letter;
    int code = letter_of(packets[i], members[i], letter);
    if (code == MPI_SUCCESS)
      code = transport_.isend(letter.data, letter.count, letter.type, letter.peer,
                              Channel::local_sparse_tag, sends_[i]);
    if (code != MPI_SUCCESS) return code;
  }
  std::vector<bool> has_come(members.size());
  while (missing > 0) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i] == me || has_come[i]) continue;
      int source = members[i];
      bool found = false;
      std::int64_t bytes = 0;
      MPI_Message message;
      int code = transport_.probe(source, Channel::local_sparse_tag, found, bytes, message);
      if (code == MPI_SUCCESS && found) {
        has_come[i] = true;
        --missing;
        arrived[i].resize(bytes);
        code = receive(arrived[i].data(), bytes, packed, message);
      }
      if (code != MPI_SUCCESS) return code;
    }
    make_progress();
  }
  requests_.insert(requests_.end(), sends_.begin(), sends_.end());
  sends_.clear();
  int code = wait_for_all();
  for (std::size_t i = 0; i < members.size() && code == MPI_SUCCESS; ++i)
    code = unpack(members[i] == me ? packets[i] : arrived[i]);
  return code;
}

// First the number of bytes for each rank, then the data. The received messages are contiguous.
int SparseExchange::run_native(std::span<const Parcel> parcels) {
  const MPI_Comm comm = communicator_.user();
  const int p = communicator_.size();
  std::vector<std::int64_t> bytes_to(p), bytes_from(p);
  for (const Parcel& each : parcels) bytes_to[each.peer] = each.data.bytes();
  if (int code =
          PMPI_Alltoall(bytes_to.data(), 1, MPI_INT64_T, bytes_from.data(), 1, MPI_INT64_T, comm);
      code != MPI_SUCCESS)
    return code;
  std::vector<int> sends(p), recvs(p), recv_places(p), send_places(p);
  std::vector<MPI_Datatype> send_types(p, MPI_BYTE), recv_types(p, MPI_BYTE);
  for (const Parcel& each : parcels) {
    OwnedDatatype& type = types_.emplace_back();
    if (int code = make_datatype({each.data}, type); code != MPI_SUCCESS) return code;
    sends[each.peer] = 1;
    send_types[each.peer] = type.get();
  }
  for (int rank = 0; rank < p; ++rank) {
    if (bytes_from[rank] == 0) continue;
    OwnedDatatype& type = types_.emplace_back();
    Run into{nullptr, bytes_from[rank], &packed};
    if (make_room(rank, bytes_from[rank]))
      into = {deliveries_.back().data, deliveries_.back().elements, &traits_};
    else
      into.address = arena_.take(bytes_from[rank]);
    if (int code = make_datatype({into}, type); code != MPI_SUCCESS) return code;
    recvs[rank] = 1;
    recv_types[rank] = type.get();
  }
  const int code =
      PMPI_Alltoallw(MPI_BOTTOM, sends.data(), send_places.data(), send_types.data(), MPI_BOTTOM,
                     recvs.data(), recv_places.data(), recv_types.data(), comm);
  types_.clear();
  return code != MPI_SUCCESS ? code : communicator_.raise(error_);
}

}  // namespace toccata
