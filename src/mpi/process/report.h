#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrivals/arrivals.h"
#include "deciding/ranks.h"
#include "mpi/process/arrival_log.h"

namespace toccata {

// The served calls, counted by rank 0 of each communicator.
class Report {
 public:
  // The common properties of calls that are counted together.
  struct Key {
    std::string collective;
    int ranks = 0;
    std::string choice;  // the choice that ran
    Source source = Source::native;
    std::int64_t bytes = -1;  // of a block, or of the message; -1: of any size
    std::string why;          // of native calls: see why_native()

    auto operator<=>(const Key&) const = default;
  };
  struct Row {
    int number = 0;  // rows are numbered from 0
    std::int64_t calls = 0;
    std::int64_t bytes = 0;  // of the whole vector, over all calls
    double seconds = 0;      // time of rank 0 in these calls, or from their start to their end
    double outside = 0;      // of these, outside MPI_Wait, MPI_Test and similar functions
    Evidence times = {};
  };

  // Its address never changes.
  Row& row(const Key& key);

  // Collective over `comm`: adds every rank's rows to those of rank 0, and finds the arrivals of
  // all ranks at their calls. False, after ten seconds, if some ranks do not take part. `common` is
  // for messages.
  bool gather(MPI_Comm comm, ArrivalLog& log, MPI_Comm common);

  // A readable table; empty if nothing ran.
  std::string table() const;
  // All rows, for `toccata explain`. `node`: how the ranks on rank 0's node exchange data, in
  // words; `devices` has a sentence per GPU runtime.
  std::string json(const std::string& mpi, int ranks, double seconds, const std::string& node,
                   const std::vector<std::string>& devices) const;

 private:
  std::string serialized() const;
  // Returns the numbers of our rows by those of the other rank.
  std::map<int, int> add_serialized(const std::string& lines);

  std::map<Key, Row> rows_;
  std::optional<Arrivals> arrivals_;
  std::vector<std::string> hosts_;  // by rank
};

}  // namespace toccata
