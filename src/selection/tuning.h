#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "selection/choice.h"

namespace toccata {

// A tuning file that cannot be used: its name, and what is wrong there.
class TuningError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// What was found to be best where it was tried, as a file. `toccata tune` writes one, and so does
// TOCCATA_LEARN.
//
//   {"toccata_tuning": 1, "machine": "2 nodes of 64 cores", "mpi": "Open MPI v4.1.4",
//    "points": [{"collective": "allgather", "ranks": 128, "nodes": 2, "bytes": 4096,
//                "choice": "locality_bruck", "seconds": 2.1e-5, "native_seconds": 3.4e-5,
//                "spread": 0.04}]}
//
// "bytes" are of a block (for one rank), or of the message; seconds are medians of a call, and
// "spread" is the distance of their quartiles over the median. Only what says where and what has
// to be there; other fields are for human readers.
class Tuning {
 public:
  static constexpr int version = 1;

  struct Point {
    const Collective* collective;
    int ranks, nodes;
    std::int64_t bytes;
    Choice choice;
    double seconds = 0, native_seconds = 0;  // 0: not known

    bool is_at(const Point& other) const {
      return collective == other.collective && ranks == other.ranks && nodes == other.nodes &&
             bytes == other.bytes;
    }
  };

  std::string machine, mpi;
  std::vector<Point> points;

  // What is known to be best for a call of `bytes`: of the points of the number of ranks and nodes
  // that is nearest, the one whose size is, by ratios. None where the nearest are off by more than
  // `reach`: beyond what was tried, others decide. `bytes` < 0: of a size that ranks do not know of
  // each other.
  const Point* find(const Collective& collective, int ranks, int nodes, std::int64_t bytes) const;
  static constexpr double reach = 1.5;
  static constexpr double reach_of_sizes = 3.015;  // which are tried by factors of two or four

  // Takes in the points of another: where both have one, the other's.
  void merge(const Tuning& other);
};

// TuningError says what is wrong with it; `file` is what that calls it. Points whose collective or
// choice this version does not know, or has not proved, are left out, and `unknown` gets the first
// of them.
Tuning parse_tuning(std::string_view json, std::string_view file, std::string& unknown);
// The file of that path.
Tuning read_tuning(const std::string& path, std::string& unknown);

// Of the files NAME.json in those folders, the first by folder and name that was measured with this
// MPI on nodes like this one; "" if none was. `mpi` is what the library calls itself, `node` a
// machine's text, as "socket:2 core:8". `complaints` gets a line for each that cannot be used.
std::string find_tuning(std::span<const std::string> folders, std::string_view mpi,
                        std::string_view node, std::vector<std::string>& complaints);

std::string json(const Tuning& tuning);
// Replaces the file at once, or leaves it as it is. TuningError.
void write_tuning(const Tuning& tuning, const std::string& path);
// Adds what was learned to the file, where another run may have added something meanwhile. A file
// of other nodes or another MPI, of another version or kind stays unchanged. TuningError.
void add_to_tuning(const Tuning& learned, const std::string& path);

}  // namespace toccata
