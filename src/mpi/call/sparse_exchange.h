#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/communicator/communicator.h"
#include "mpi/data/datatype.h"
#include "mpi/execution/arena.h"

namespace toccata {

// The ways in which receivers find their senders in a sparse exchange.
enum class SparseAlgorithm : std::uint8_t { nbx, locality_nbx, native };

// ChoiceError for a name that does not exist.
SparseAlgorithm parse_sparse_algorithm(std::string_view name);

// A message to a rank: elements of the send datatype.
struct Parcel {
  int peer;
  Run data;
};

// A message from a rank: elements of the receive datatype, in the arena of the exchange.
struct Delivery {
  int peer;
  int elements;
  char* data;
};

// Sends parcels to ranks that do not expect them, and receives those of others. Collective; returns
// an MPI error code, after the communicator's error handler. Deliveries are in the order of their
// sources.
//
//   nbx            synchronous sends; when receivers have matched all messages of a rank, it enters
//                  a nonblocking barrier; when this ends, no message is in flight
//                  [hoefler2010, section 4.3]
//   locality_nbx   nbx with one message per destination node, to one rank there; the ranks of a
//                  node then exchange the received messages [geyko2023, section 3]
//   native         counts to all, data to all; also used without a private channel
class SparseExchange {
 public:
  SparseExchange(Communicator& communicator, const DatatypeTraits& recv_traits, Arena& arena,
                 std::vector<Delivery>& deliveries)
      : communicator_(communicator), traits_(recv_traits), arena_(arena), deliveries_(deliveries) {}

  int run(SparseAlgorithm algorithm, std::span<const Parcel> parcels);

 private:
  // What nbx sends: the user's elements, or the packed messages to a node.
  struct Letter {
    int peer;
    const void* data;
    int count;
    MPI_Datatype type;
  };

  int run_nbx(std::span<const Parcel> parcels);
  int run_by_node(std::span<const Parcel> parcels, const Regions& nodes);
  int run_native(std::span<const Parcel> parcels);

  template <typename Take>
  int nbx(std::span<const Letter> letters, Take&& take);
  int among_node(std::span<const int> members, std::span<const std::vector<char>> packets);
  int letter_of(const std::vector<char>& packet, int peer, Letter& letter);
  int receive(char* data, std::int64_t elements, const DatatypeTraits& traits,
              MPI_Message& message);
  int drain(std::int64_t bytes, MPI_Message& message);
  void make_progress();
  int wait_for_all();
  bool make_room(int source, std::int64_t bytes);
  int append(std::vector<char>& packet, int rank, const Run& data) const;
  int unpack(const std::vector<char>& packet);
  void note(int code) { error_ = error_ == MPI_SUCCESS ? code : error_; }

  Communicator& communicator_;
  const DatatypeTraits& traits_;
  Arena& arena_;
  std::vector<Delivery>& deliveries_;
  Transport transport_;
  std::vector<MPI_Request> sends_, requests_;
  std::vector<OwnedDatatype> types_;
  char sink_[4096] = {};  // for messages that are lost
  int error_ = MPI_SUCCESS;
};

}  // namespace toccata
