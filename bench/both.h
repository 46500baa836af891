#pragma once

#include <mpi.h>

// Two functions of (in, out, n) for one collective: through MPI_*, which the preloaded library
// intercepts, and through PMPI_*, which it does not.
#define BOTH(call)                                                           \
  [](double* in, double* out, int n) {                                       \
    static_cast<void>(in), static_cast<void>(out), static_cast<void>(n);     \
    MPI_##call;                                                              \
  },                                                                         \
      [](double* in, double* out, int n) {                                   \
        static_cast<void>(in), static_cast<void>(out), static_cast<void>(n); \
        PMPI_##call;                                                         \
      }
