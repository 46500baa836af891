#include "mpi/data/operation.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "mpi/data/kernels.h"
#include "mpi/data/reducing.h"
#include "mpi/libraries/library.h"

namespace toccata {

namespace {

// MPICH detects aliased buffers; Open MPI only in MPI_Reduce and MPI_Allreduce.
constexpr bool is_strict = our_mpi.detects_aliases;

// The fault in arguments that locate `blocks` blocks.
int fault_of(const Side& side, int blocks) {
  if ((side.counted && side.counts.is_null()) || (side.placed && side.places.is_null()) ||
      (side.typed && side.types == nullptr))
    return MPI_ERR_ARG;
  if (!side.counted && side.count < 0) return MPI_ERR_COUNT;
  for (int block = 0; side.counted && block < blocks; ++block) {
    if (side.counts[block] < 0) return MPI_ERR_COUNT;
    if (side.type_of(block) == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  }
  return !side.typed && side.type == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
}

bool has_data(const Side& side, int blocks) {
  if (!side.counted) return blocks > 0 && side.count > 0;
  for (int block = 0; block < blocks; ++block)
    if (side.counts[block] > 0) return true;
  return false;
}

// A null address is also MPI_BOTTOM, where a derived datatype may contain any address.
bool leads_nowhere(const Side& side, int blocks, const DatatypeTable& datatypes) {
  return side.buffer == nullptr && !side.typed && datatypes.is_predefined(side.type) &&
         has_data(side, blocks);
}

// MPI's error if it does not know or has not committed the datatype of some data.
int fault_of_types(const Side& side, int blocks, const DatatypeTable& datatypes) {
  if (!side.typed) return has_data(side, blocks) ? datatypes.fault(side.type) : MPI_SUCCESS;
  for (int block = 0; block < blocks; ++block)
    if (side.counts[block] > 0)
      if (int code = datatypes.fault(side.types[block]); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

std::int64_t bytes_of(const Side& side, int blocks) {
  if (!side.counted) return side.count * blocks * size_of(side.type);
  std::int64_t total = 0;
  for (int block = 0; block < blocks; ++block)
    total += side.counts[block] * size_of(side.type_of(block));
  return total;
}

int bind_side(const Side& side, int blocks, const DatatypeTable& datatypes, Layout& layout) {
  if (side.typed) {
    std::vector<DatatypeTraits> traits(blocks);
    for (int block = 0; block < blocks; ++block)
      if (int code = datatypes.look_up(side.type_of(block), traits[block]); code != MPI_SUCCESS)
        return code;
    layout.vector(side.buffer, std::move(traits), side.counts, side.places);
    return MPI_SUCCESS;
  }
  DatatypeTraits traits;
  if (int code = datatypes.look_up(side.type, traits); code != MPI_SUCCESS) return code;
  if (side.counted)
    layout.vector(side.buffer, traits, blocks, side.counts, side.places);
  else
    layout.uniform(side.buffer, traits, side.count);
  return MPI_SUCCESS;
}

}  // namespace

Seat Operation::seat(int rank, int p) const {
  Shape shape;
  shape.p = p;
  shape.root = root;
  shape.neighborhood = neighborhood;
  return {rank, p, collective.blocks(shape, rank, Buffer::send),
          collective.blocks(shape, rank, Buffer::recv)};
}

bool Operation::has_type_in(const Seat& seat) const {
  if (collective.reduces) return false;
  if (seat.rank != no_rank) return seat.sends > 0 && !send.in_place();
  if (!collective.rooted) return true;
  return root != MPI_PROC_NULL && !collective.one_buffer && (root == MPI_ROOT) == sends_from_root();
}

bool Operation::has_type_out(const Seat& seat) const {
  if (seat.rank != no_rank) return collective.reduces || (seat.receives > 0 && !recv.in_place());
  if (!collective.rooted) return true;
  if (root == MPI_PROC_NULL) return false;
  return collective.reduces || collective.one_buffer || (root == MPI_ROOT) != sends_from_root();
}

// Only some ranks may pass MPI_IN_PLACE: in a scatter, the root for recv; in a gather or reduction,
// the root for send. Without a root, all ranks may pass it for send.
int Operation::fault(const Seat& seat, const DatatypeTable& datatypes) const {
  const auto [rank, p, out, in] = seat;
  if (collective.rooted && (root < 0 || root >= p)) return MPI_ERR_ROOT;
  const bool is_root = collective.rooted && rank == root;
  if (collective.among_neighbors && neighborhood == nullptr) return MPI_ERR_TOPOLOGY;
  const bool not_in_place =
      collective.among_neighbors || sends_from_root() || (collective.rooted && !is_root);
  if (out > 0 && send.in_place() && not_in_place) return MPI_ERR_ARG;
  const bool wants_memory =
      in > 0 || collective.contributors != nullptr;  // in an exscan, everywhere
  if (wants_memory && recv.in_place() && !(sends_from_root() && is_root)) return MPI_ERR_ARG;
  if (collective.reduces) return fault_of_reduction(seat, datatypes);
  const bool reads = out > 0 && !send.in_place(), writes = in > 0 && !recv.in_place();
  if (int error = writes ? fault_of(recv, in) : MPI_SUCCESS; error != MPI_SUCCESS) return error;
  if (int error = reads ? fault_of(send, out) : MPI_SUCCESS; error != MPI_SUCCESS) return error;
  if ((reads && leads_nowhere(send, out, datatypes)) ||
      (writes && leads_nowhere(recv, in, datatypes)))
    return MPI_ERR_BUFFER;
  if (int error = writes ? fault_of_types(recv, in, datatypes) : MPI_SUCCESS; error != MPI_SUCCESS)
    return error;
  if (int error = reads ? fault_of_types(send, out, datatypes) : MPI_SUCCESS; error != MPI_SUCCESS)
    return error;
  return reads && writes && is_aliased(seat) ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

// In a reduction, count and datatype are the arguments of recv, and apply to both buffers.
int Operation::fault_of_reduction(const Seat& seat, const DatatypeTable& datatypes) const {
  const int counts = recv.counted ? seat.sends : 1;
  if (int error = fault_of(recv, counts); error != MPI_SUCCESS) return error;
  if (operation == MPI_OP_NULL) return MPI_ERR_OP;
  // A rank whose own block is empty may pass a null pointer.
  const bool writes = seat.receives > 0 && (!recv.counted || recv.elements(seat.rank) > 0);
  if ((writes || send.in_place()) && leads_nowhere(recv, counts, datatypes)) return MPI_ERR_BUFFER;
  if (int error = fault_of_types(recv, counts, datatypes); error != MPI_SUCCESS) return error;
  Side sent = recv;
  sent.buffer = send.buffer;
  if (!send.in_place() && leads_nowhere(sent, counts, datatypes)) return MPI_ERR_BUFFER;
  const bool is_watched = is_strict || &collective == &reduce || &collective == &allreduce;
  const bool alias = is_watched && seat.receives > 0 && send.buffer == recv.buffer &&
                     recv.buffer != nullptr && has_data(recv, counts);
  return alias ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

// Whether send and recv are the same memory, as far as MPICH checks that: in an all-to-all, if one
// array of counts and types describes both; otherwise, the own block. A call without data is right.
bool Operation::is_aliased(const Seat& seat) const {
  if (!is_strict || collective.among_neighbors || send.buffer == nullptr ||
      (send.typed ? send.types != recv.types : send.type != recv.type))
    return false;
  if (&collective == &alltoall || &collective == &alltoallv)
    return send.buffer == recv.buffer && has_data(send, seat.sends) &&
           (send.counted ? send.counts.is(recv.counts) : send.count == recv.count);
  const Side& all = sends_from_root() ? send : recv;
  const Side& one = sends_from_root() ? recv : send;
  if (all.elements(seat.rank) == 0 || one.count == 0) return false;
  if (!all.counted && all.count != one.count) return false;
  const std::int64_t before = all.placed ? all.places[seat.rank] : seat.rank * all.count;
  return static_cast<char*>(all.buffer) + before * size_of(all.type) == one.buffer;
}

bool Operation::allows_reduction(bool ordered, const DatatypeTable& datatypes) const {
  if (!is_defined(operation, recv.type, datatypes) || !(ordered || commutes(operation)) ||
      !can_reduce_locally(recv.type, operation))
    return false;
  DatatypeTraits traits;
  return datatypes.look_up(recv.type, traits) != MPI_SUCCESS || !traits.interleaves;
}

// The root of a gather or scatter has all sizes. If blocks are equal, the other ranks do, too.
std::int64_t Operation::bytes(const Seat& seat) const {
  const auto [rank, p, out, in] = seat;
  if (collective.reduces) return bytes_of(recv, recv.counted ? p : out);
  if (out == 0 && in == 0) return 0;
  const int ranks = collective.vector_of == nullptr && !collective.among_neighbors ? p : 1;
  if (sends_from_root()) return out > 0 ? bytes_of(send, out) : bytes_of(recv, in) * ranks;
  return in > 0 ? bytes_of(recv, in) : bytes_of(send, out) * ranks;
}

bool Operation::is_sized_by_sent(int rank) const {
  return !collective.reduces && collective.rooted && !collective.one_buffer &&
         (rank == root) == sends_from_root();
}

double Operation::own_unit(const Seat& seat) const {
  if (fault_of(recv, recv.in_place() ? 0 : seat.receives) != MPI_SUCCESS ||
      fault_of(send, send.in_place() ? 0 : seat.sends) != MPI_SUCCESS)
    return 0;  // MPI reports the fault
  const auto mean = [](const Side& side, int blocks) {
    return blocks == 0 || side.in_place() ? 0
                                          : static_cast<double>(bytes_of(side, blocks)) / blocks;
  };
  return std::max(mean(send, seat.sends), mean(recv, seat.receives));
}

std::int64_t Operation::unit(int rank, int p) const {
  if (collective.vector_of != nullptr || collective.among_neighbors) return -1;
  if (collective.synchronizes) return 0;
  const Side& side = is_sized_by_sent(rank) ? send : recv;
  if (fault_of(side, side.counted ? p : 1) != MPI_SUCCESS) return -1;  // MPI reports the fault
  if (!side.counted) return side.count * size_of(side.type);
  std::int64_t elements = 0;
  for (int block = 0; block < p; ++block) elements += side.counts[block];
  return (elements * size_of(side.type) + p - 1) / p;
}

namespace {

bool is_one_of(MPI_Op operation, std::initializer_list<MPI_Op> operations) {
  return std::ranges::find(operations, operation) != operations.end();
}

bool is_sum_or_product(MPI_Op operation) { return is_one_of(operation, {MPI_SUM, MPI_PROD}); }
bool is_logical(MPI_Op operation) {
  return is_one_of(operation, {MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR});
}

bool is_real(MPI_Datatype type) {
  for (const MPI_Datatype each : {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_DOUBLE_PRECISION,
                                  MPI_REAL, MPI_REAL4, MPI_REAL8})
    if (type == each) return true;
  return false;
}

// Integers, and pairs of them.
bool is_whole(MPI_Datatype type) {
  for (const MPI_Datatype each : {MPI_INT,         MPI_LONG,          MPI_LONG_LONG,
                                  MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
                                  MPI_INT32_T,     MPI_INT64_T,       MPI_UINT32_T,
                                  MPI_UINT64_T,    MPI_SHORT,         MPI_UNSIGNED_SHORT,
                                  MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,
                                  MPI_INT16_T,     MPI_UINT8_T,       MPI_UINT16_T,
                                  MPI_AINT,        MPI_OFFSET,        MPI_COUNT,
                                  MPI_INTEGER,     MPI_INTEGER1,      MPI_INTEGER2,
                                  MPI_INTEGER4,    MPI_INTEGER8,      MPI_2INT,
                                  MPI_LONG_INT,    MPI_SHORT_INT,     MPI_2INTEGER})
    if (type == each) return true;
  return false;
}

bool is_extreme(MPI_Op operation) {
  return is_one_of(operation, {MPI_MAX, MPI_MIN, MPI_MAXLOC, MPI_MINLOC});
}

// In Open MPI, vector code saturates these sums, and the elements after the last whole vector wrap.
bool is_short_sum(MPI_Op operation, MPI_Datatype type) {
  if (operation != MPI_SUM) return false;
  for (const MPI_Datatype each :
       {MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT8_T,
        MPI_UINT8_T, MPI_INT16_T, MPI_UINT16_T, MPI_INTEGER1, MPI_INTEGER2})
    if (type == each) return true;
  return false;
}

}  // namespace

bool Operation::is_sensitive() const {
  return is_extreme(operation) || is_short_sum(operation, recv.type);
}

bool Operation::runs_users_code() const {
  return operation != MPI_OP_NULL && !is_sum_or_product(operation) && !is_extreme(operation) &&
         !is_logical(operation);
}

// Every operation of MPI is exact for other integers. For two real numbers, a + b and b + a have
// the same bits. So on two ranks, all algorithms have the same sum. This is not true for a maximum:
// if one operand is NaN, or both are zeros, libraries return one of the two by its position.
bool Operation::is_inexact(int p) const {
  if (operation == MPI_OP_NULL || is_logical(operation)) return false;
  if (is_sum_or_product(operation) && is_real(recv.type)) return p != 2;
  return is_short_sum(operation, recv.type) || runs_users_code() || !is_whole(recv.type);
}

bool Operation::empty(const Binding& binding) const {
  const bool known = !send.counted && !recv.counted && collective.vector_of == nullptr &&
                     !collective.among_neighbors;
  return known && binding.recv.bytes(0) == 0;
}

int Operation::bind(const Seat& seat, const DatatypeTable& datatypes, Binding& binding) const {
  if (collective.reduces) return bind_reduction(seat, datatypes, binding);
  if (collective.synchronizes) return bind_nothing(binding);
  const int rank = seat.rank, out = seat.sends, in = seat.receives;
  if (in > 0 && !recv.in_place())
    if (int code = bind_side(recv, in, datatypes, binding.recv); code != MPI_SUCCESS) return code;
  if (out > 0 && !send.in_place())
    if (int code = bind_side(send, out, datatypes, binding.send); code != MPI_SUCCESS) return code;

  const auto part_of = [rank](const Layout& whole, Layout& part) {
    const Run own = whole.block(rank);
    const DatatypeTraits traits = *own.traits;
    part.uniform(own.address, traits, own.elements);
  };
  if (recv.in_place()) {  // the root's own block does not move
    part_of(binding.send, binding.recv);
    binding.recv_role = Binding::Role::ignored;
  } else if (send.in_place() && collective.in_place != nullptr) {
    part_of(binding.recv, binding.send);
  } else if (send.in_place()) {
    binding.send = binding.recv;
    binding.copies_send = true;
  }
  if (out == 0 && in == 0) {  // this rank has no neighbours
    binding.send.uniform(nullptr, packed_traits(), 0);
    binding.recv.uniform(nullptr, packed_traits(), 0);
    return MPI_SUCCESS;
  }
  if (out == 0) binding.send.uniform(nullptr, binding.recv.traits(), recv.count);
  if (in == 0) binding.recv.uniform(nullptr, binding.send.traits(), send.count);
  if (out == 0 && collective.rooted && !sends_from_root() && rank == root)
    binding.recv_role = Binding::Role::input;  // a broadcast's root
  return MPI_SUCCESS;
}

// A barrier has no blocks. Any size except 0 is possible; 0 would mean a call without work.
int Operation::bind_nothing(Binding& binding) {
  binding.send.uniform(nullptr, packed_traits(), 1);
  binding.recv.uniform(nullptr, packed_traits(), 1);
  return MPI_SUCCESS;
}

// In a reduce-scatter in place, the result overwrites rank 0's block, so send must be a copy.
int Operation::bind_reduction(const Seat& seat, const DatatypeTable& datatypes,
                              Binding& binding) const {
  DatatypeTraits traits;
  if (int code = datatypes.look_up(recv.type, traits); code != MPI_SUCCESS) return code;
  const bool scatters = collective.scatters_result;
  const std::int64_t own = scatters ? recv.elements(seat.rank) : recv.count;
  void* const sent = send.in_place() ? recv.buffer : send.buffer;
  binding.operation = operation;
  binding.send.uniform(sent, traits, own);
  binding.recv.uniform(recv.buffer, traits, own);
  binding.copies_send = scatters && send.in_place();
  if (!recv.counted) return MPI_SUCCESS;
  std::vector<std::int64_t> counts(seat.p);
  bool alike = true;
  for (int block = 0; block < seat.p; ++block) {
    counts[block] = recv.counts[block];
    alike = alike && counts[block] == own;
  }
  if (!alike) {
    binding.send.sequence(traits, std::move(counts));
    binding.send.set_base(sent);
  }
  return MPI_SUCCESS;
}

}  // namespace toccata
