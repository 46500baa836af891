#include "mpi/data/kernels.h"

#include <algorithm>
#include <type_traits>

namespace toccata {

namespace {

using Kernel = void (*)(const char* from, const char* other, char* into, std::int64_t bytes);

// Integers wrap around, as in MPI libraries.
template <typename Number>
using Arithmetic =
    typename std::conditional_t<std::is_integral_v<Number>, std::make_unsigned<Number>,
                                std::type_identity<Number>>::type;

// The buffers are the same or do not overlap, so elements can be combined in parallel.
template <typename Number, bool multiplies>
void combine(const char* from, const char* other, char* into, std::int64_t bytes) {
  const auto* const a = reinterpret_cast<const Number*>(from);
  const auto* const b = reinterpret_cast<const Number*>(other);
  auto* const c = reinterpret_cast<Number*>(into);
  const auto elements = bytes / static_cast<std::int64_t>(sizeof(Number));
#pragma GCC ivdep
  for (std::int64_t i = 0; i < elements; ++i)
    c[i] = static_cast<Number>(multiplies ? a[i] * b[i] : a[i] + b[i]);
}

template <typename Number>
Kernel kernel(MPI_Op operation) {
  if (operation == MPI_SUM) return combine<Arithmetic<Number>, false>;
  if (operation == MPI_PROD) return combine<Arithmetic<Number>, true>;
  return nullptr;
}

Kernel kernel_of(MPI_Op operation, MPI_Datatype type) {
  if (type == MPI_DOUBLE) return kernel<double>(operation);
  if (type == MPI_FLOAT) return kernel<float>(operation);
  if (type == MPI_INT || type == MPI_INT32_T) return kernel<int>(operation);
  if (type == MPI_LONG) return kernel<long>(operation);
  if (type == MPI_LONG_LONG || type == MPI_INT64_T) return kernel<long long>(operation);
  if (type == MPI_UNSIGNED || type == MPI_UINT32_T) return kernel<unsigned>(operation);
  if (type == MPI_UNSIGNED_LONG) return kernel<unsigned long>(operation);
  if (type == MPI_UINT64_T) return kernel<std::uint64_t>(operation);
  return nullptr;
}

}  // namespace

node::Operator Reduction::combines() {
  const auto apply = [](void* context, const char* from, char* into, std::int64_t bytes) {
    const auto& reduction = *static_cast<const Reduction*>(context);
    PMPI_Reduce_local(from, into, static_cast<int>(bytes / reduction.size), reduction.type,
                      reduction.operation);
  };
  return {apply, this, std::max<std::int64_t>(size, 1), kernel_of(operation, type)};
}

}  // namespace toccata
