#include "collectives/collective.h"

#include <array>

namespace toccata {

std::span<const Collective* const> collectives() {
  static constexpr std::array all{&allgather,
                                  &allreduce,
                                  &alltoall,
                                  &alltoallv,
                                  &barrier,
                                  &bcast,
                                  &exscan,
                                  &gather,
                                  &gatherv,
                                  &neighbor_allgather,
                                  &neighbor_allgatherv,
                                  &neighbor_alltoall,
                                  &neighbor_alltoallv,
                                  &reduce,
                                  &reduce_scatter,
                                  &scan,
                                  &scatter,
                                  &scatterv};
  return all;
}

bool Collective::comes_from_root() const { return &regular() == &bcast || &regular() == &scatter; }

const Collective* find_collective(std::string_view name) {
  for (const Collective* each : collectives())
    if (each->name == name) return each;
  return nullptr;
}

}  // namespace toccata
