#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <utility>
#include <vector>

namespace toccata {

// A datatype that we created, freed with its handle. MPI keeps it alive for messages in flight.
class OwnedDatatype {
 public:
  OwnedDatatype() = default;
  explicit OwnedDatatype(MPI_Datatype type) : type_(type) {}
  OwnedDatatype(OwnedDatatype&& other) noexcept
      : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  OwnedDatatype& operator=(OwnedDatatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~OwnedDatatype() {
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
  }

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// The standard's groups of datatypes; it defines operations per group [MPI 4.0, section 6.9.2].
enum class Operands : std::uint8_t {
  none,
  c_integer,
  fortran_integer,
  floating,
  logical,
  complex_number,
  byte,
  count,
  pair,
};

// The properties of a datatype that we need in order to move its elements.
struct DatatypeTraits {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint extent = 0;  // bytes from one element to the next
  MPI_Aint size = 0;    // bytes of data in an element
  // An element has no gaps, and its data is in the order of the type map. So memcpy moves elements,
  // and any other datatype of the same signature can read them.
  bool plain = false;
  // Whether the next element begins before the previous one ends, as in the columns of a matrix.
  // Contiguous results would then overlap.
  bool interleaves = false;
  Operands operands = Operands::none;
};

// Stores the predefined datatypes, because every call needs them. Others are inspected once; the
// result is an attribute of the datatype, and is freed with it.
class DatatypeTable {
 public:
  // `keyval` is for datatypes; its attributes are freed by forget().
  explicit DatatypeTable(int keyval);
  static int forget(MPI_Datatype, int, void* traits, void*);
  // Changes when a datatype that was looked up is freed; never 0.
  static std::uint64_t era() { return era_.load(std::memory_order_acquire); }

  // `comm` is a communicator of ours, on which errors return. Without it, uncommitted datatypes are
  // treated as committed.
  void judge_by(MPI_Comm comm) { judge_ = comm; }

  bool is_predefined(MPI_Datatype type) const {
    return type != MPI_DATATYPE_NULL && known(type).type == type;
  }
  // Whether it is predefined and plain.
  bool is_plain(MPI_Datatype type) const { return is_predefined(type) && known(type).plain; }
  // The group of a predefined datatype; none for others.
  Operands operands(MPI_Datatype type) const { return known(type).operands; }
  // Whether MPI would reject the datatype in a message. Does not inspect it.
  int fault(MPI_Datatype type) const;
  // MPI's own error if the datatype is unknown, has no size, or is not committed.
  int look_up(MPI_Datatype type, DatatypeTraits& traits) const {
    traits = known(type);
    return traits.type != MPI_DATATYPE_NULL ? MPI_SUCCESS : look_up_derived(type, traits);
  }

 private:
  // The properties of a predefined datatype; MPI_DATATYPE_NULL for others.
  const DatatypeTraits& known(MPI_Datatype type) const {
    for (std::size_t slot = hash(type);; ++slot) {
      const DatatypeTraits& each = predefined_[slot % slots];
      if (each.type == type || each.type == MPI_DATATYPE_NULL) return each;
    }
  }
  void know(Operands operands, std::initializer_list<MPI_Datatype> types);
  int look_up_derived(MPI_Datatype type, DatatypeTraits& traits) const;
  bool is_committed(MPI_Datatype type) const;
  static std::size_t hash(MPI_Datatype type) {
    const auto bits = (std::uintptr_t)type;  // a pointer or an int, depending on the MPI library
    return bits ^ bits >> 8;
  }

  static constexpr std::size_t slots = 256;  // many more than there are datatypes
  std::array<DatatypeTraits, slots> predefined_;
  int keyval_;
  static std::atomic<std::uint64_t> era_;
  std::atomic<MPI_Comm> judge_ = MPI_COMM_NULL;
  mutable std::mutex mutex_;  // two threads must not store the same datatype
};

// Bytes of data in an element.
std::int64_t size_of(MPI_Datatype type);

// A piece of memory: `elements` of one datatype, contiguous.
struct Run {
  char* address = nullptr;
  std::int64_t elements = 0;
  const DatatypeTraits* traits = nullptr;

  std::int64_t bytes() const { return elements * traits->size; }
  char* end() const { return address + elements * traits->extent; }
};

// The memory for `elements` contiguous elements of a datatype: its size in bytes, and the offset of
// the first element's address from its beginning.
struct Room {
  std::int64_t bytes = 0;
  std::int64_t origin = 0;
};
Room room_for(const DatatypeTraits& traits, std::int64_t elements);

// Replaces a datatype of the user by one of our own, because the user may free it during the call.
// Predefined ones remain.
int hold_datatype(MPI_Datatype& type, std::vector<OwnedDatatype>& held);

// The same without a new handle, because the program's own operation must receive the handle that
// the program used. In Open MPI and MPICH, a derived datatype keeps the original alive, because
// MPI_Type_get_contents may request it.
inline int keep_datatype(MPI_Datatype type, std::vector<OwnedDatatype>& held) {
  return hold_datatype(type, held);
}

// A committed datatype of all runs in order, relative to `base`. Counts may exceed an int.
int make_datatype(const std::vector<Run>& runs, OwnedDatatype& made, const void* base = MPI_BOTTOM);

}  // namespace toccata
