#include "mpi/data/kernels.h"

#include <algorithm>
#include <climits>
#include <functional>
#include <initializer_list>
#include <type_traits>

#include "mpi/data/datatype.h"
#include "mpi/libraries/library.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

using Kernel = void (*)(const char* from, const char* other, char* into, std::int64_t bytes);

// Integers of 32 and 64 bits wrap around, as in MPI libraries.
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
Kernel extreme(MPI_Op operation) {
  if (operation == MPI_MAX) return combine<Number, Greatest>;
  if (operation == MPI_MIN) return combine<Number, Least>;
  return nullptr;
}

template <typename Number>
Kernel arithmetic(MPI_Op operation) {
  using Operand = Arithmetic<Number>;
  if (operation == MPI_SUM) return combine<Operand, std::plus<>>;
  if (operation == MPI_PROD) return combine<Operand, std::multiplies<>>;
  return nullptr;
}

template <typename Number>
Kernel real(MPI_Op operation) {
  const Kernel found = arithmetic<Number>(operation);
  return found != nullptr ? found : extreme<Number>(operation);
}

// MPICH 4.0 and Open MPI 4.1 compare some unsigned numbers like signed ones, so the MPI library
// finds their extremes.
template <typename Number>
Kernel whole(MPI_Op operation) {
  if (operation == MPI_BAND) return combine<Number, std::bit_and<>>;
  if (operation == MPI_BOR) return combine<Number, std::bit_or<>>;
  if (operation == MPI_BXOR) return combine<Number, std::bit_xor<>>;
  if (const Kernel found = arithmetic<Number>(operation); found != nullptr) return found;
  if constexpr (std::is_signed_v<Number>) return extreme<Number>(operation);
  return nullptr;
}

bool is_one_of(MPI_Datatype type, std::initializer_list<MPI_Datatype> types) {
  return std::ranges::find(types, type) != types.end();
}

// For numbers that are a double or a float in C.
Kernel kernel_of_reals(MPI_Op operation, MPI_Datatype type) {
  if (type == MPI_DOUBLE) return real<double>(operation);
  if (type == MPI_FLOAT) return real<float>(operation);
  if (!is_one_of(type, {MPI_DOUBLE_PRECISION, MPI_REAL, MPI_REAL4, MPI_REAL8})) return nullptr;
  switch (size_of(type)) {
    case sizeof(double):
      return real<double>(operation);
    case sizeof(float):
      return real<float>(operation);
    default:
      return nullptr;
  }
}

Kernel kernel_of(MPI_Op operation, MPI_Datatype type) {
  if (const Kernel found = kernel_of_reals(operation, type); found != nullptr) return found;
  if (type == MPI_INT || type == MPI_INT32_T) return whole<int>(operation);
  if (type == MPI_LONG) return whole<long>(operation);
  if (type == MPI_LONG_LONG || type == MPI_INT64_T) return whole<long long>(operation);
  if (type == MPI_UNSIGNED || type == MPI_UINT32_T) return whole<unsigned>(operation);
  if (type == MPI_UNSIGNED_LONG) return whole<unsigned long>(operation);
  if (type == MPI_UINT64_T) return whole<std::uint64_t>(operation);
  if (!is_one_of(type, {MPI_INTEGER, MPI_INTEGER4, MPI_INTEGER8})) return nullptr;
  switch (size_of(type)) {
    case sizeof(std::int32_t):
      return whole<std::int32_t>(operation);
    case sizeof(std::int64_t):
      return whole<std::int64_t>(operation);
    default:
      return nullptr;
  }
}

// Our loop combines all that it can where it takes at most as long. In MPICH 4.0, MPI_Reduce_local
// also takes 128 KiB of stack, on ranks that need none for native collectives. Open MPI's has wider
// vectors.
Kernel local_kernel_of(MPI_Op operation, MPI_Datatype type) {
  if (our_mpi.has_slow_reductions || World::is_ours()) return kernel_of(operation, type);
  const bool is_extreme = operation == MPI_MAX || operation == MPI_MIN;
  return is_extreme ? kernel_of_reals(operation, type) : nullptr;
}

}  // namespace

node::Operator Reduction::combines() {
  const auto apply = [](void* context, const char* from, char* into, std::int64_t bytes) {
    const auto& its = *static_cast<const Reduction*>(context);
    const std::int64_t most = its.size * INT_MAX;
    for (std::int64_t done = 0; done < bytes; done += most)
      PMPI_Reduce_local(from + done, into + done,
                        static_cast<int>(std::min(bytes - done, most) / its.size), its.type,
                        its.operation);
  };
  return {apply, this, std::max<std::int64_t>(size, 1), kernel_of(operation, type)};
}

bool can_reduce_locally(MPI_Datatype type, MPI_Op operation) {
  return !(our_mpi.needs_init_to_reduce && World::is_ours()) ||
         kernel_of(operation, type) != nullptr;
}

int reduce_local(const void* from, void* into, int elements, MPI_Datatype type, MPI_Op operation) {
  const Kernel kernel = local_kernel_of(operation, type);
  if (kernel == nullptr) return PMPI_Reduce_local(from, into, elements, type, operation);
  auto* const result = static_cast<char*>(into);
  kernel(static_cast<const char*>(from), result, result, elements * size_of(type));
  return MPI_SUCCESS;
}

}  // namespace toccata
