#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "writing/algorithm.h"

namespace toccata {

// The schedules of one algorithm as a file, for several numbers of ranks. `toccata prove -o` writes
// it, and TOCCATA_<COLLECTIVE>=file:... runs it.
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
// It is JSON whose lines are part of the format. Each line is a rank: a list of the blocks from
// which its scratch blocks take their sizes, followed by its rounds. A round is a list of entries.
// A range is a buffer with first, count, stride and repeat, of which the last ones may be left out:
//
//   ["send", peer, range...]   ["recv", peer, range...]   with "channel", C or "travel", "packed"
//   after the peer if these are not the default
//   ["copy", range or [range...], range or [range...]]    ["reduce", ...] the same
//
// The digest covers everything after the first line. It detects accidental changes. Against harmful
// files, every number of ranks is checked before it runs (check.h).
namespace schedule_file {

// An unusable file: its name, and the error in it.
class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

inline constexpr int version = 1;
inline constexpr std::size_t most_bytes = 64 << 20;
inline constexpr int most_rounds = 100'000;  // of a rank

// The file of an algorithm in these complete shapes.
std::string text(const Algorithm& algorithm, std::span<const Shape> shapes, Travel travel);

// Its contents. Error if it cannot be read, or is larger than most_bytes.
std::string read(const std::string& path);

// Registers the algorithm as `name`, which messages use. Its digest must be correct, and its form
// valid up to the tables; otherwise Error. If the same contents were added before with that name,
// returns that algorithm.
const Algorithm& add(std::string text, std::string_view name);

// The digest of a text whose first line is correct; Error otherwise.
std::uint64_t digest_of(std::string_view text, std::string_view name);

// The ranks, root and parts of a table.
struct Table {
  int ranks, root, parts;
};
std::vector<Table> tables(const Algorithm& added);

}  // namespace schedule_file

}  // namespace toccata
