// The sparse exchange of toccata.h.

#include <algorithm>
#include <string>
#include <vector>

#include "api/guard.h"
#include "mpi/call/sparse_exchange.h"
#include "mpi/devices/device_memory.h"
#include "toccata/toccata.h"

namespace {

// The object behind a handle: the messages, and the memory of their data.
struct Messages final : toccata_messages_object {
  std::vector<toccata_message> messages;
  std::vector<toccata::Delivery> deliveries;
  toccata::Arena data;

  void forget() {
    deliveries.clear();
    data.reset();
    show();
  }
  void show() {
    messages.clear();
    for (const toccata::Delivery& each : deliveries)
      messages.push_back({.source = each.peer, .count = each.elements, .data = each.data});
    count = static_cast<int>(messages.size());
    list = messages.data();
  }
};

Messages& messages_of(toccata_messages& handle) {
  if (handle == TOCCATA_MESSAGES_NULL) handle = new Messages;
  auto& result = static_cast<Messages&>(*handle);
  result.forget();
  return result;
}

}  // namespace

extern "C" {

int toccata_sparse_alltoallv(const void* sendbuf, int ndestinations, const int destinations[],
                             const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                             MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                             toccata_messages* messages) {
  using namespace toccata;
  return guarded_collective(comm, [&]() -> int {
    const SparseAlgorithm which =
        algorithm == nullptr ? SparseAlgorithm::nbx : parse_sparse_algorithm(algorithm);
    const auto refuse = [&](int error_class, const std::string& text) {
      return raise_error(comm, error_class, text.c_str());
    };
    if (messages == nullptr) return refuse(MPI_ERR_ARG, "messages is NULL");
    Communicator* const communicator = Communicator::of(comm);
    if (communicator == nullptr || communicator->is_inter())
      return refuse(MPI_ERR_COMM, "sparse_alltoallv needs an intracommunicator");
    DatatypeTraits send_traits, recv_traits;
    const DatatypeTable& datatypes = communicator->process().datatypes();
    int code = datatypes.look_up(sendtype, send_traits);
    if (code == MPI_SUCCESS) code = datatypes.look_up(recvtype, recv_traits);
    if (code != MPI_SUCCESS) return communicator->raise(code);
    if (ndestinations < 0)
      return refuse(MPI_ERR_COUNT,
                    "ndestinations is " + std::to_string(ndestinations) + ": expected 0 or more");

    std::vector<Parcel> parcels;
    std::vector<int> sorted;
    for (int i = 0; i < ndestinations; ++i) {
      const int to = destinations[i];
      const std::string place = std::string("[") + std::to_string(i) + "] is ";
      if (to < 0 || to >= communicator->size())
        return refuse(MPI_ERR_RANK, "destinations" + place + std::to_string(to) +
                                        ": expected a rank from 0 to " +
                                        std::to_string(communicator->size() - 1));
      if (sendcounts[i] < 0)
        return refuse(MPI_ERR_COUNT, "sendcounts" + place + std::to_string(sendcounts[i]) +
                                         ": expected 0 or more");
      sorted.push_back(to);
      auto* const data = const_cast<char*>(static_cast<const char*>(sendbuf)) +
                         static_cast<std::int64_t>(sdispls[i]) * send_traits.extent;
      if (sendcounts[i] > 0 && send_traits.size > 0)
        parcels.push_back({to, {data, sendcounts[i], &send_traits}});
    }
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      return refuse(MPI_ERR_RANK, "rank " + std::to_string(*twice) +
                                      " occurs twice in destinations: expected distinct ranks");
    if (!parcels.empty() && device_runtime_of(sendbuf) != nullptr)
      return refuse(MPI_ERR_BUFFER, "sendbuf is in GPU memory: copy it to the host first");

    Messages& received = messages_of(*messages);
    SparseExchange exchange(*communicator, recv_traits, received.data, received.deliveries);
    code = exchange.run(which, parcels);
    received.show();
    return code;
  });
}

int toccata_messages_free(toccata_messages* messages) {
  return toccata::guarded(MPI_COMM_WORLD, [&]() -> int {
    if (messages == nullptr || *messages == TOCCATA_MESSAGES_NULL) return MPI_SUCCESS;
    delete static_cast<Messages*>(*messages);
    *messages = TOCCATA_MESSAGES_NULL;
    return MPI_SUCCESS;
  });
}

}  // extern "C"
