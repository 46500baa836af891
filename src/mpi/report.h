#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace toccata {

// What ran, counted by rank 0 of each communicator.
class Report {
 public:
  struct Row {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;  // of the whole vector, over all calls
    double seconds = 0;      // that rank 0 spent in the calls
  };

  // The row of communicators of `ranks` ranks; stays where it is.
  Row& row(int ranks, const std::string& collective, const std::string& algorithm) {
    return rows_[{collective, ranks, algorithm}];
  }
  void add(const Report& other);

  // Collective over `comm`: adds every rank's rows to those of rank 0. False, after ten seconds, if
  // some ranks do not take part.
  bool gather(MPI_Comm comm);

  // A table for a person; empty if nothing ran.
  std::string table() const;

 private:
  std::string serialized() const;
  void add_serialized(const std::string& lines);

  std::map<std::tuple<std::string, int, std::string>, Row> rows_;
};

}  // namespace toccata
