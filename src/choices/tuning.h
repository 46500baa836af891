#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "choices/choice.h"

namespace toccata {

// An unusable tuning file: its name, and the error in it.
class TuningError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The measured best algorithms, as a file. `toccata tune` writes it, and so does TOCCATA=learn.
//
//   {"toccata_tuning": 1, "machine": "2 nodes of 64 cores", "mpi": "Open MPI v4.1.4",
//    "points": [{"collective": "allgather", "ranks": 128, "nodes": 2, "bytes": 4096,
//                "choice": "locality_bruck", "seconds": 2.1e-5, "native_seconds": 3.4e-5,
//                "spread": 0.04}]}
//
// "bytes" are the size of a block (for one rank), or of the message. Seconds are medians per call.
// "spread" is the interquartile range divided by the median. Only the fields that identify a point
// and its choice are required; other fields are for human readers.
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

  // The best known choice for a call of `bytes`: the point of the nearest size, among the points of
  // the nearest number of ranks and nodes. Distances are ratios. None if the nearest are off by
  // more than `reach`: outside the measured range, other sources decide. `bytes` < 0: ranks do not
  // know each other's sizes.
  const Point* find(const Collective& collective, int ranks, int nodes, std::int64_t bytes) const;
  static constexpr double reach = 1.5;
  static constexpr double reach_of_sizes = 3.015;  // sizes are measured in factors of two or four

  // Adds the points of `other`. If both have a point for the same calls, the point of `other`
  // counts.
  void merge(const Tuning& other);
};

// TuningError states the error; it names `file`. Points whose collective or choice is unknown to
// this version, or not proved, are left out; `unknown` receives the first of them.
Tuning parse_tuning(std::string_view json, std::string_view file, std::string& unknown);
// Reads the file at that path.
Tuning read_tuning(const std::string& path, std::string& unknown);

// Among the files NAME.json in those folders, the first by folder and name that was measured with
// this MPI on nodes like this one; "" if there is none. `mpi` is the library's name with its
// version, `node` a machine's text, such as "socket:2 core:8". `complaints` receives one line per
// unusable file.
std::string find_tuning(std::span<const std::string> folders, std::string_view mpi,
                        std::string_view node, std::vector<std::string>& complaints);

std::string json(const Tuning& tuning);
// Adds learned results to the file, to which another run may have added something meanwhile.
// Replaces it atomically, or leaves it unchanged. A file of other nodes, or of another MPI or
// version, remains unchanged. TuningError.
void add_to_tuning(const Tuning& learned, const std::string& path);

}  // namespace toccata
