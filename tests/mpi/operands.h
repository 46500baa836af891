#pragma once

#include "support.h"

namespace toccata::test {

// An MPI operation that is freed at the end of its scope.
class OwnedOp {
 public:
  OwnedOp(MPI_User_function* function, bool commutes) {
    MPI_Op_create(function, commutes ? 1 : 0, &op_);
  }
  OwnedOp(const OwnedOp&) = delete;
  ~OwnedOp() { MPI_Op_free(&op_); }
  operator MPI_Op() const { return op_; }

 private:
  MPI_Op op_;
};

// x -> a·x + b, whose composition depends on the order.
struct Affine {
  std::uint32_t a, b;

  // First `left`, then `right`.
  friend Affine operator*(const Affine& left, const Affine& right) {
    return {left.a * right.a, left.b * right.a + right.b};
  }
  static Affine of(int rank, int i) {
    return {static_cast<std::uint32_t>(2 * rank + 3 + i), static_cast<std::uint32_t>(rank + 7 * i)};
  }
};

// Operands of one kind and their operation. An operand has `elements` of `type`. The value of an
// element depends on its rank and position.
struct OperandCase {
  std::string name;
  MPI_Datatype type;
  MPI_Op operation;
  void (*set)(void* element, int rank, int i);

  // The operands of a rank.
  Memory of(int rank, std::int64_t elements) const;
  // Whether the MPI library may serve it instead of some algorithms.
  bool may_be_native() const;
  // Writes the result of p ranks to `into`: `count` elements, starting at `first`. It uses
  // MPI_Reduce_local, because the collectives of MPICH 4.0 are wrong in some of these cases.
  int combine(int p, std::int64_t elements, std::int64_t first, int count, void* into) const;
};

// Predefined and user-defined operations, commutative and not commutative, on datatypes with gaps
// and with data before the address.
class OperandCases {
 public:
  OperandCases();
  auto begin() const { return cases_.begin(); }
  auto end() const { return cases_.end(); }

 private:
  std::vector<OwnedDatatype> datatypes_;
  OwnedOp commuting_, plain_composition_, sparse_composition_;
  std::vector<OperandCase> cases_;
};

// Numbers of elements for p ranks: none, fewer than ranks, not divisible by p, many.
inline std::vector<int> operand_counts(int p) { return {0, 1, p - 1, 2 * p + 1, 1021}; }

}  // namespace toccata::test
