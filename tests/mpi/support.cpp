#include "support.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata::test {

Shape known_shape(MPI_Comm comm) {
  Shape shape{size_of(comm)};
  const char* machine = std::getenv("TOCCATA_TOPOLOGY");
  if (machine == nullptr) return shape;
  std::vector<int> ranks(shape.p), in_world(shape.p);
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group ours, world;
  MPI_Comm_group(comm, &ours);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(ours, shape.p, ranks.data(), world, in_world.data());
  MPI_Group_free(&ours);
  MPI_Group_free(&world);
  const Placement all = place(std::make_shared<const Machine>(parse_machine(machine)),
                              size_of(MPI_COMM_WORLD), "sequential");
  shape.placement = std::make_shared<const Placement>(all.among(in_world));
  shape.grid = grid_of(*shape.placement);
  return shape;
}

namespace {

MPI_Datatype contiguous(int count, MPI_Datatype type) {
  MPI_Datatype made;
  MPI_Type_contiguous(count, type, &made);
  return made;
}

MPI_Datatype vector(int count, int length, int stride, MPI_Datatype type) {
  MPI_Datatype made;
  MPI_Type_vector(count, length, stride, type, &made);
  return made;
}

MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent) {
  MPI_Datatype made;
  MPI_Type_create_resized(type, lower, extent, &made);
  return made;
}

MPI_Datatype at(const std::vector<MPI_Aint>& places, MPI_Datatype type) {
  MPI_Datatype made;
  MPI_Type_create_hindexed_block(static_cast<int>(places.size()), 1, places.data(), type, &made);
  return made;
}

// A char, a double and a short with these displacements.
MPI_Datatype record(std::array<MPI_Aint, 3> places) {
  const int lengths[] = {1, 1, 1};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype made;
  MPI_Type_create_struct(3, lengths, places.data(), types, &made);
  return made;
}

// A square of integers without its border.
MPI_Datatype inner(int width) {
  const int sizes[] = {width, width}, parts[] = {width - 2, width - 2}, starts[] = {1, 1};
  MPI_Datatype made;
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &made);
  return made;
}

}  // namespace

TypeCases::TypeCases() {
  const MPI_Datatype strided = keep(vector(3, 1, 2, MPI_INT));
  const MPI_Datatype holes = keep(record({0, 8, 16}));
  const MPI_Datatype dense_record = keep(record({0, 1, 9}));
  const MPI_Datatype shuffled_record = keep(record({10, 2, 0}));
  const MPI_Datatype wide = keep(resized(MPI_INT, 0, 12));
  const MPI_Datatype lower = keep(resized(MPI_INT, -8, 16));
  const MPI_Datatype before = keep(at({-8, 4}, MPI_INT));
  const MPI_Datatype swapped = keep(at({4, 0}, MPI_INT));
  std::vector<MPI_Aint> backwards(300);
  for (int i = 0; i < 300; ++i) backwards[i] = 299 - i;
  const MPI_Datatype reversed = keep(at(backwards, MPI_CHAR));
  const MPI_Datatype square = keep(inner(5));
  const MPI_Datatype nothing = keep(contiguous(0, MPI_INT));
  const MPI_Datatype page = keep(contiguous(5000, MPI_CHAR));
  const MPI_Datatype two_swapped = keep(contiguous(2, swapped));
  const MPI_Datatype two_pages = keep(contiguous(2, page));

  cases_ = {
      {"no integers", 0, MPI_INT, 0, MPI_INT},
      {"one integer", 1, MPI_INT, 1, MPI_INT},
      {"characters", 3, MPI_CHAR, 3, MPI_CHAR},
      {"doubles", 7, MPI_DOUBLE, 7, MPI_DOUBLE},
      {"complex numbers", 2, MPI_C_DOUBLE_COMPLEX, 2, MPI_C_DOUBLE_COMPLEX},
      {"many integers", 20001, MPI_INT, 20001, MPI_INT},
      {"pairs", 3, MPI_DOUBLE_INT, 3, MPI_DOUBLE_INT},
      {"no vectors", 0, strided, 0, strided},
      {"vectors", 2, strided, 2, strided},
      {"many vectors", 7000, strided, 7000, strided},
      {"vectors to integers", 2, strided, 6, MPI_INT},
      {"integers to vectors", 3, MPI_INT, 1, strided},
      {"records with holes", 3, holes, 3, holes},
      {"records with holes to dense ones", 3, holes, 3, dense_record},
      {"records in another order", 2, dense_record, 2, shuffled_record},
      {"wide integers", 3, wide, 3, wide},
      {"integers to wide ones", 3, MPI_INT, 3, wide},
      {"negative lower bound", 3, lower, 3, lower},
      {"negative lower bound to integers", 3, lower, 3, MPI_INT},
      {"data before the address", 2, before, 2, before},
      {"vectors to data before the address", 2, strided, 3, before},
      {"swapped", 2, swapped, 2, swapped},
      {"swapped to integers", 2, swapped, 4, MPI_INT},
      {"integers to swapped", 4, MPI_INT, 2, swapped},
      {"reversed characters", 1, reversed, 1, reversed},
      {"characters to reversed ones", 300, MPI_CHAR, 1, reversed},
      {"subarray to integers", 1, square, 9, MPI_INT},
      {"datatype without data", 3, nothing, 3, nothing},
      {"datatype of a page", 2, page, 2, page},
      {"swapped ones, repeated, to integers", 1, two_swapped, 4, MPI_INT},
      {"two pages", 1, two_pages, 10000, MPI_CHAR},
  };
#if MPI_VERSION >= 4
  MPI_Datatype made;
  MPI_Type_contiguous_c(4, MPI_INT, &made);
  const MPI_Datatype four = keep(made);
  MPI_Type_vector_c(3, 1, 2, MPI_INT, &made);
  const MPI_Datatype far = keep(made);
  cases_.push_back({"four integers, by a large count", 2, four, 8, MPI_INT});
  cases_.push_back({"vectors, by large counts", 2, far, 6, MPI_INT});
#endif
}

TypeCases TypeCases::for_this_job() {
  static std::size_t turn = 0;  // the same on all ranks, which run the same tests
  constexpr std::size_t parts = 3;
  TypeCases result;
  if (size_of(MPI_COMM_WORLD) <= 4 || std::getenv("TOCCATA_TEST_LONG") != nullptr) return result;
  std::size_t number = turn++;
  std::erase_if(result.cases_, [&](const TypeCase&) { return number++ % parts != 0; });
  return result;
}

}  // namespace toccata::test
