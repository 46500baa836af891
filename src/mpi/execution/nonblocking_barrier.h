#pragma once

#include "mpi/execution/transport.h"

namespace toccata {

// A barrier that a rank enters before it waits. It has ⌈log2 p⌉ rounds of messages: in round i,
// rank r sends to r + 2^i. It advances when it is tested. MPI_Ibarrier cannot serve: with Open MPI,
// it could be matched with a part of MPI_Comm_idup (mpi/agreement/exchange.h), and in SimGrid it
// ends when rank 0 has entered.
class NonblockingBarrier {
 public:
  NonblockingBarrier(const Transport& transport, int rank, int p, int tag)
      : transport_(transport), rank_(rank), p_(p), tag_(tag) {}
  NonblockingBarrier(const NonblockingBarrier&) = delete;
  NonblockingBarrier& operator=(const NonblockingBarrier&) = delete;
  ~NonblockingBarrier() {
    Transport::abandon(sent_);
    Transport::abandon(received_);
  }

  int enter() { return begin_round(); }

  // Whether all ranks have entered.
  int test(bool& over) {
    for (;;) {
      for (MPI_Request* each : {&sent_, &received_})
        if (int code = Transport::test(*each, over); code != MPI_SUCCESS || !over) return code;
      over = distance_ >= p_;
      if (over) return MPI_SUCCESS;
      if (int code = begin_round(); code != MPI_SUCCESS) return code;
    }
  }

 private:
  int begin_round() {
    const int to = (rank_ + distance_) % p_, from = (rank_ + p_ - distance_ % p_) % p_;
    distance_ *= 2;
    if (p_ == 1) return MPI_SUCCESS;
    const int code = transport_.isend(nullptr, 0, MPI_BYTE, to, tag_, sent_);
    if (code != MPI_SUCCESS) return code;
    return transport_.irecv(nullptr, 0, MPI_BYTE, from, tag_, received_);
  }

  const Transport& transport_;
  int rank_, p_, tag_;
  int distance_ = 1;
  MPI_Request sent_ = MPI_REQUEST_NULL, received_ = MPI_REQUEST_NULL;
};

}  // namespace toccata
