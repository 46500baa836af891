#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

namespace toccata {

// Ranks agree by an operation of ours while a process has this object: the maximum of whole
// numbers, the minimum of times. For its own operations, MPICH 4.0 takes 128 KiB of stack, more
// than some threads have.
class AgreementOperation {
 public:
#ifdef TOCCATA_SIMULATED
  static MPI_Op instead_of(MPI_Op standard) { return standard; }  // ranks share all variables
#else
  AgreementOperation() {
    MPI_Op made = MPI_OP_NULL;
    if (PMPI_Op_create(combine, 1, &made) != MPI_SUCCESS) throw std::bad_alloc();
    ours_ = made;
  }
  ~AgreementOperation() {
    MPI_Op made = ours_.exchange(MPI_OP_NULL);
    PMPI_Op_free(&made);
  }
  AgreementOperation(const AgreementOperation&) = delete;
  AgreementOperation& operator=(const AgreementOperation&) = delete;

  static MPI_Op instead_of(MPI_Op standard) {
    const MPI_Op ours = ours_;
    return ours == MPI_OP_NULL ? standard : ours;
  }

 private:
  static void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
    if (*type == MPI_DOUBLE)
      combine(static_cast<const double*>(in), static_cast<double*>(inout), *count,
              [](double a, double b) { return std::min(a, b); });
    else
      combine(static_cast<const std::uint64_t*>(in), static_cast<std::uint64_t*>(inout), *count,
              [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  }
  template <typename Number, typename Function>
  static void combine(const Number* in, Number* inout, int count, Function&& function) {
    std::transform(in, in + count, inout, inout, function);
  }

  static inline std::atomic<MPI_Op> ours_ = MPI_OP_NULL;
#endif
};

}  // namespace toccata
