#pragma once

#include "support.h"

namespace toccata::test {

// The cases of gathers and scatters, regular and vector. Each of `expectations` is called as
// expect(comm, types, root, in_place, travels), and compares the result with the native one.

template <typename... Expectations>
void expect_for_every_datatype(Expectations... expectations) {
  int turn = 0;
  for (const TypeCase& types : TypeCases::for_this_job()) {
    const int root = turn % size_of(MPI_COMM_WORLD);
    int which = 0;
    (expectations(MPI_COMM_WORLD, types, root, (turn + which++) % 3 == 2,
                  Travels{every_travel[turn % every_travel.size()]}),
     ...);
    ++turn;
  }
}

template <typename... Expectations>
void expect_for_every_root(Expectations... expectations) {
  const TypeCase integers{"integers", 5, MPI_INT, 5, MPI_INT};
  for (int root = 0; root < size_of(MPI_COMM_WORLD); ++root)
    for (const bool in_place : {false, true})
      (expectations(MPI_COMM_WORLD, integers, root, in_place, one_travel), ...);
}

template <typename... Expectations>
void expect_for_every_kind_of_communicator(Expectations... expectations) {
  const TypeCase integers{"integers", 3, MPI_INT, 3, MPI_INT};
  for (const MPI_Comm comm : KindsOfCommunicator())
    (expectations(comm, integers, size_of(comm) - 1, false, every_travel), ...);
}

}  // namespace toccata::test
