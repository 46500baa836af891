#pragma once

#include "mpi/call/next_definition.h"
#include "preload/raw.h"
#include "toccata/toccata.h"

// Defines the MPI function for programs, and next_NAME(), which calls the next definition. In a
// program with another MPI than ours, the arguments may only be passed on, so handles are Raw.
#define TOCCATA_INTERPOSED(function, ...)                                                  \
  extern "C" TOCCATA_PUBLIC int toccata_##function(__VA_ARGS__) __asm__("MPI_" #function); \
  static auto next_##function() {                                                          \
    static const auto next = toccata::next_definition<decltype(toccata_##function)>(       \
        "MPI_" #function, reinterpret_cast<void*>(&PMPI_##function));                      \
    return next;                                                                           \
  }                                                                                        \
  int toccata_##function(__VA_ARGS__)
