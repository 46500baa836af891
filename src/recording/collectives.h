#pragma once

#include "recording/flows.h"

// The collectives by name. If every rank knows the sizes, rank 0 calls visit(member, routine, root,
// bytes) for the call. Otherwise each rank visits the messages that it would send directly.
namespace toccata::recording::calls {

// `bytes_for` gets this rank as a Member.
template <typename Visit, typename Bytes>
void whole(const Visit& visit, Routine routine, int root, MPI_Comm comm, const Bytes& bytes_for) {
  const Member own = Recorder::get()->member(comm);
  if (own.rank == 0) visit(own, routine, root, bytes_for(own));
}

inline std::uint64_t mean(const Member& own, const auto* counts, MPI_Datatype type) {
  MPI_Count sum = 0;
  for (int i = 0; i < own.size; ++i) sum += counts[i];
  return bytes_of(sum, type) / own.size;
}

template <typename Visit, typename Count>
void allgather(const Visit& visit, const void*, Count, MPI_Datatype, void*, Count count,
               MPI_Datatype type, MPI_Comm comm) {
  whole(visit, Routine::allgather, 0, comm, [&](auto&) { return bytes_of(count, type); });
}

template <typename Visit, typename Count, typename Place>
void allgatherv(const Visit& visit, const void*, Count, MPI_Datatype, void*, const Count* counts,
                const Place*, MPI_Datatype type, MPI_Comm comm) {
  whole(visit, Routine::allgatherv, 0, comm,
        [&](const Member& own) { return mean(own, counts, type); });
}

template <typename Visit, typename Count>
void alltoall(const Visit& visit, const void*, Count, MPI_Datatype, void*, Count count,
              MPI_Datatype type, MPI_Comm comm) {
  whole(visit, Routine::alltoall, 0, comm, [&](auto&) { return bytes_of(count, type); });
}

inline MPI_Datatype type_at(MPI_Datatype type, int) { return type; }
inline MPI_Datatype type_at(const MPI_Datatype* types, int i) { return types[i]; }
#ifdef OPEN_MPI
inline MPI_Datatype type_at(const MPI_Fint* types, int i) { return in_c(types[i]); }
#endif

// With MPI_IN_PLACE, a rank sends what it receives.
template <typename Visit, typename Count, typename Place, typename Types>
void alltoallv(const Visit& visit, const void* out, const Count* sent, const Place*,
               Types sent_types, void*, const Count* received, const Place*, Types received_types,
               MPI_Comm comm) {
  const Member own = Recorder::get()->member(comm);
  const Count* const counts = out == MPI_IN_PLACE ? received : sent;
  const Types types = out == MPI_IN_PLACE ? received_types : sent_types;
  for (int peer = 0; peer < own.size; ++peer)
    if (peer != own.rank && counts[peer] > 0)
      if (const auto bytes = bytes_of(counts[peer], type_at(types, peer)); bytes > 0)
        visit(Kind::collective, in_comm(comm), peer, bytes);
}

template <typename Visit, typename Count, typename Place, typename Types>
void alltoallw(const Visit& visit, const void* out, const Count* sent, const Place* sent_places,
               Types sent_types, void* in, const Count* received, const Place* received_places,
               Types received_types, MPI_Comm comm) {
  alltoallv(visit, out, sent, sent_places, sent_types, in, received, received_places,
            received_types, comm);
}

template <typename Visit, typename Count>
void bcast(const Visit& visit, void*, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  whole(visit, Routine::bcast, root, comm, [&](auto&) { return bytes_of(count, type); });
}

// Only the root knows its block if it receives it in place.
template <typename Visit, typename Count>
void gather(const Visit& visit, const void*, Count sent, MPI_Datatype sent_type, void*,
            Count received, MPI_Datatype received_type, int root, MPI_Comm comm) {
  whole(visit, Routine::gather, root, comm, [&](const Member& own) {
    return own.rank == root ? bytes_of(received, received_type) : bytes_of(sent, sent_type);
  });
}

template <typename Visit, typename Count, typename Place>
void gatherv(const Visit& visit, const void*, Count sent, MPI_Datatype type, void*, const Count*,
             const Place*, MPI_Datatype, int root, MPI_Comm comm) {
  const Member own = Recorder::get()->member(comm);
  if (own.size == 0 || own.rank == root) return;
  if (const auto bytes = bytes_of(sent, type); bytes > 0)
    visit(Kind::collective, in_comm(comm), root, bytes);
}

template <typename Visit, typename Count>
void scatter(const Visit& visit, const void*, Count sent, MPI_Datatype sent_type, void*,
             Count received, MPI_Datatype received_type, int root, MPI_Comm comm) {
  whole(visit, Routine::scatter, root, comm, [&](const Member& own) {
    return own.rank == root ? bytes_of(sent, sent_type) : bytes_of(received, received_type);
  });
}

template <typename Visit, typename Count, typename Place>
void scatterv(const Visit& visit, const void*, const Count* counts, const Place*, MPI_Datatype type,
              void*, Count, MPI_Datatype, int root, MPI_Comm comm) {
  const Member own = Recorder::get()->member(comm);
  if (own.rank != root) return;
  for (int peer = 0; peer < own.size; ++peer)
    if (const auto bytes = peer == root ? 0 : bytes_of(counts[peer], type); bytes > 0)
      visit(Kind::collective, in_comm(comm), peer, bytes);
}

template <typename Visit, typename Count>
void reduce(const Visit& visit, const void*, void*, Count count, MPI_Datatype type, MPI_Op,
            int root, MPI_Comm comm) {
  whole(visit, Routine::reduce, root, comm, [&](auto&) { return bytes_of(count, type); });
}

template <typename Visit, typename Count>
void allreduce(const Visit& visit, const void*, void*, Count count, MPI_Datatype type, MPI_Op,
               MPI_Comm comm) {
  whole(visit, Routine::allreduce, 0, comm, [&](auto&) { return bytes_of(count, type); });
}

template <typename Visit, typename Count>
void reduce_scatter_block(const Visit& visit, const void*, void*, Count count, MPI_Datatype type,
                          MPI_Op, MPI_Comm comm) {
  whole(visit, Routine::reduce_scatter_block, 0, comm,
        [&](auto&) { return bytes_of(count, type); });
}

template <typename Visit, typename Count>
void reduce_scatter(const Visit& visit, const void*, void*, const Count* counts, MPI_Datatype type,
                    MPI_Op, MPI_Comm comm) {
  whole(visit, Routine::reduce_scatter, 0, comm,
        [&](const Member& own) { return mean(own, counts, type); });
}

template <typename Visit, typename Count>
void scan(const Visit& visit, const void*, void*, Count count, MPI_Datatype type, MPI_Op,
          MPI_Comm comm) {
  whole(visit, Routine::scan, 0, comm, [&](auto&) { return bytes_of(count, type); });
}

template <typename Visit, typename Count>
void exscan(const Visit& visit, const void*, void*, Count count, MPI_Datatype type, MPI_Op,
            MPI_Comm comm) {
  whole(visit, Routine::exscan, 0, comm, [&](auto&) { return bytes_of(count, type); });
}

template <typename Visit>
void barrier(const Visit& visit, MPI_Comm comm) {
  whole(visit, Routine::barrier, 0, comm, [](auto&) { return std::uint64_t{0}; });
}

}  // namespace toccata::recording::calls
