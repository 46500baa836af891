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

// A datatype that we made, freed with its handle. MPI keeps it alive for messages under way.
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

// The standard's groups of datatypes, by which operations are defined [MPI 4.0, section 6.9.2].
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

// What moving elements of a datatype needs to know of it.
struct DatatypeTraits {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint extent = 0;  // bytes from one element to the next
  MPI_Aint size = 0;    // bytes of data in an element
  // Elements are their data, without gaps and in the order of the type map, so memcpy moves them
  // and any other datatype of the same signature can read them.
  bool plain = false;
  // Whether the next element begins before one ends, as in the column of a matrix: results that
  // stand behind one another would be mixed.
  bool interleaves = false;
  Operands operands = Operands::none;
};

// Knows the predefined datatypes by heart, for they are requested at every call. Others it looks at
// once: what it found is an attribute of the datatype, and is forgotten with it.
class DatatypeTable {
 public:
  // `keyval` is of datatypes; its attributes are freed by forget().
  explicit DatatypeTable(int keyval);
  static int forget(MPI_Datatype, int, void* traits, void*);

  // A communicator of ours, on which errors return; until there is one, datatypes that are not
  // committed pass for others.
  void judge_by(MPI_Comm comm) { judge_ = comm; }

  bool is_predefined(MPI_Datatype type) const {
    return type != MPI_DATATYPE_NULL && known(type).type == type;
  }
  // The group of a predefined datatype; none of others.
  Operands operands(MPI_Datatype type) const { return known(type).operands; }
  // Errors are MPI's own, for a datatype it does not know, that has no size or is not committed.
  int look_up(MPI_Datatype type, DatatypeTraits& traits) const {
    traits = known(type);
    return traits.type != MPI_DATATYPE_NULL ? MPI_SUCCESS : look_up_derived(type, traits);
  }

 private:
  // What is known of a predefined datatype; MPI_DATATYPE_NULL where it is none.
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
    const auto bits = (std::uintptr_t)type;  // a pointer or an int, as the MPI likes
    return bits ^ bits >> 8;
  }

  static constexpr std::size_t slots = 256;  // many more than there are datatypes
  std::array<DatatypeTraits, slots> predefined_;
  int keyval_;
  std::atomic<MPI_Comm> judge_ = MPI_COMM_NULL;
  mutable std::mutex mutex_;  // no two threads find the same datatype new
};

// Bytes of data in an element.
std::int64_t size_of(MPI_Datatype type);

// A stretch of memory: `elements` of one datatype, one behind the other.
struct Run {
  char* address = nullptr;
  std::int64_t elements = 0;
  const DatatypeTraits* traits = nullptr;

  std::int64_t bytes() const { return elements * traits->size; }
  char* end() const { return address + elements * traits->extent; }
};

// The memory that `elements` of a datatype, side by side, take: so many bytes, and the first
// element's address so many bytes from their beginning.
struct Room {
  std::int64_t bytes = 0;
  std::int64_t origin = 0;
};
Room room_for(const DatatypeTraits& traits, std::int64_t elements);

// Puts a datatype of our own in place of one of the user's, who may free it while the call that it
// was given to goes on. Predefined ones stay as they are.
int hold_datatype(MPI_Datatype& type, std::vector<OwnedDatatype>& held);

// The same without a change of handle, as the program's own operation has to get the one that the
// program used: what is made of a datatype holds on to it, in Open MPI as in MPICH, for
// MPI_Type_get_contents may ask for it.
inline int keep_datatype(MPI_Datatype type, std::vector<OwnedDatatype>& held) {
  return hold_datatype(type, held);
}

// A committed datatype, relative to `base`, of all runs in order. Counts beyond an int are fine.
int make_datatype(const std::vector<Run>& runs, OwnedDatatype& made, const void* base = MPI_BOTTOM);

}  // namespace toccata
