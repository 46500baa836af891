#pragma once

#include <cstdint>
#include <cstring>

namespace toccata {

// An array of counts or displacements in the type of the user's array: int, MPI_Count or MPI_Aint.
class Integers {
 public:
  Integers() = default;
  Integers(const int* values) : values_(values), wide_(false) {}
  template <typename Wide>
  Integers(const Wide* values) : values_(values), wide_(true) {
    static_assert(sizeof(Wide) == sizeof(std::int64_t));
  }

  // The array, whose type the caller knows.
  template <typename Integer>
  const Integer* as() const {
    return static_cast<const Integer*>(values_);
  }
  bool is_null() const { return values_ == nullptr; }
  bool is(const Integers& other) const { return values_ == other.values_; }
  std::int64_t operator[](std::int64_t i) const {
    if (!wide_) return static_cast<const int*>(values_)[i];
    std::int64_t value;  // of a type with another name in this MPI
    std::memcpy(&value, static_cast<const char*>(values_) + i * sizeof value, sizeof value);
    return value;
  }

 private:
  const void* values_ = nullptr;
  bool wide_ = false;
};

}  // namespace toccata
