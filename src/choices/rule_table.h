#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"

namespace toccata {

// An unusable file of rules: its name, the line, and the error.
class RulesError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class RuleTable;

// How the ranks of a call are spread over nodes, as far as this is known.
struct Spread {
  int ranks = 1, nodes = 1;
  bool even = true;  // all nodes have the same number of ranks
};

// The version of an MPI library: 100 times the major number, plus the minor number.
inline constexpr int newest_version = std::numeric_limits<int>::max();

// An MPI library that we recognise by its text from MPI_Get_library_version. A library that derives
// from another one shares its rules.
struct MpiLibrary {
  std::string_view name;
  std::string_view sign;  // a part of that text, before the version number
  std::string_view
      family;  // the MPI with the same binary interface, whose build of Toccata serves it;
               // "" if none does
  std::string_view tested;  // the versions with which our tests run, such as "4.1, 5.0"
  // Whether its own choices can be predicted (RuleTable::Section::own): the decision functions of
  // vendors are not public.
  bool is_predictable = false;
  // Whether we can check that its own choices are these (mpi/settings/own_rules).
  bool is_checkable = false;
  // Whether its collectives consist of messages, as far as we can check: no hardware sums or
  // broadcasts.
  bool sends_only_messages = false;
  const RuleTable* rules = nullptr;
};

// Which choices serve calls, and which algorithms an MPI library uses itself, as the text of a file
// (rules/*.rules):
//
//   [node]
//   allgather  2-8     buffer  shared<=1M
//   reduce     powers  block   binomial<1K, native<=64K, shared
//
// A row has a collective, the numbers of ranks, what its sizes are, and the choice for each size as
// in TOCCATA_<COLLECTIVE>. In a section, the first row with the collective and the number of ranks
// counts. In `own nodes`, "nodes:2-4" counts nodes instead of ranks, and "even:2-4" counts nodes
// that have the same number of ranks each. The rows of [own nodes 5.0] hold from version 5.0 on.
class RuleTable {
 public:
  enum class Section : std::uint8_t {
    libraries,
    node,
    node_crowded,
    node_crowded_direct,
    persistent,
    persistent_crowded,
    nonblocking,
    nonblocking_crowded,
    own,
    own_nodes,
    own_apart,
    own_requests,
    rivals,
    candidates,
    unknown_rival
  };

  // RulesError for a text in another form. The names of collectives and algorithms are not read.
  RuleTable(std::string text, std::string_view file);

  const std::string& file() const { return file_; }
  const std::string& text() const { return *text_; }

  // The choice for calls of `bytes` (of a block, or of the message) among p ranks, as text; empty
  // if no row contains them.
  std::string_view find(Section section, const Collective& collective, int p,
                        std::int64_t bytes) const {
    return find(section, collective, Spread{.ranks = p}, bytes);
  }
  // The same for a version of the MPI library, and for ranks on several nodes.
  std::string_view find(Section section, const Collective& collective, const Spread& spread,
                        std::int64_t bytes, int version = newest_version) const;
  // The choices of the section `rivals` or `candidates`.
  std::vector<std::string_view> list(Section section, const Collective& collective) const;
  // The MPI libraries for which the rules hold.
  std::span<const MpiLibrary> libraries() const { return libraries_; }

  // RulesError for the first row that names an unknown collective or algorithm, or one without a
  // proof.
  void check() const;

  // Instead of an algorithm: calls follow the rows for blocking calls.
  static constexpr std::string_view as_blocking = "blocking";
  // The same: the one of the candidates that no network makes slow (deciding/network_rule).
  static constexpr std::string_view least_regret = "least_regret";

 private:
  struct Row {
    Section section;
    int since;  // a version
    int line;
    std::string_view collective = {};
    int least = 0, most = 0;   // ranks, or nodes
    bool only_powers = false;  // of two
    bool of_nodes = false;
    bool only_even = false;
    bool of_buffer = false;  // sizes are those of a rank's longer buffer
    std::string_view choices = {};
  };

  void add(Row row, std::string_view text);
  [[noreturn]] void fail(int line, const std::string& why) const;

  std::string file_;
  std::shared_ptr<const std::string> text_;  // the views below are parts of it
  std::vector<Row> rows_;
  std::vector<MpiLibrary> libraries_;
};

// Reads and checks a file. RulesError.
RuleTable read_rules_file(const std::string& path);

}  // namespace toccata
