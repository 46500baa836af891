#include "mpi/data/datatype.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "mpi/data/roomy_stack.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

// Whether the memory of an element without gaps has the order of its type map; the members of a
// struct may be listed in another order. MPI_Pack follows the type map. So a test element contains
// the position of each byte, first the low bytes of the positions, then the high ones; packing
// shows whether a byte moves.
bool in_order(MPI_Datatype type, MPI_Aint size) {
  static constexpr MPI_Aint longest = 64 << 10;  // longer: assume not, which is correct but slower
  if (size == 0 || size > longest) return size == 0;
  // Only for a committed datatype, because errors of MPI_Pack may be fatal.
  if (PMPI_Type_contiguous(1, type, &type) != MPI_SUCCESS) return false;
  const OwnedDatatype owner(type);
  PMPI_Type_commit(&type);
  const int length = static_cast<int>(size);
  std::vector<unsigned char> memory(size), packed(size);
  for (const int shift : {0, 8}) {
    if (length <= 1 << shift) break;
    for (int i = 0; i < length; ++i) memory[i] = static_cast<unsigned char>(i >> shift);
    int position = 0;
    if (PMPI_Pack(memory.data(), 1, type, packed.data(), length, &position, World::self()) !=
            MPI_SUCCESS ||
        position != length || memory != packed)
      return false;
  }
  return true;
}

// One datatype for `elements` of `type`, because an int cannot count them.
int make_long(MPI_Datatype type, MPI_Aint extent, std::int64_t elements, OwnedDatatype& made) {
  static constexpr std::int64_t chunk = 1 << 30;
  const auto chunks = static_cast<int>(elements / chunk);
  const auto rest = static_cast<int>(elements % chunk);
  MPI_Datatype one_chunk, all_chunks, result;
  if (int code = PMPI_Type_contiguous(chunk, type, &one_chunk); code != MPI_SUCCESS) return code;
  const OwnedDatatype one_owner(one_chunk);
  if (int code = PMPI_Type_contiguous(chunks, one_chunk, &all_chunks); code != MPI_SUCCESS)
    return code;
  const OwnedDatatype all_owner(all_chunks);
  const int lengths[] = {1, rest};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(chunks * chunk) * extent};
  const MPI_Datatype types[] = {all_chunks, type};
  const int code = PMPI_Type_create_struct(2, lengths, places, types, &result);
  if (code == MPI_SUCCESS) made = OwnedDatatype(result);
  return code;
}

// How a datatype was made. The functions without large counts would raise an error for a datatype
// that was made with them.
#if MPI_VERSION >= 4
struct Envelope {
  explicit Envelope(MPI_Datatype type)
      : code(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &datatypes,
                                      &combiner)) {}
  MPI_Datatype only_datatype_of(MPI_Datatype type) const {
    int integer = 0;
    MPI_Aint address = 0;
    MPI_Count count = 0;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    PMPI_Type_get_contents_c(type, integers, 0, counts, 1, &integer, &address, &count, &element);
    return element;
  }

  MPI_Count integers = 0, addresses = 0, counts = 0, datatypes = 0;
#else
struct Envelope {
  explicit Envelope(MPI_Datatype type)
      : code(PMPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner)) {}
  MPI_Datatype only_datatype_of(MPI_Datatype type) const {
    int integer = 0;
    MPI_Aint address = 0;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    PMPI_Type_get_contents(type, integers, 0, 1, &integer, &address, &element);
    return element;
  }

  int integers = 0, addresses = 0, datatypes = 0;
#endif
  bool is_predefined() const {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
  }

  int combiner = MPI_COMBINER_NAMED;
  int code;  // MPI's error code
};

// What a contiguous datatype repeats, if that is predefined; otherwise MPI_DATATYPE_NULL.
MPI_Datatype repeated_by(MPI_Datatype type) {
  const Envelope envelope(type);
  if (envelope.code != MPI_SUCCESS || envelope.combiner != MPI_COMBINER_CONTIGUOUS)
    return MPI_DATATYPE_NULL;
  MPI_Datatype element = envelope.only_datatype_of(type);
  if (element == MPI_DATATYPE_NULL || Envelope(element).is_predefined()) return element;
  PMPI_Type_free(&element);  // a handle of our own
  return MPI_DATATYPE_NULL;
}

int look_at(MPI_Datatype type, DatatypeTraits& traits, const DatatypeTable* table) {
  MPI_Count size = 0;
  MPI_Aint lower = 0, true_lower = 0, true_extent = 0;
  traits = {.type = type};
  if (int code = PMPI_Type_size_x(type, &size); code != MPI_SUCCESS) return code;
  if (int code = PMPI_Type_get_extent(type, &lower, &traits.extent); code != MPI_SUCCESS)
    return code;
  if (int code = PMPI_Type_get_true_extent(type, &true_lower, &true_extent); code != MPI_SUCCESS)
    return code;
  if (size == MPI_UNDEFINED) return MPI_ERR_TYPE;
  traits.size = static_cast<MPI_Aint>(size);
  if (traits.size == traits.extent && lower == 0 && true_lower == 0 &&
      true_extent == traits.extent) {
    // Most of them repeat a predefined one; to find out by packing takes 2 us.
    traits.plain = table != nullptr && table->is_plain(repeated_by(type));
    if (!traits.plain) on_roomy_stack([&] { traits.plain = in_order(type, traits.size); });
  }
  traits.interleaves = !traits.plain && std::abs(traits.extent) < true_extent;
  return MPI_SUCCESS;
}

}  // namespace

DatatypeTable::DatatypeTable(int keyval) : keyval_(keyval) {
  using enum Operands;
  know(c_integer, {MPI_INT, MPI_LONG, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_UNSIGNED,
                   MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_SIGNED_CHAR,
                   MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T,
                   MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T});
  know(fortran_integer, {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8});
  know(floating, {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4,
                  MPI_REAL8});
  know(logical, {MPI_C_BOOL, MPI_LOGICAL});
  know(complex_number, {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
                        MPI_COMPLEX, MPI_DOUBLE_COMPLEX});
  know(byte, {MPI_BYTE});
  know(count, {MPI_AINT, MPI_OFFSET, MPI_COUNT});
  know(pair, {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
              MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_2INTEGER});
  know(none, {MPI_CHAR, MPI_WCHAR, MPI_PACKED, MPI_CHARACTER});
}

// Adds those of the datatypes that this MPI has.
void DatatypeTable::know(Operands operands, std::initializer_list<MPI_Datatype> types) {
  for (const MPI_Datatype type : types) {
    DatatypeTraits traits;
    if (type == MPI_DATATYPE_NULL || look_at(type, traits, nullptr) != MPI_SUCCESS) continue;
    traits.operands = operands;
    std::size_t slot = hash(type) % slots;
    while (predefined_[slot].type != MPI_DATATYPE_NULL && predefined_[slot].type != type)
      slot = (slot + 1) % slots;
    predefined_[slot] = traits;
  }
}

std::atomic<std::uint64_t> DatatypeTable::era_{1};

int DatatypeTable::forget(MPI_Datatype, int, void* traits, void*) {
  ++era_;
  delete static_cast<DatatypeTraits*>(traits);
  return MPI_SUCCESS;
}

int DatatypeTable::fault(MPI_Datatype type) const {
  if (is_predefined(type)) return MPI_SUCCESS;
  void* found = nullptr;
  int is_there = 0;
  if (int code = PMPI_Type_get_attr(type, keyval_, &found, &is_there); code != MPI_SUCCESS)
    return code;
  return is_there != 0 || is_committed(type) ? MPI_SUCCESS : MPI_ERR_TYPE;
}

// The lock is held while functions of MPI run. They are local, and call none of our functions
// except forget().
int DatatypeTable::look_up_derived(MPI_Datatype type, DatatypeTraits& traits) const {
  if (type == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  void* found = nullptr;
  int is_there = 0;
  if (int code = PMPI_Type_get_attr(type, keyval_, &found, &is_there); code != MPI_SUCCESS)
    return code;
  if (is_there == 0) {
    const std::lock_guard lock(mutex_);
    if (!is_committed(type)) return MPI_ERR_TYPE;
    if (int code = look_at(type, traits, this); code != MPI_SUCCESS) return code;
    PMPI_Type_get_attr(type, keyval_, &found, &is_there);
    if (is_there != 0) return MPI_SUCCESS;
    auto kept = std::make_unique<DatatypeTraits>(traits);
    if (PMPI_Type_set_attr(type, keyval_, kept.get()) == MPI_SUCCESS)
      static_cast<void>(kept.release());
    else
      ++era_;  // forget() will not be called
    return MPI_SUCCESS;
  }
  traits = *static_cast<const DatatypeTraits*>(found);
  return MPI_SUCCESS;
}

// MPI_Pack would judge this as well, but takes much of the stack in MPICH 4.0. That MPI does not
// judge the datatype of an empty message.
bool DatatypeTable::is_committed(MPI_Datatype type) const {
  const char not_read = 0;
  return judge_ == MPI_COMM_NULL ||
         PMPI_Send(&not_read, 1, type, MPI_PROC_NULL, 0, judge_) == MPI_SUCCESS;
}

// The origin keeps the alignment of the memory, because user-defined operations depend on it.
Room room_for(const DatatypeTraits& traits, std::int64_t elements) {
  if (traits.plain || elements == 0) return {elements * traits.size, 0};
  static constexpr std::int64_t alignment = 64;
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_true_extent(traits.type, &lower, &extent);
  const std::int64_t last = (elements - 1) * traits.extent;
  const std::int64_t lowest = std::min<std::int64_t>(last, 0) + lower;
  const std::int64_t origin = -(lowest & -alignment);
  return {origin + std::max<std::int64_t>(last, 0) + lower + extent, origin};
}

std::int64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return size;
}

int hold_datatype(MPI_Datatype& type, std::vector<OwnedDatatype>& held) {
  const Envelope envelope(type);
  if (envelope.code != MPI_SUCCESS || envelope.is_predefined()) return envelope.code;
  // Not MPI_Type_dup, which would copy the user's attributes and call back.
  MPI_Datatype same;
  if (int code = PMPI_Type_contiguous(1, type, &same); code != MPI_SUCCESS) return code;
  held.emplace_back(same);
  type = same;
  return PMPI_Type_commit(&type);
}

int make_datatype(const std::vector<Run>& runs, OwnedDatatype& made, const void* base) {
  // Addresses are relative to MPI_BOTTOM, which is not 0 in every MPI, for example in SMPI.
  MPI_Aint origin = 0;
  if (base != MPI_BOTTOM) PMPI_Get_address(base, &origin);
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  std::vector<OwnedDatatype> long_runs;
  for (const Run& run : runs) {
    MPI_Aint place;
    PMPI_Get_address(run.address, &place);
    places.push_back(place - origin);
    types.push_back(run.traits->type);
    if (run.elements <= INT_MAX) {
      lengths.push_back(static_cast<int>(run.elements));
      continue;
    }
    OwnedDatatype& whole = long_runs.emplace_back();
    if (int code = make_long(run.traits->type, run.traits->extent, run.elements, whole);
        code != MPI_SUCCESS)
      return code;
    lengths.push_back(1);
    types.back() = whole.get();
  }

  const auto count = static_cast<int>(runs.size());
  const bool one_type = std::ranges::all_of(types, [&](auto type) { return type == types[0]; });
  MPI_Datatype result;
  int code =
      one_type
          ? PMPI_Type_create_hindexed(count, lengths.data(), places.data(), types[0], &result)
          : PMPI_Type_create_struct(count, lengths.data(), places.data(), types.data(), &result);
  if (code != MPI_SUCCESS) return code;
  made = OwnedDatatype(result);
  return PMPI_Type_commit(&result);
}

}  // namespace toccata
