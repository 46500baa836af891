#include "proofs/verify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "proofs/sizing.h"
#include "proofs/walk.h"
#include "writing/count.h"
#include "writing/reordered.h"

namespace toccata {

namespace {

// The combined contributions of some ranks to a datum.
//
// Which ranks: `count` is their number, and `keys` is the sum of their keys, 64 random bits each.
// Two sets with equal sums are the same set, with an error probability of 2^-64; a rank that is
// counted twice is detected. If the order of the ranks was kept, they are the consecutive ranks
// from `first` on, without any error probability.
//
// How: `expression` is a hash of the expression, including the order of the operands. Sums of
// floating-point numbers do not depend on that order, but maxima do if there are NaNs.
struct Partial {
  int first = 0;
  int count = 0;
  std::uint64_t keys = 0;
  std::uint64_t expression = 0;
};

std::uint64_t scramble(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}
std::uint64_t key(int rank) { return scramble(static_cast<std::uint64_t>(rank)); }
std::uint64_t combined(std::uint64_t from, std::uint64_t into) {
  return scramble(scramble(from) ^ into);
}

// The expression that `reproducible` algorithms evaluate for all of p ranks; see Algorithm.
std::uint64_t standard_expression(int p) {
  const int leaves = static_cast<int>(std::bit_floor(static_cast<unsigned>(p)));
  std::vector<std::uint64_t> level;
  for (int rank = 0; rank < p; ++rank)
    if (rank >= 2 * (p - leaves)) {
      level.push_back(key(rank));
    } else {
      level.push_back(combined(key(rank), key(rank + 1)));
      ++rank;
    }
  for (; level.size() > 1; level.resize(level.size() / 2))
    for (std::size_t i = 0; i < level.size() / 2; ++i)
      level[i] = combined(level[2 * i], level[2 * i + 1]);
  return level.front();
}

// ... and, in a scan, for the first `count` of them.
std::uint64_t standard_prefix(int count) {
  std::uint64_t result = 0;
  for (int end = count; end > 0; end &= end - 1) {
    const int size = end & -end;
    std::vector<std::uint64_t> block;
    for (int rank = end - size; rank < end; ++rank) block.push_back(key(rank));
    for (; block.size() > 1; block.resize(block.size() / 2))
      for (std::size_t i = 0; i < block.size() / 2; ++i)
        block[i] = combined(block[2 * i], block[2 * i + 1]);
    result = end == count ? block.front() : combined(block.front(), result);
  }
  return result;
}

// The content of a block: a datum or, if the collective reduces, a Partial. Partials are stored
// separately, because blocks are moved much more often than reduced; partial r is the contribution
// of rank r.
struct Operand {
  Datum datum = nothing;
  std::int32_t partial = 0;
};

Datum datum_of(Datum value) { return value; }
Datum datum_of(const Operand& value) { return value.datum; }

template <typename Value>
Value contribution(Datum datum, int rank);
template <>
Datum contribution(Datum datum, int) {
  return datum;
}
template <>
Operand contribution(Datum datum, int rank) {
  return {datum, rank};
}

// "rank 2", "ranks 2 to 4"
std::string ranks_of(const Partial& value) {
  const std::string first = std::to_string(value.first);
  return value.count == 1
             ? "rank " + first
             : "ranks " + first + " to " + std::to_string(value.first + value.count - 1);
}

// Consecutive cells.
struct Run {
  int first = 0;
  int count = 0;

  bool operator==(const Run&) const = default;
};

// Merges adjacent runs, so that equal cells always give equal runs.
void append(std::vector<Run>& runs, int first, int count) {
  if (!runs.empty() && runs.back().first + runs.back().count == first)
    runs.back().count += count;
  else if (count > 0)
    runs.push_back({first, count});
}

std::int64_t cells_of(std::span<const Run> runs) {
  std::int64_t all = 0;
  for (const Run& run : runs) all += run.count;
  return all;
}

// Calls visit(first, other's first, count) for consecutive cells at the same positions of both.
template <typename Visit>
void for_each_pair(std::span<const Run> one, std::span<const Run> other, Visit&& visit) {
  auto across = other.begin();
  int at = 0;
  for (const Run& run : one)
    for (int done = 0; done < run.count;) {
      const int count = std::min(run.count - done, across->count - at);
      visit(run.first + done, across->first + at, count);
      done += count;
      at += count;
      if (at == across->count) {
        ++across;
        at = 0;
      }
    }
}

bool names_send(std::span<const BlockRange> ranges) {
  return std::ranges::find(ranges, Buffer::send, &BlockRange::buffer) != ranges.end();
}

// Every block of a rank is a cell: first those of recv, then those of scratch and of send. In
// place, send blocks may be cells of recv. A Value is the content of a cell: Datum or Operand.
//
// One walk proves both cases, each with its own values. They differ only in the cells of send, so
// everything else is checked once.
template <typename Value>
class Proof : public WalkVisitor {
 public:
  // `cases`: for each case, whether it is in place.
  Proof(const Algorithm& algorithm, const Shape& shape, std::span<const Schedule> schedules,
        std::vector<bool> cases)
      : algorithm_(algorithm),
        collective_(algorithm.collective),
        shape_(shape),
        schedules_(schedules),
        cases_(std::move(cases)) {
    for (int rank = 0; rank < shape.p && collective_.reduces; ++rank)
      partials_.push_back({rank, 1, key(rank), key(rank)});
    for (int rank = 0; rank < shape.p; ++rank) {
      Memory& memory = ranks_.emplace_back(Sizing(collective_, shape, rank, schedules[rank]));
      int cells = 0;
      for (const Buffer buffer : {Buffer::recv, Buffer::scratch, Buffer::send}) {
        memory.first[static_cast<int>(buffer)] = cells;
        cells += memory.sizing.blocks(buffer);
      }
      touched_.resize(std::max<std::size_t>(touched_.size(), cells));
      for_each_case([&] { memory.holds[case_].assign(cells, Value{nothing}); });
      for (const Buffer buffer : {Buffer::send, Buffer::recv}) {
        const int blocks = memory.sizing.blocks(buffer);
        for (int block = 0; block < blocks; ++block) {
          const Datum datum = collective_.before(shape, rank, buffer, block);
          for_each_case([&] {
            const int place = cell(rank, buffer, block);
            if (datum != nothing) memory.holds[case_][place] = contribution<Value>(datum, rank);
            const bool is_input = buffer == Buffer::recv
                                      ? datum != nothing
                                      : !is_recv(rank, place) || collective_.recv_is_in_send;
            if (is_input) append(memory.input[case_], place, 1);
          });
        }
      }
    }
    case_ = 0;
    for (int rank = 0; rank < shape.p; ++rank) check_scratch(rank);
  }

  // The first error of a walk that has ended. `stuck` is the error that the walk itself returned.
  std::string error(const std::string& stuck) {
    if (errors_[0].empty()) errors_[0] = stuck;
    for_each_case([&] { check_promise(); });
    return errors_[0].empty() ? errors_[1] : errors_[0];
  }

  void opened(int rank, int round) override {
    const Schedule& schedule = schedules_[rank];
    const auto names_send = [&](const Message& each) {
      return toccata::names_send(schedule.ranges(each));
    };
    ranks_[rank].round = round;
    if (schedule.sends(round).empty() && schedule.recvs(round).empty()) return;
    for_each_case([&] {
      const bool differs = case_ == 0 || std::ranges::any_of(schedule.sends(round), names_send);
      if (!differs && !has_input_in_recv(rank)) return;
      moment_ += 2;
      for (const Message& each : schedule.sends(round)) {
        expand(rank, schedule.ranges(each), cells_);
        mark_read(cells_);
      }
      for (const Message& each : schedule.recvs(round)) {
        expand(rank, schedule.ranges(each), cells_);
        check_no_input(rank, cells_, "received");
        mark_written(rank, cells_, "is received while it is sent", "is received twice");
      }
    });
  }

  void moved(int sender, const Message& send, int receiver, const Message& receive) override {
    const auto sent = schedules_[sender].ranges(send);
    for_each_case([&] {
      if (case_ == 0) expand(receiver, schedules_[receiver].ranges(receive), cells_);
      if (case_ == 0 || names_send(sent)) expand(sender, sent, from_);
      move(sender, receiver);
    });
  }

  void stepped(int rank, int, const Step& step) override {
    const Schedule& schedule = schedules_[rank];
    const auto into = schedule.into(step);
    const char* how = step.reduces ? "reduced" : "copied";
    last_ = {};
    for_each_case([&] {
      const bool differs = case_ == 0 || names_send(schedule.from(step));
      if (differs) expand(rank, schedule.from(step), from_);
      if (case_ == 0) {
        expand(rank, into, cells_);
        if (failed()) return;
        if (const auto from = cells_of(from_), cells = cells_of(cells_); from != cells)
          return fail(
              rank, std::to_string(from) + " blocks are " + how + " into " + std::to_string(cells));
      }
      if (!step.reduces && from_ == cells_) return;  // changes nothing, for example in place
      check_no_input(rank, cells_, how);
      if (differs) {
        moment_ += 2;
        mark_read(from_);
        mark_written(
            rank, cells_, step.reduces ? "is reduced into itself" : "is copied over itself",
            step.reduces ? "is the target of two reductions" : "is the target of two copies");
      }
      if (step.reduces)
        reduce(rank);
      else
        move(rank, rank);
    });
  }

 private:
  struct Memory {
    explicit Memory(Sizing of_rank) : sizing(std::move(of_rank)) {}
    Sizing sizing;
    std::array<int, 3> first = {};            // the first cell of each buffer
    std::array<std::vector<Value>, 2> holds;  // by case and cell
    // By case: the cells that are never written, because their memory may be read only: those of
    // send, and a broadcast's message on the root. In place, send blocks are in the memory for the
    // result; only in a scatter, the root's result is in send.
    std::array<std::vector<Run>, 2> input;
    int round = 0;  // the one that is open
  };

  template <typename Visit>
  void for_each_case(Visit&& visit) {
    for (case_ = 0; case_ < static_cast<int>(cases_.size()); ++case_)
      if (errors_[0].empty() && !failed()) visit();
  }
  bool failed() const { return !errors_[case_].empty(); }
  bool in_place() const { return cases_[case_] && collective_.in_place != nullptr; }
  std::vector<Value>& holds(int rank) { return ranks_[rank].holds[case_]; }

  void fail(int rank, const std::string& what) {
    fail("rank " + std::to_string(rank) + ", round " + std::to_string(ranks_[rank].round) + ": " +
         what);
  }
  void fail(const std::string& what) {
    if (!failed()) errors_[case_] = (case_ > 0 ? "in place, " : "") + what;
  }

  int cell(int rank, Buffer buffer, int block) const {
    if (in_place() && buffer == Buffer::send)
      if (const int place = collective_.in_place(shape_, rank, block); place != nothing)
        return place;
    return ranks_[rank].first[static_cast<int>(buffer)] + block;
  }

  static std::string describe(Buffer buffer, std::int64_t block) {
    return std::string(name(buffer)) + " block " + std::to_string(block);
  }
  std::string describe(int rank, int cell) const {
    const auto first = [&](Buffer buffer) { return ranks_[rank].first[static_cast<int>(buffer)]; };
    for (const Buffer buffer : {Buffer::send, Buffer::scratch})
      if (cell >= first(buffer)) return describe(buffer, cell - first(buffer));
    return describe(Buffer::recv, cell);
  }

  // Lists the existing cells of the blocks in `ranges`, in order.
  void expand(int rank, std::span<const BlockRange> ranges, std::vector<Run>& cells) {
    cells.clear();
    for (const BlockRange& range : ranges) {
      const int limit = ranks_[rank].sizing.blocks(range.buffer);
      const std::int64_t reach = std::int64_t{range.repeat - 1} * range.stride;
      const std::int64_t lowest = range.first + std::min<std::int64_t>(reach, 0);
      const std::int64_t highest = range.first + std::max<std::int64_t>(reach, 0) + range.count - 1;
      if (lowest < 0 || highest >= limit)
        return fail(rank, "there is no " + describe(range.buffer, lowest < 0 ? lowest : highest) +
                              " (of " + std::to_string(limit) + ")");
      if (in_place() && range.buffer == Buffer::send)
        for_each_block(range,
                       [&](int block) { append(cells, cell(rank, range.buffer, block), 1); });
      else
        for (int run = 0, first = cell(rank, range.buffer, range.first); run < range.repeat;
             ++run, first += range.stride)
          append(cells, first, range.count);
    }
  }

  // A rank may not know the size of a block that only other ranks have.
  void check_scratch(int rank) {
    if (algorithm_.relays) return;
    for (const BlockRange& range : schedules_[rank].scratch()) {
      const std::int64_t has = collective_.blocks(shape_, rank, range.buffer);
      for_each_block(range, [&](int block) {
        if (block < 0 || block >= has)
          fail(rank, "scratch takes its size from " + describe(range.buffer, block) +
                         ", but there are only " + std::to_string(has) + " here");
      });
    }
  }

  bool is_recv(int rank, int cell) const {
    return cell < ranks_[rank].first[static_cast<int>(Buffer::scratch)];
  }
  bool has_input_in_recv(int rank) const {
    return std::ranges::any_of(ranks_[rank].input[case_],
                               [&](const Run& run) { return is_recv(rank, run.first); });
  }

  void check_no_input(int rank, std::span<const Run> into, const char* how) {
    for (const Run& written : into)
      for (const Run& input : ranks_[rank].input[case_])
        if (const int first = std::max(written.first, input.first);
            first < std::min(written.first + written.count, input.first + input.count))
          fail(rank, describe(rank, first) + " is " + how + " into, but " +
                         (is_recv(rank, first) ? "it holds input, which" : "send") +
                         " is read-only");
  }

  void mark_read(std::span<const Run> cells) {
    for (const Run& run : cells) std::fill_n(touched_.begin() + run.first, run.count, moment_);
  }
  void mark_written(int rank, std::span<const Run> cells, const char* if_read,
                    const char* if_written) {
    for (const Run& run : cells) {
      const std::span touched(touched_.data() + run.first, run.count);
      const auto before = std::ranges::max_element(touched);
      if (*before >= moment_)
        fail(rank, describe(rank, run.first + static_cast<int>(before - touched.begin())) + " " +
                       (*before == moment_ ? if_read : if_written));
      std::ranges::fill(touched, moment_ + 1);
    }
  }

  // Moves the contents of the cells from_ of one rank to the cells_ of another, or to its own.
  void move(int sender, int receiver) {
    if (failed()) return;
    const Value* source = holds(sender).data();
    Value* target = holds(receiver).data();
    for_each_pair(from_, cells_, [&](int from, int into, int count) {
      std::copy_n(source + from, count, target + into);
      for (int i = 0; i < count; ++i) {
        const Datum datum = datum_of(target[into + i]);
        if (datum == nothing)
          return fail(sender,
                      describe(sender, from + i) + " is sent or copied before it contains data");
        if (algorithm_.blocks_alike) continue;
        if (const Datum meant = meant_for(receiver, into + i); datum != meant)
          return fail(receiver, describe(receiver, into + i) + " is meant for input block " +
                                    std::to_string(meant) + ", but gets input block " +
                                    std::to_string(datum));
      }
    });
  }

  Datum meant_for(int rank, int cell) const {
    const Memory& memory = ranks_[rank];
    const int recv_blocks = memory.first[static_cast<int>(Buffer::scratch)];
    return cell < recv_blocks ? memory.sizing(Buffer::recv, cell)
                              : memory.sizing(Buffer::scratch, cell - recv_blocks);
  }

  // Reduces the cells from_ of a rank into its cells_.
  void reduce(int rank) {
    if constexpr (std::is_same_v<Value, Datum>) {
      fail(rank, std::string(collective_.name) + " does not reduce");
    } else {
      Operand* const held = holds(rank).data();
      for_each_pair(from_, cells_, [&](int from_cell, int into_cell, int count) {
        for (int i = 0; i < count && !failed(); ++i)
          reduce(rank, from_cell + i, held[from_cell + i], into_cell + i, held[into_cell + i]);
      });
    }
  }

  void reduce(int rank, int from_cell, const Operand& from, int into_cell, Operand& into) {
    if (from.datum == nothing || into.datum == nothing)
      return fail(rank, describe(rank, from.datum == nothing ? from_cell : into_cell) +
                            " is reduced before it contains data");
    if (from.datum != into.datum)
      return fail(rank, describe(rank, from_cell) + " holds input block " +
                            std::to_string(from.datum) + ", but is reduced into input block " +
                            std::to_string(into.datum));
    // Blocks on the same path have the same contents, so they share one partial.
    if (from.partial != last_.from || into.partial != last_.into) {
      last_ = {from.partial, into.partial};
      combine(rank, from_cell, partials_[from.partial], partials_[into.partial]);
    }
    into.partial = static_cast<std::int32_t>(partials_.size()) - 1;
  }

  // By value, because partials_ moves when it grows.
  void combine(int rank, int from_cell, const Partial from, const Partial into) {
    if (algorithm_.ordered && from.first + from.count != into.first)
      fail(rank, describe(rank, from_cell) + " holds the contributions of " + ranks_of(from) +
                     " and is reduced into those of " + ranks_of(into) + ", out of order");
    partials_.push_back({from.first, into.count + from.count, into.keys + from.keys,
                         combined(from.expression, into.expression)});
  }

  void check_promise() {
    for (int rank = 0; rank < shape_.p; ++rank) {
      const int blocks = ranks_[rank].sizing.blocks(Buffer::recv);
      for (int block = 0; block < blocks; ++block) {
        const Datum wanted = collective_.after(shape_, rank, Buffer::recv, block);
        const Datum found = datum_of(holds(rank)[block]);
        if (wanted != nothing && found != wanted)
          return fail(at_the_end(rank, block) + "holds " +
                      (found == nothing ? "nothing" : "input block " + std::to_string(found)) +
                      "; expected input block " + std::to_string(wanted));
      }
    }
    if constexpr (std::is_same_v<Value, Operand>) check_reduction();
  }

  // Checks that every block of recv contains the required contributions, each once, with the same
  // expression on every rank.
  void check_reduction() {
    std::vector<std::uint64_t> keys(shape_.p + 1);  // of the first ranks, by their number
    for (int rank = 0; rank < shape_.p; ++rank) keys[rank + 1] = keys[rank] + key(rank);
    std::vector<std::uint64_t> expressions(collective_.data(shape_));
    const bool prefixes = collective_.contributors != nullptr;
    if (algorithm_.reproducible && !prefixes)
      std::ranges::fill(expressions, standard_expression(shape_.p));
    for (int rank = 0; rank < shape_.p; ++rank) {
      const int blocks = ranks_[rank].sizing.blocks(Buffer::recv);
      const int count = prefixes ? collective_.contributors(shape_, rank) : shape_.p;
      if (prefixes)  // the result differs by rank
        std::ranges::fill(expressions, algorithm_.reproducible ? standard_prefix(count) : 0);
      for (int block = 0; block < blocks; ++block) {
        const Operand& held = holds(rank)[block];
        const Partial& found = partials_[held.partial];
        if (found.count != count || found.keys != keys[count])
          return fail(at_the_end(rank, block) + "holds " + std::to_string(found.count) +
                      " contributions; expected one from each of the " +
                      (prefixes ? "first " : "") + std::to_string(count) + " ranks");
        std::uint64_t& expression = expressions[held.datum];
        if (expression == 0) expression = found.expression;
        if (expression != found.expression)
          return fail(at_the_end(rank, block) + "is reduced in a different order than " +
                      (algorithm_.reproducible ? "the reproducible algorithm promises"
                                               : "on another rank"));
      }
    }
  }

  static std::string at_the_end(int rank, int block) {
    return "rank " + std::to_string(rank) + ": at the end " + describe(Buffer::recv, block) + " ";
  }

  const Algorithm& algorithm_;
  const Collective& collective_;
  const Shape& shape_;
  std::span<const Schedule> schedules_;
  std::vector<bool> cases_;
  int case_ = 0;  // the current one
  std::vector<Memory> ranks_;
  std::vector<Partial> partials_;
  struct {
    std::int32_t from = nothing, into = nothing;
  } last_;  // the operands of the last of partials_ in this step
  // When a message or copy last read (moment_) or wrote (moment_ + 1) a cell; moments never repeat,
  // so one row serves all ranks.
  std::vector<std::int64_t> touched_;
  std::int64_t moment_ = 2;
  // The current move; members to keep their memory.
  std::vector<Run> from_;
  std::vector<Run> cells_;
  std::array<std::string, 2> errors_;  // the first error of each case
};

// For each rank, the ranks of which it has information through messages. The messages of a round
// carry the information from the beginning of that round.
class Hearsay : public WalkVisitor {
 public:
  explicit Hearsay(int p) : p_(p), knows_(p, Ranks((p + 63) / 64)) {
    for (int rank = 0; rank < p; ++rank) knows_[rank][rank / 64] |= std::uint64_t{1} << rank % 64;
    hears_ = knows_;
  }

  void moved(int sender, const Message&, int receiver, const Message&) override {
    const Ranks& news = knows_[sender];
    Ranks& all = hears_[receiver];
    for (std::size_t i = 0; i < news.size(); ++i) all[i] |= news[i];
  }
  void closed(int rank, int) override { knows_[rank] = hears_[rank]; }
  void stepped(int, int, const Step&) override {}

  std::string who_has_not_heard() const {
    for (int rank = 0; rank < p_; ++rank)
      for (int other = 0; other < p_; ++other)
        if ((knows_[rank][other / 64] >> other % 64 & 1) == 0)
          return "rank " + std::to_string(rank) + ": ends without information from rank " +
                 std::to_string(other);
    return "";
  }

 private:
  using Ranks = std::vector<std::uint64_t>;  // one bit per rank

  int p_;
  std::vector<Ranks> knows_, hears_;  // by rank; hears_ to the round's end
};

// The error if a message that is sent in round i is received in another round.
std::string unaligned(std::span<const Schedule> schedules) {
  std::vector<std::uint64_t> in_flight;  // by round: the sum of a key for each message
  const auto message = [&](std::size_t sender, std::size_t receiver) {
    return scramble(sender << 32 | receiver);
  };
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    const Schedule& own = schedules[rank];
    in_flight.resize(std::max<std::size_t>(in_flight.size(), own.rounds()));
    for (int round = 0; round < own.rounds(); ++round) {
      for (const Message& each : own.sends(round)) in_flight[round] += message(rank, each.peer);
      for (const Message& each : own.recvs(round)) in_flight[round] -= message(each.peer, rank);
    }
  }
  for (std::size_t round = 0; round < in_flight.size(); ++round)
    if (in_flight[round] != 0)
      return "round " + std::to_string(round) +
             ": a message is sent and received in different rounds";
  return "";
}

std::string differ(const char* what, std::int64_t claimed, std::int64_t found) {
  return claimed == found ? ""
                          : std::string(what) + ": claimed " + std::to_string(claimed) +
                                ", the schedules have " + std::to_string(found);
}

// The algorithm with the properties that hold with reordered ranks. Operands are in order only if
// the reordering keeps the order. Blocks pass through other ranks if ranks exchange them.
Algorithm as_played(Algorithm algorithm, const Shape& shape) {
  if (shape.reordering == nullptr) return algorithm;
  algorithm.relays = algorithm.relays || shape.reordering->order == Order::exchange;
  if (!keeps_order_of_ranks(algorithm, shape.reordering->order))
    algorithm.ordered = algorithm.reproducible = false;
  return algorithm;
}

template <typename Value>
std::string prove(const Algorithm& algorithm, const Shape& shape,
                  std::span<const Schedule> schedules, std::vector<bool> cases) {
  Proof<Value> proof(algorithm, shape, schedules, std::move(cases));
  return proof.error(walk(schedules, proof));
}

// With separate buffers, or in place, or both.
std::string prove(const Algorithm& algorithm, const Shape& shape,
                  std::span<const Schedule> schedules, std::vector<bool> cases) {
  return algorithm.collective.reduces
             ? prove<Operand>(algorithm, shape, schedules, std::move(cases))
             : prove<Datum>(algorithm, shape, schedules, std::move(cases));
}

// If the collective synchronizes: the error for a rank that ends without information from another
// rank.
std::string unheard(const Collective& collective, const Shape& shape,
                    std::span<const Schedule> schedules) {
  if (!collective.synchronizes) return "";
  Hearsay hearsay(shape.p);
  walk(schedules, hearsay);
  return hearsay.who_has_not_heard();
}

}  // namespace

std::string verify(const Algorithm& any, const Shape& shape, std::span<const Schedule> schedules) {
  const Algorithm algorithm = as_played(any, shape);
  std::vector<bool> cases{false};
  if (algorithm.collective.in_place != nullptr) cases.push_back(true);  // otherwise send is a copy
  std::string error = prove(algorithm, shape, schedules, std::move(cases));
  return error.empty() ? unheard(algorithm.collective, shape, schedules) : error;
}

std::string verify(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, bool in_place) {
  const Algorithm any{.name = "any",
                      .collective = collective,
                      .summary = "",
                      .citation = "",
                      .relays = true,
                      .write = nullptr};
  const Algorithm algorithm = as_played(any, shape);
  std::string error = prove(algorithm, shape, schedules, {in_place});
  return error.empty() ? unheard(collective, shape, schedules) : error;
}

std::string verify(const Algorithm& algorithm, const Shape& shape) {
  std::vector<Schedule> schedules;
  Counter counter;
  for (int rank = 0; rank < shape.p; ++rank) {
    schedules.push_back(algorithm.schedule(shape, rank));
    counter.add(schedules.back());
  }
  std::string error = verify(algorithm, shape, schedules);
  if (shape.reordering != nullptr) return error;  // additional rounds are not aligned
  if (error.empty()) error = unaligned(schedules);
  if (!error.empty()) return error;
  const std::optional<Cost> claim = algorithm.claimed(shape);
  if (!claim) return "";

  const Cost claimed = *claim, found = counter.cost();
  for (const std::string& wrong :
       {differ("rounds", claimed.rounds, found.rounds),
        differ("messages per rank", claimed.messages, found.messages),
        differ("blocks sent by a rank", claimed.sent, found.sent),
        differ("blocks copied by a rank", claimed.copied, found.copied),
        differ("blocks reduced by a rank", claimed.reduced, found.reduced)})
    if (!wrong.empty()) return wrong;
  return "";
}

std::int64_t proof_effort(const Algorithm& algorithm, const Shape& shape) {
  constexpr std::int64_t more_than_anybody_affords = 100'000'000;
  std::int64_t effort = 0;
  Counter counter;
  // With few ranks, a proof is cheap, and many are made.
  const std::vector<int> ranks =
      shape.p <= 128 ? std::vector{shape.root, shape.p / 3, shape.p - 1} : telling_ranks(shape);
  for (const int rank : ranks) {
    counter.add(algorithm.schedule(shape, rank));
    const Cost& cost = counter.cost();
    effort = shape.p * (10 * cost.messages + cost.sent + cost.copied + cost.reduced);
    if (effort > more_than_anybody_affords) break;
  }
  return effort + std::int64_t{algorithm.collective.data(shape)};
}

}  // namespace toccata
