#pragma once

#include "mpi/execution/transport.h"

namespace toccata {

#ifndef TOCCATA_SIMULATED

// A barrier of the ranks of a communicator, which a rank enters before it waits.
class NonblockingBarrier {
 public:
  NonblockingBarrier(MPI_Comm comm, const Transport&, int /*rank*/, int /*p*/, int /*tag*/)
      : comm_(comm) {}
  int enter() { return PMPI_Ibarrier(comm_, &request_); }
  // Whether all ranks have entered.
  int test(bool& over) { return Transport::test(request_, over); }

 private:
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

#else

// SimGrid's MPI_Ibarrier is not a barrier: it ends when rank 0 has entered. This one has ⌈log2 p⌉
// rounds of messages: in round i, rank r sends to r + 2^i. It advances when it is tested.
class NonblockingBarrier {
 public:
  NonblockingBarrier(MPI_Comm, const Transport& transport, int rank, int p, int tag)
      : transport_(transport), rank_(rank), p_(p), tag_(tag) {}

  int enter() { return begin_round(); }

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

#endif

}  // namespace toccata
