#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "deciding/ranks.h"

namespace toccata {

// What ran, counted by rank 0 of each communicator.
class Report {
 public:
  // What calls have in common that are counted together.
  struct Key {
    std::string collective;
    int ranks = 0;
    std::string choice;  // what ran
    std::string reason;  // who chose it: forced, tuned, learned, modelled, guarded, shared, native
    std::int64_t bytes = -1;  // of a block, or of the message; -1: of any size
    std::string why;          // of native calls: see why_native()

    auto operator<=>(const Key&) const = default;
  };
  struct Row {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;  // of the whole vector, over all calls
    double seconds = 0;      // that rank 0 spent in the calls, or from their start to their end
    double outside = 0;      // of these, outside MPI_Wait, MPI_Test and their like
    Evidence times = {};
  };

  // Stays where it is.
  Row& row(const Key& key) { return rows_[key]; }

  // Collective over `comm`: adds every rank's rows to those of rank 0. False, after ten seconds, if
  // some ranks do not take part.
  bool gather(MPI_Comm comm);

  // A table for a person; empty if nothing ran.
  std::string table() const;
  // All of it, for `toccata explain`.
  std::string json(const std::string& mpi, int ranks, double seconds) const;

 private:
  std::string serialized() const;
  void add_serialized(const std::string& lines);

  std::map<Key, Row> rows_;
};

}  // namespace toccata
