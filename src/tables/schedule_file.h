#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"

namespace toccata {

// The schedules of one algorithm as a file, for several numbers of ranks: what `toccata prove -o`
// writes, and what TOCCATA_<COLLECTIVE>=file:... runs.
//
//   {"toccata_schedules": 1, "digest": "0123456789abcdef",
//   "algorithm": {"collective": "allgather", "name": "mine", ...},
//   "tables": [
//   {"ranks": 2, "root": 0, "parts": 1, "channels": 1, "schedules": [
//   [[],[["copy",["send",0],["recv",0]]],[["send",1,["recv",0]],["recv",1,["recv",1]]]],
//   [[],[["copy",["send",0],["recv",1]]],[["send",0,["recv",1]],["recv",0,["recv",0]]]]
//   ]}
//   ]}
//
// It is JSON whose lines are part of the format: a line is a rank, and a rank is a list of what its
// scratch blocks are like, and of its rounds. A round is a list of entries. Ranges are a buffer and
// first, count, stride and repeat, of which the last may be left out:
//
//   ["send", peer, range...]   ["recv", peer, range...]   with "channel", C or "travel", "packed"
//   behind the peer where these are not the usual ones
//   ["copy", range or [range...], range or [range...]]    ["reduce", ...] the same
//
// The digest is of all that follows the first line. It tells a file that was changed, by mistake;
// what guards us from a bad one is that every number of ranks is checked before it runs (check.h).
namespace schedule_file {

// A file that cannot be used: its name, and what is wrong there.
class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

inline constexpr int version = 1;
inline constexpr std::size_t most_bytes = 64 << 20;
inline constexpr int most_rounds = 100'000;  // of a rank

// The file of an algorithm in these complete shapes.
std::string text(const Algorithm& algorithm, std::span<const Shape> shapes, Travel travel);

// Its contents. Error where it cannot be read, or is larger than most_bytes.
std::string read(const std::string& path);

// Makes the algorithm known by `name`, which messages call it: its digest has to be right, its form
// as far as where its tables are. Error. What has been added before with the same
// contents and name is returned as it is.
const Algorithm& add(std::string text, std::string_view name);

// Of a text whose first line is right; Error otherwise.
std::uint64_t digest_of(std::string_view text, std::string_view name);

// What it has tables of.
struct Table {
  int ranks, root, parts;
};
std::vector<Table> tables(const Algorithm& added);

}  // namespace schedule_file

}  // namespace toccata
