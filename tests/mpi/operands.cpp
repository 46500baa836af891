#include "operands.h"

#include <complex>
#include <cstring>

namespace toccata::test {

namespace {

template <typename T>
void put(void* element, MPI_Aint place, T value) {
  std::memcpy(static_cast<char*>(element) + place, &value, sizeof value);
}

template <typename T>
T get(const void* element, MPI_Aint place) {
  T value;
  std::memcpy(&value, static_cast<const char*>(element) + place, sizeof value);
  return value;
}

// The maximum of two integers that are 16 bytes apart.
void larger(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    const MPI_Aint place = 16 * MPI_Aint{i};
    put(into, place, std::max(get<int>(from, place), get<int>(into, place)));
  }
}

// Compositions of pairs whose parts have these displacements.
template <MPI_Aint extent, MPI_Aint first, MPI_Aint second>
void compose(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    const MPI_Aint place = extent * i;
    const auto at = [&](const void* memory) {
      return Affine{get<std::uint32_t>(memory, place + first),
                    get<std::uint32_t>(memory, place + second)};
    };
    const Affine result = at(from) * at(into);
    put(into, place + first, result.a);
    put(into, place + second, result.b);
  }
}

template <MPI_Aint first, MPI_Aint second>
void set_affine(void* element, int rank, int i) {
  const Affine value = Affine::of(rank, i);
  put(element, first, value.a);
  put(element, second, value.b);
}

int number(int rank, int i) { return (rank * 7 + i * 3) % 11 - 4; }

}  // namespace

bool OperandCase::may_be_native() const {
  int commutes = 0;
  MPI_Aint lower, extent, true_lower, true_extent;
  MPI_Op_commutative(operation, &commutes);
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &true_lower, &true_extent);
  return commutes == 0 || extent < true_extent;
}

Memory OperandCase::of(int rank, std::int64_t elements) const {
  Memory memory(type, elements, rank);
  for (std::int64_t i = 0; i < elements; ++i)
    set(Memory::element(memory.address(), type, i), rank, static_cast<int>(i));
  return memory;
}

int OperandCase::combine(int p, std::int64_t elements, std::int64_t first, int count,
                         void* into) const {
  Memory result = of(p - 1, elements);
  for (int rank = p - 2; rank >= 0; --rank) {
    Memory left = of(rank, elements);
    if (int code = PMPI_Reduce_local(left.address(), result.address(), static_cast<int>(elements),
                                     type, operation);
        code != MPI_SUCCESS)
      return code;
  }
  return MPI_Sendrecv(Memory::element(result.address(), type, first), count, type, 0, 0, into,
                      count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

OperandCases::OperandCases()
    : commuting_(larger, true),
      plain_composition_(compose<8, 0, 4>, false),
      sparse_composition_(compose<24, -8, 4>, false) {
  const auto keep = [this](MPI_Datatype made) {
    return datatypes_.emplace_back(committed(made)).get();
  };
  MPI_Datatype made;
  MPI_Type_create_resized(MPI_INT, -8, 16, &made);
  const MPI_Datatype wide = keep(made);
  MPI_Type_contiguous(2, MPI_UINT32_T, &made);
  const MPI_Datatype plain = keep(made);
  const MPI_Aint places[] = {-8, 4};
  MPI_Type_create_hindexed_block(2, 1, places, MPI_UINT32_T, &made);
  const OwnedDatatype before(made);
  MPI_Type_create_resized(made, -8, 24, &made);
  const MPI_Datatype sparse = keep(made);

  cases_ = {
      {"sums of integers", MPI_INT, MPI_SUM,
       [](void* element, int rank, int i) { put(element, 0, number(rank, i)); }},
      {"products of doubles", MPI_DOUBLE, MPI_PROD,
       [](void* element, int rank, int i) { put(element, 0, number(rank, i) < 0 ? -2.0 : 0.5); }},
      {"sums of complex numbers", MPI_C_DOUBLE_COMPLEX, MPI_SUM,
       [](void* element, int rank, int i) {
         put(element, 0, std::complex<double>(number(rank, i), rank));
       }},
      {"least of pairs", MPI_2INT, MPI_MINLOC,
       [](void* element, int rank, int i) {
         put(element, 0, number(rank, i));
         put(element, 4, rank);
       }},
      {"booleans", MPI_C_BOOL, MPI_LXOR,
       [](void* element, int rank, int i) { put(element, 0, number(rank, i) > 0); }},
      {"bytes", MPI_BYTE, MPI_BXOR,
       [](void* element, int rank, int i) {
         put(element, 0, static_cast<unsigned char>(37 * rank + 11 * i));
       }},
      {"own operation", wide, commuting_,
       [](void* element, int rank, int i) { put(element, 0, number(rank, i)); }},
      {"compositions", plain, plain_composition_, set_affine<0, 4>},
      {"compositions with gaps", sparse, sparse_composition_, set_affine<-8, 4>},
  };
}

}  // namespace toccata::test
