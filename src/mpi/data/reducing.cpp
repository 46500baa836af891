#include "mpi/data/reducing.h"

#include <algorithm>
#include <climits>
#include <initializer_list>

#include "mpi/data/data.h"
#include "mpi/data/kernels.h"

namespace toccata {

int reduce_runs(const std::vector<Run>& from, const std::vector<Run>& into, MPI_Op operation) {
  if (!data_moves) return MPI_SUCCESS;
  auto target = into.begin();
  std::int64_t done = 0;  // elements of target
  for (const Run& source : from)
    for (std::int64_t taken = 0; taken < source.elements;) {
      if (target != into.end() && done == target->elements) {
        ++target;
        done = 0;
      }
      if (target == into.end()) return MPI_ERR_TRUNCATE;
      const std::int64_t elements =
          std::min({source.elements - taken, target->elements - done, std::int64_t{INT_MAX}});
      if (int code = reduce_local(source.address + taken * source.traits->extent,
                                  target->address + done * target->traits->extent,
                                  static_cast<int>(elements), target->traits->type, operation);
          code != MPI_SUCCESS)
        return code;
      taken += elements;
      done += elements;
    }
  return MPI_SUCCESS;
}

namespace {

constexpr unsigned any_operands = ~0U;

constexpr unsigned set_of(std::initializer_list<Operands> all) {
  unsigned result = 0;
  for (const Operands each : all) result |= 1U << static_cast<unsigned>(each);
  return result;
}

// The groups of datatypes for which a predefined operation is defined.
unsigned operands_of(MPI_Op operation) {
  using enum Operands;
  if (operation == MPI_SUM || operation == MPI_PROD)
    return set_of({c_integer, fortran_integer, floating, complex_number, count});
  if (operation == MPI_MAX || operation == MPI_MIN)
    return set_of({c_integer, fortran_integer, floating, count});
  if (operation == MPI_LAND || operation == MPI_LOR || operation == MPI_LXOR)
    return set_of({c_integer, logical});
  if (operation == MPI_BAND || operation == MPI_BOR || operation == MPI_BXOR)
    return set_of({c_integer, fortran_integer, byte, count});
  if (operation == MPI_MAXLOC || operation == MPI_MINLOC) return set_of({pair});
  if (operation == MPI_REPLACE || operation == MPI_NO_OP) return 0;
  return any_operands;
}

}  // namespace

bool is_defined(MPI_Op operation, MPI_Datatype type, const DatatypeTable& datatypes) {
  const unsigned allowed = operands_of(operation);
  return allowed == any_operands ||
         (allowed >> static_cast<unsigned>(datatypes.operands(type)) & 1U) != 0;
}

bool commutes(MPI_Op operation) {
  if (operation == MPI_OP_NULL || operands_of(operation) != any_operands) return true;
  int result = 0;
  return PMPI_Op_commutative(operation, &result) == MPI_SUCCESS && result != 0;
}

}  // namespace toccata
