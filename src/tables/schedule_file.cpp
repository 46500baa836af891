#include "tables/schedule_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "schedule/combinators.h"
#include "tables/check.h"
#include "text/printable.h"
#include "writing/outside.h"

namespace toccata::schedule_file {

namespace {

constexpr std::size_t most_about = 64 << 10;  // bytes of the description of the algorithm
constexpr int most_ranks = 1 << 20;
constexpr int most_blocks = 1 << 28;  // of a buffer
constexpr int most_channels = 64;
constexpr std::array buffers{Buffer::send, Buffer::recv, Buffer::scratch};
constexpr std::array travels{Travel::whole, Travel::packed, Travel::datatype, Travel::per_block,
                             Travel::published};

// The form allows no deeper nesting than these functions handle.
class Reader {
 public:
  Reader(std::string_view text, std::size_t line)
      : at_(text.data()), end_(at_ + text.size()), line_(line) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("line " + std::to_string(line_) + ": " + printable(what));
  }
  bool accept(char c) {
    skip();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'" + found());
  }
  void expect(std::string_view literal) {
    skip();
    if (!std::string_view(at_, end_).starts_with(literal))
      fail("expected " + std::string(literal) + found());
    at_ += literal.size();
  }
  bool is_next(char c) {
    skip();
    return at_ != end_ && *at_ == c;
  }
  int number(int least, int most) {
    skip();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} && error != std::errc::result_out_of_range)
      fail("expected an integer" + found());
    if (error != std::errc{} || value < least || value > most)
      fail(std::string(at_, end) + " is out of range; expected " + std::to_string(least) + " to " +
           std::to_string(most));
    at_ = end;
    return static_cast<int>(value);
  }
  std::string_view word() {
    expect('"');
    const char* const first = at_;
    while (at_ != end_ && *at_ != '"' && at_ - first < 32) ++at_;
    if (at_ == end_ || *at_ != '"') fail("a word does not end");
    return {first, static_cast<std::size_t>(at_++ - first)};
  }
  void expect_end() {
    skip();
    if (at_ != end_) fail("unexpected text at the end of the line" + found());
  }

 private:
  void skip() {
    while (at_ != end_ && *at_ == ' ') ++at_;
  }
  std::string found() const {
    std::string text(at_, std::min<std::size_t>(end_ - at_, 16));
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    return text.empty() ? ", found the end of the line" : ", found '" + text + "'";
  }

  const char *at_, *end_;
  std::size_t line_;
};

// The peers and blocks that a rank may name.
struct Limits {
  int p, rank, channels;
  std::array<std::int64_t, 3> blocks;  // by buffer; for scratch, after its declaration
  std::array<std::int64_t, 3> like;    // the same, for blocks that give scratch its sizes
};

Buffer buffer_of(Reader& reader, std::string_view word) {
  for (const Buffer each : buffers)
    if (word == name(each)) return each;
  reader.fail("there is no buffer '" + std::string(word) +
              "'; expected one of send, recv, scratch");
}

// Reads a range after its '['.
BlockRange read_range(Reader& reader, const std::array<std::int64_t, 3>& blocks,
                      bool like = false) {
  BlockRange range;
  range.buffer = buffer_of(reader, reader.word());
  reader.expect(',');
  range.first = reader.number(0, most_blocks);
  if (reader.accept(',')) range.count = reader.number(0, most_blocks);
  range.stride = 0;
  if (reader.accept(',')) {
    range.stride = reader.number(-most_blocks, most_blocks);
    reader.expect(',');
    range.repeat = reader.number(0, most_blocks);
  }
  reader.expect(']');
  const std::int64_t limit = blocks[static_cast<int>(range.buffer)];
  if (!(like ? names_within(range, limit) : lies_within(range, limit)))
    reader.fail(name(range.buffer) + std::string(" has ") + std::to_string(limit) +
                " blocks, not " + std::to_string(range.blocks()) + " from number " +
                std::to_string(range.first) + " on");
  return range;
}

// Reads a list of ranges after its '[', up to its ']'.
void read_ranges(Reader& reader, const std::array<std::int64_t, 3>& blocks, BlockRanges& ranges,
                 bool like = false) {
  ranges.clear();
  if (reader.accept(']')) return;
  do {
    reader.expect('[');
    ranges.push_back(read_range(reader, blocks, like));
  } while (reader.accept(','));
  reader.expect(']');
}

// A range, or a list of ranges.
void read_side(Reader& reader, const std::array<std::int64_t, 3>& blocks, BlockRanges& ranges) {
  reader.expect('[');
  ranges.clear();
  if (reader.is_next('"'))
    ranges.push_back(read_range(reader, blocks));
  else
    read_ranges(reader, blocks, ranges);
}

class RankReader {
 public:
  RankReader(std::string_view line, std::size_t number, const Limits& limits)
      : reader_(line, number), limits_(limits) {}

  Schedule read() {
    builder_.channel(limits_.channels - 1);
    builder_.channel(0);
    reader_.expect('[');
    reader_.expect('[');
    read_ranges(reader_, limits_.like, from_, true);
    std::int64_t scratch = 0;
    for (const BlockRange& each : from_) scratch += each.blocks();
    const auto [sends, recvs, none] = limits_.like;
    if (scratch > (limits_.p + 64) * (sends + recvs)) reader_.fail("scratch is too large");
    builder_.scratch(from_);
    limits_.blocks[static_cast<int>(Buffer::scratch)] = scratch;
    int rounds = 0;
    while (reader_.accept(',')) {
      if (++rounds > most_rounds)
        reader_.fail("there are more than " + std::to_string(most_rounds) + " rounds");
      read_round();
    }
    reader_.expect(']');
    reader_.expect_end();
    return std::move(builder_).build();
  }

 private:
  void read_round() {
    builder_.round();
    reader_.expect('[');
    if (reader_.accept(']')) return;
    do {
      reader_.expect('[');
      read_entry();
      reader_.expect(']');
    } while (reader_.accept(','));
    reader_.expect(']');
  }

  void read_entry() {
    const std::string_view what = reader_.word();
    if (what == "send" || what == "recv") {
      read_message(what == "send");
    } else if (what == "copy" || what == "reduce") {
      reader_.expect(',');
      read_side(reader_, limits_.blocks, from_);
      reader_.expect(',');
      read_side(reader_, limits_.blocks, into_);
      if (blocks(from_) != blocks(into_))
        reader_.fail(std::to_string(blocks(from_)) + " blocks are copied into " +
                     std::to_string(blocks(into_)));
      if (what == "copy")
        builder_.copy(from_, into_);
      else
        builder_.reduce(from_, into_);
    } else {
      reader_.fail("unknown entry '" + std::string(what) +
                   "'; expected send, recv, copy or reduce");
    }
  }

  void read_message(bool sends) {
    reader_.expect(',');
    const int peer = reader_.number(0, limits_.p - 1);
    if (peer == limits_.rank) reader_.fail("a rank cannot be its own peer");
    int channel = 0;
    Travel travel = Travel::whole;
    from_.clear();
    while (reader_.accept(',')) {
      if (reader_.accept('[')) {
        from_.push_back(read_range(reader_, limits_.blocks));
        continue;
      }
      const std::string_view option = reader_.word();
      reader_.expect(',');
      if (option == "channel")
        channel = reader_.number(0, limits_.channels - 1);
      else if (option == "travel")
        travel = travel_of(reader_.word());
      else
        reader_.fail("unknown option of a message '" + std::string(option) + "'");
    }
    builder_.channel(channel);
    if (sends)
      builder_.send(peer, from_, travel);
    else
      builder_.recv(peer, from_, travel);
  }

  Travel travel_of(std::string_view word) {
    for (const Travel each : travels)
      if (word == name(each)) return each;
    reader_.fail("'" + std::string(word) + "' is not a value of travel");
  }

  Reader reader_;
  Limits limits_;
  ScheduleBuilder builder_;
  BlockRanges from_, into_;
};

// All lines of a text, one after the other.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  std::string_view next() {
    if (at_ >= text_.size())
      throw Error("the file ends early, after line " + std::to_string(number_));
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    begin_ = at_;
    at_ = end + 1;
    ++number_;
    return line;
  }
  std::size_t number() const { return number_; }
  std::size_t begin() const { return begin_; }  // of the last one

 private:
  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0, number_ = 0;
};

// The schedules of a file. Each process checks a table when its number of ranks is first requested.
// All processes have the same text, and so get the same result.
class File final : public Outside {
 public:
  File(std::string text, std::string_view name) : text_(std::move(text)), name_(name) {
    digest_of(text_, name);
    try {
      read_outline();
    } catch (const Error& error) {
      throw Error(std::string(name) + ": " + error.what());
    }
  }

  std::string_view contents() const { return text_; }

  // Its descriptor, without the members that add_outside sets.
  const Algorithm& algorithm() const { return *algorithm_; }

  std::vector<schedule_file::Table> tables() const {
    std::vector<schedule_file::Table> result;
    for (const Table& each : tables_) result.push_back({each.ranks, each.root, each.parts});
    return result;
  }

  std::string why_impossible(const Shape& shape) const override {
    const Table* const table = find(shape);
    if (table == nullptr) {
      const bool no_root = std::ranges::find(tables_, shape.p, &Table::ranks) != tables_.end();
      return no_root ? "has no schedules for root " + std::to_string(shape.root)
                     : "has schedules only for " + numbers_of_ranks() + " ranks";
    }
    const std::string wrong = verdict(*table);
    return wrong.empty() ? "" : "must not run, because " + wrong;
  }
  int parts(const Shape& shape) const override {
    const Table* const table = find(shape);
    return table == nullptr ? 1 : table->parts;
  }
  std::optional<Cost> claim(const Shape&) const override { return {}; }

  Schedule schedule(const Shape& shape, int rank) const override {
    const Table& table = *find(shape);
    const int turn = shape.root - table.root;  // rank i's role is played by i + turn
    if (turn == 0) return read(table, rank);
    std::vector<int> players(shape.p);
    for (int i = 0; i < shape.p; ++i) players[i] = (i + turn + shape.p) % shape.p;
    const Schedule played = read(table, (rank - turn + shape.p) % shape.p);
    const Shape two{.p = 2};
    const auto block_a_rank = [&](Buffer buffer) {
      return collective_->blocks(two, 0, buffer) == 2;
    };
    if (block_a_rank(Buffer::send)) return relabel(players, played, {Buffer::send}, table.parts);
    if (block_a_rank(Buffer::recv)) return relabel(players, played, {Buffer::recv}, table.parts);
    return relabel(players, played, {});
  }

 private:
  struct Table {
    int ranks = 0, root = 0, parts = 1, channels = 1;
    std::size_t first_line = 0;        // its number
    std::vector<std::uint32_t> begin;  // of each rank's line, and the end
  };

  void read_outline() {
    Lines lines(text_);
    lines.next();
    read_about(lines.next());
    if (lines.next() != "\"tables\": [")
      throw Error("line " + std::to_string(lines.number()) + ": expected \"tables\": [");
    for (bool more = true; more;) {
      Table& table = tables_.emplace_back();
      read_heading(lines.next(), lines.number(), table);
      table.first_line = lines.number() + 1;
      for (int rank = 0; rank < table.ranks; ++rank) {
        const std::string_view line = lines.next();
        table.begin.push_back(static_cast<std::uint32_t>(lines.begin()));
        const bool last = rank == table.ranks - 1;
        if (line.ends_with(',') == last)
          throw Error(
              "line " + std::to_string(lines.number()) +
              (last ? ": unexpected ',' after the last rank" : ": expected ',' after a rank"));
      }
      const std::string_view end = lines.next();
      table.begin.push_back(static_cast<std::uint32_t>(lines.begin()));
      more = end == "]},";
      if (!more && end != "]}")
        throw Error("line " + std::to_string(lines.number()) + ": expected the end of a table");
      for (const Table& each : tables_)
        if (&each != &table && each.ranks == table.ranks && each.root == table.root)
          throw Error("there are two tables for " + std::to_string(table.ranks) + " ranks");
      if (tables_.size() > most_tables) throw Error("there are too many tables");
    }
    if (lines.next() != "]}") throw Error("unexpected text after the tables");
  }

  void read_about(std::string_view line) {
    const auto complain = [](const std::string& what) { throw Error("line 2: " + what); };
    constexpr std::string_view label = "\"algorithm\": ";
    if (!line.starts_with(label) || !line.ends_with(',') || line.size() > most_about)
      complain("expected \"algorithm\": {...},");
    line.remove_prefix(label.size());
    line.remove_suffix(1);
    const auto about = nlohmann::json::parse(line, nullptr, false);
    if (!about.is_object()) complain("the description of the algorithm is not a JSON object");
    const auto text = [&](const char* field) -> std::string {
      const auto found = about.find(field);
      if (found == about.end() || !found->is_string())
        complain(std::string(field) + " is missing or is not a string");
      return found->get<std::string>();
    };
    const std::string collective = text("collective");
    collective_ = find_collective(collective);
    if (collective_ == nullptr || &collective_->regular() != collective_ ||
        collective_->among_neighbors)
      complain("files cannot have schedules of the collective '" + printable(collective) + "'");
    // These are shown unchanged, including letters of all languages.
    const auto line_of = [](std::string shown) {
      std::ranges::replace_if(
          shown, [](unsigned char c) { return c < 32 || c == 127; }, '?');
      return shown;
    };
    const auto flag = [&](const char* field) {
      const auto found = about.find(field);
      if (found == about.end() || !found->is_boolean())
        complain(std::string(field) + " is missing or is neither true nor false");
      return found->get<bool>();
    };
    algorithm_.emplace(Algorithm{.name = interned(name_),
                                 .collective = *collective_,
                                 .summary = interned(line_of(text("summary"))),
                                 .citation = interned(line_of(text("citation"))),
                                 .blocks_alike = flag("blocks_alike"),
                                 // With blocks of different sizes, the file would have to be
                                 // trusted more.
                                 .relays = flag("relays") || flag("blocks_alike"),
                                 .ordered = flag("ordered"),
                                 .reproducible = flag("reproducible"),
                                 .write = nullptr});
    // Other collectives have calls with blocks, or parts, of different sizes under the same name.
    if (algorithm_->blocks_alike && collective_ != &alltoall)
      complain(
          "blocks_alike is true; only an algorithm of alltoall may require blocks of the same "
          "size");
  }

  void read_heading(std::string_view line, std::size_t number, Table& table) {
    Reader reader(line, number);
    reader.expect("{\"ranks\":");
    table.ranks = reader.number(1, most_ranks);
    reader.expect(", \"root\":");
    table.root = reader.number(0, collective_->rooted ? table.ranks - 1 : 0);
    reader.expect(", \"parts\":");
    table.parts = reader.number(1, most_blocks / table.ranks);
    reader.expect(", \"channels\":");
    table.channels = reader.number(1, most_channels);
    reader.expect(", \"schedules\": [");
    reader.expect_end();
    constexpr std::int64_t most_data = std::int64_t{1} << 30;
    if (collective_ == &alltoall &&
        std::int64_t{table.ranks} * table.ranks * table.parts > most_data)
      reader.fail("there are too many ranks or parts");
  }

  // The table for the root; or that for root 0, with rotated ranks if no order must be kept.
  const Table* find(const Shape& shape) const {
    const Table* any = nullptr;
    for (const Table& each : tables_)
      if (each.ranks == shape.p) {
        if (!collective_->rooted || each.root == shape.root) return &each;
        if (each.root == 0 && !algorithm_->ordered) any = &each;
      }
    return any;
  }

  std::string numbers_of_ranks() const {
    std::vector<int> numbers;
    for (const Table& each : tables_)
      if (numbers.empty() || numbers.back() != each.ranks) numbers.push_back(each.ranks);
    constexpr std::size_t few = 6;
    if (numbers.size() > few)
      return std::to_string(numbers.size()) + " numbers of " +
             std::to_string(std::ranges::min(numbers)) + " to " +
             std::to_string(std::ranges::max(numbers));
    std::string result;
    for (const int each : numbers) result += (result.empty() ? "" : ", ") + std::to_string(each);
    return result;
  }

  Schedule read(const Table& table, int rank) const {
    const Shape shape{.p = table.ranks, .root = table.root, .parts = table.parts};
    const auto blocks = [&](int of) -> std::array<std::int64_t, 3> {
      return {collective_->blocks(shape, of, Buffer::send),
              collective_->blocks(shape, of, Buffer::recv), 0};
    };
    std::string_view line(text_.data() + table.begin[rank],
                          table.begin[rank + 1] - table.begin[rank] - 1);
    if (line.ends_with(',')) line.remove_suffix(1);
    Limits limits{table.ranks, rank, table.channels, blocks(rank), blocks(rank)};
    if (algorithm_->relays)
      for (const Buffer each : {Buffer::send, Buffer::recv})
        limits.like[static_cast<int>(each)] = std::max(limits.blocks[static_cast<int>(each)],
                                                       blocks(table.root)[static_cast<int>(each)]);
    return RankReader(line, table.first_line + rank, limits).read();
  }

  // The reason why a table must not run; empty if it may.
  std::string verdict(const Table& table) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = verdicts_.find(&table); found != verdicts_.end()) return found->second;
    return verdicts_[&table] = look_at(table);
  }
  std::string look_at(const Table& table) const try {
    std::vector<Schedule> schedules;
    for (int rank = 0; rank < table.ranks; ++rank) schedules.push_back(read(table, rank));
    const Shape shape{.p = table.ranks, .root = table.root, .parts = table.parts};
    return unsafe(*algorithm_, shape, schedules);
  } catch (const Error& error) {
    return error.what();
  }

  static constexpr std::size_t most_tables = 100'000;

  const std::string text_, name_;
  std::optional<Algorithm> algorithm_;
  const Collective* collective_ = nullptr;
  std::vector<Table> tables_;
  mutable std::mutex mutex_;
  mutable std::map<const Table*, std::string> verdicts_;
};

}  // namespace

std::string read(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw Error(path + ": cannot be read; check the path and its permissions");
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || bytes > most_bytes)
    throw Error(path + ": has " + std::to_string(bytes) + " bytes; at most " +
                std::to_string(most_bytes) + " are read");
  std::string text(bytes, ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  if (!file) throw Error(path + ": cannot be read; check the path and its permissions");
  return text;
}

const Algorithm& add(std::string text, std::string_view name) {
  if (const Algorithm* const known = find_outside(name); known != nullptr && known->name == name)
    if (const auto* const file = dynamic_cast<const File*>(known->outside);
        file != nullptr && file->contents() == text)
      return *known;
  auto file = std::make_unique<File>(std::move(text), name);
  const Algorithm algorithm = file->algorithm();
  return add_outside(algorithm, std::move(file));
}

std::vector<Table> tables(const Algorithm& added) {
  const auto* const file = dynamic_cast<const File*>(added.outside);
  return file == nullptr ? std::vector<Table>{} : file->tables();
}

}  // namespace toccata::schedule_file
