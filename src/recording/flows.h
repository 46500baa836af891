#pragma once

#include <mpi.h>

#include <new>
#include <vector>

#include "recording/recorder.h"
#include "recording/served.h"

// What the MPI functions send: each calls visit(kind, space, peer, bytes, incoming) for every
// message of a call with these arguments. collectives.h continues this.
namespace toccata::recording {

// Messages and collectives of a call.
struct Now {
  bool is_blocking = true;
  void operator()(Kind kind, Space space, int peer, std::uint64_t bytes,
                  bool incoming = false) const {
    Recorder::get()->count(kind, space, peer, bytes, incoming);
  }
  void operator()(const Member& zero, Routine routine, int root, std::uint64_t bytes) const {
    Recorder::get()->count(zero, {routine, is_blocking, root, served_by}, bytes);
  }
};

// Those of each start of a persistent request, whose handle may be that of an older request.
class AtStart {
 public:
  explicit AtStart(MPI_Request request) : request_(request) { Recorder::get()->forget(request); }
  void operator()(Kind kind, Space space, int peer, std::uint64_t bytes) const {
    Recorder::get()->keep(request_, kind, space, peer, bytes);
  }
  void operator()(const Member& zero, Routine routine, int root, std::uint64_t bytes) const {
    Recorder::get()->keep(request_, zero, {routine, false, root, served_by}, bytes);
  }

 private:
  MPI_Request request_;
};

// Records a call that has succeeded. If memory is short, its count is lost.
template <typename Record>
void recorded(int code, Record&& record) noexcept {
  if (code == MPI_SUCCESS && Recorder::get() != nullptr) try {
      record();
    } catch (const std::bad_alloc&) {
    }
}

inline MPI_Datatype in_c(MPI_Datatype type) { return type; }
#ifdef OPEN_MPI
inline MPI_Datatype in_c(MPI_Fint type) { return PMPI_Type_f2c(type); }
#endif

inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return count > 0 && size > 0 ? static_cast<std::uint64_t>(count * size) : 0;
}

// MPI_PROC_NULL is negative.
template <typename Visit>
void to_peer(const Visit& visit, Kind kind, Space space, int peer, MPI_Count count,
             MPI_Datatype type) {
  if (peer >= 0) visit(kind, space, peer, bytes_of(count, type));
}

template <typename Visit, typename Count>
void send(const Visit& visit, const void*, Count count, MPI_Datatype type, int dest, int,
          MPI_Comm comm) {
  to_peer(visit, Kind::point_to_point, in_comm(comm), dest, count, type);
}

template <typename Visit, typename Count>
void sendrecv(const Visit& visit, const void*, Count count, MPI_Datatype type, int dest, int, void*,
              Count, MPI_Datatype, int, int, MPI_Comm comm) {
  to_peer(visit, Kind::point_to_point, in_comm(comm), dest, count, type);
}

template <typename Visit, typename Count>
void sendrecv_replace(const Visit& visit, void*, Count count, MPI_Datatype type, int dest, int, int,
                      int, MPI_Comm comm) {
  to_peer(visit, Kind::point_to_point, in_comm(comm), dest, count, type);
}

template <typename Visit>
void psend(const Visit& visit, int partitions, MPI_Count count, MPI_Datatype type, int dest,
           MPI_Comm comm) {
  to_peer(visit, Kind::point_to_point, in_comm(comm), dest, partitions * count, type);
}

inline void from_target(MPI_Win win, int target, MPI_Count count, MPI_Datatype type) {
  if (target >= 0) Now{}(Kind::one_sided, in_window(win), target, bytes_of(count, type), true);
}

template <typename Count>
void put(const void*, Count count, MPI_Datatype type, int target, MPI_Aint, Count, MPI_Datatype,
         MPI_Win win) {
  to_peer(Now{}, Kind::one_sided, in_window(win), target, count, type);
}

template <typename Count>
void get(void*, Count count, MPI_Datatype type, int target, MPI_Aint, Count, MPI_Datatype,
         MPI_Win win) {
  from_target(win, target, count, type);
}

template <typename Count>
void accumulate(const void*, Count count, MPI_Datatype type, int target, MPI_Aint, Count,
                MPI_Datatype, MPI_Op, MPI_Win win) {
  to_peer(Now{}, Kind::one_sided, in_window(win), target, count, type);
}

// With MPI_NO_OP, nothing is sent to the target.
template <typename Count>
void get_accumulate(const void*, Count count, MPI_Datatype type, void*, Count result_count,
                    MPI_Datatype result_type, int target, MPI_Aint, Count, MPI_Datatype, MPI_Op op,
                    MPI_Win win) {
  if (op != MPI_NO_OP) to_peer(Now{}, Kind::one_sided, in_window(win), target, count, type);
  from_target(win, target, result_count, result_type);
}

inline void fetch_and_op(const void* from, void* result, MPI_Datatype type, int target,
                         MPI_Aint place, MPI_Op op, MPI_Win win) {
  get_accumulate(from, 1, type, result, 1, type, target, place, 1, type, op, win);
}

inline void compare_and_swap(const void* from, const void*, void* result, MPI_Datatype type,
                             int target, MPI_Aint place, MPI_Win win) {
  fetch_and_op(from, result, type, target, place, MPI_REPLACE, win);
}

// The targets of this rank's edges, in MPI's order.
std::vector<int> destinations(MPI_Comm comm);

// Each neighbour gets a block of the same length; of its own length; and of its own datatype, too.
template <typename Visit, typename Type>
void to_neighbors(const Visit& visit, MPI_Count count, Type type, MPI_Comm comm) {
  for (const int each : destinations(comm))
    to_peer(visit, Kind::neighborhood, in_comm(comm), each, count, in_c(type));
}

template <typename Visit, typename Count, typename Type>
void to_neighbors(const Visit& visit, const Count* counts, Type type, MPI_Comm comm) {
  for (const int each : destinations(comm))
    to_peer(visit, Kind::neighborhood, in_comm(comm), each, *counts++, in_c(type));
}

template <typename Visit, typename Count, typename Type>
void to_neighbors(const Visit& visit, const Count* counts, const Type* types, MPI_Comm comm) {
  for (const int each : destinations(comm))
    to_peer(visit, Kind::neighborhood, in_comm(comm), each, *counts++, in_c(*types++));
}

}  // namespace toccata::recording
