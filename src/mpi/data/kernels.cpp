#include "mpi/data/kernels.h"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "mpi/data/datatype.h"

namespace toccata {

namespace {

using Kernel = void (*)(const char* from, const char* other, char* into, std::int64_t bytes);

// Integers wrap around, as in MPI libraries.
template <typename Number>
using Arithmetic =
    typename std::conditional_t<std::is_integral_v<Number>, std::make_unsigned<Number>,
                                std::type_identity<Number>>::type;

// The buffers are the same or do not overlap, so elements can be combined in parallel.
template <typename Number, typename Combine>
void combine(const char* from, const char* other, char* into, std::int64_t bytes) {
  const auto* const a = reinterpret_cast<const Number*>(from);
  const auto* const b = reinterpret_cast<const Number*>(other);
  auto* const c = reinterpret_cast<Number*>(into);
  const auto elements = bytes / static_cast<std::int64_t>(sizeof(Number));
#pragma GCC ivdep
  for (std::int64_t i = 0; i < elements; ++i) c[i] = static_cast<Number>(Combine()(a[i], b[i]));
}

struct Greatest {
  template <typename Number>
  Number operator()(Number from, Number other) const {
    return other > from ? other : from;
  }
};
struct Least {
  template <typename Number>
  Number operator()(Number from, Number other) const {
    return other < from ? other : from;
  }
};

template <typename Number>
Kernel arithmetic(MPI_Op operation) {
  using Operand = Arithmetic<Number>;
  if (operation == MPI_SUM) return combine<Operand, std::plus<>>;
  if (operation == MPI_PROD) return combine<Operand, std::multiplies<>>;
  return nullptr;
}

template <typename Number>
Kernel extreme(MPI_Op operation) {
  return operation == MPI_MAX ? combine<Number, Greatest> : combine<Number, Least>;
}

// For a maximum or minimum of numbers that are a double or a float in C.
Kernel extreme_of(MPI_Op operation, MPI_Datatype type) {
  if (operation != MPI_MAX && operation != MPI_MIN) return nullptr;
  if (type == MPI_DOUBLE) return extreme<double>(operation);
  if (type == MPI_FLOAT) return extreme<float>(operation);
  for (const MPI_Datatype each : {MPI_DOUBLE_PRECISION, MPI_REAL, MPI_REAL4, MPI_REAL8})
    if (type == each) switch (size_of(type)) {
        case sizeof(double):
          return extreme<double>(operation);
        case sizeof(float):
          return extreme<float>(operation);
        default:
          return nullptr;
      }
  return nullptr;
}

Kernel kernel_of(MPI_Op operation, MPI_Datatype type) {
  if (const Kernel found = extreme_of(operation, type); found != nullptr) return found;
  if (type == MPI_DOUBLE) return arithmetic<double>(operation);
  if (type == MPI_FLOAT) return arithmetic<float>(operation);
  if (type == MPI_INT || type == MPI_INT32_T) return arithmetic<int>(operation);
  if (type == MPI_LONG) return arithmetic<long>(operation);
  if (type == MPI_LONG_LONG || type == MPI_INT64_T) return arithmetic<long long>(operation);
  if (type == MPI_UNSIGNED || type == MPI_UINT32_T) return arithmetic<unsigned>(operation);
  if (type == MPI_UNSIGNED_LONG) return arithmetic<unsigned long>(operation);
  if (type == MPI_UINT64_T) return arithmetic<std::uint64_t>(operation);
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

int reduce_local(const void* from, void* into, int elements, MPI_Datatype type, MPI_Op operation) {
  const Kernel kernel = extreme_of(operation, type);
  if (kernel == nullptr) return PMPI_Reduce_local(from, into, elements, type, operation);
  auto* const result = static_cast<char*>(into);
  kernel(static_cast<const char*>(from), result, result, elements * size_of(type));
  return MPI_SUCCESS;
}

}  // namespace toccata
