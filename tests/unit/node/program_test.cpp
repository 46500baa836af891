// Publishes the messages of every algorithm of the registry on a board between threads. This is the
// code that ranks of a node run, with real bytes.

#include "node/program.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "node/short_program.h"
#include "parts.h"
#include "proofs/sizing.h"
#include "proofs/walk.h"
#include "support.h"
#include "writing/registry.h"

namespace toccata {
namespace {

using node::Board;
using node::DirectReading;
using node::Part;
using node::PartState;
using node::PeerMemory;
using node::Program;
using node::ShortProgram;

// The memory of a node with one rank per thread.
class Node {
 public:
  explicit Node(int ranks) : Node(std::vector(ranks, Part::usual)) {}
  // With the bytes of a slot of each rank.
  explicit Node(const std::vector<std::uint32_t>& slot_bytes) : parts_(slot_bytes) {
    for (Part* const part : parts()) states.emplace_back(part);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // The ranks that publish long messages directly.
  enum class Directly { none, all, even_ranks };
  void read_by(PeerMemory& memory, Directly which) {
    which_ = which;
    memory_ = &memory;
  }
  void share_cores(bool do_they) { share_cores_ = do_they; }
  DirectReading reading(int rank) const {
    if (which_ == Directly::none) return {};
    const bool publishes = which_ == Directly::all || rank % 2 == 0;
    return {.peers = std::vector<int>(parts().size()),
            .memory = memory_,
            .least = publishes ? 0 : std::numeric_limits<std::int64_t>::max(),
            .least_reduced = share_cores_ ? 12 << 10 : 0,
            .most_in_slot = share_cores_ ? Part::large : 0,
            .always = true};
  }

  const std::vector<Part*>& parts() const { return parts_.all; }

  std::vector<PartState> states;

 private:
  test::Parts parts_;
  Directly which_ = Directly::none;
  bool share_cores_ = false;
  PeerMemory* memory_ = nullptr;
};

unsigned char pattern(Datum datum, int contributor, std::int64_t index, int call) {
  return static_cast<unsigned char>(datum * 37 + contributor * 101 + index * 11 + call * 53 +
                                    (index >> 8));
}

void add(void*, const char* from, char* into, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) into[i] = static_cast<char>(into[i] + from[i]);
}

void combine(const char* from, const char* other, char* into, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) into[i] = static_cast<char>(from[i] + other[i]);
}

// The buffers of one rank. If `uneven`, every second block is one byte shorter, like the parts of a
// divided message.
class Buffers {
 public:
  Buffers(const Collective& collective, const Shape& shape, int rank, const Schedule& schedule,
          std::int64_t block, bool uneven)
      : collective_(collective), shape_(shape), rank_(rank) {
    const Sizing sizing(collective, shape, rank, schedule);
    for (const Buffer buffer : {Buffer::send, Buffer::recv, Buffer::scratch}) {
      auto& begins = begins_[static_cast<int>(buffer)];
      begins.push_back(0);
      for (int each = 0; each < sizing.blocks(buffer); ++each)
        begins.push_back(begins.back() + block - (uneven ? sizing(buffer, each) % 2 : 0));
      at(buffer).resize(begins.back());
    }
  }

  void fill(int call) {
    for (const Buffer buffer : {Buffer::send, Buffer::recv})
      for_each_datum(collective_.before, buffer, [&](Datum datum, char* block, std::int64_t bytes) {
        for (std::int64_t i = 0; i < bytes; ++i)
          block[i] = static_cast<char>(pattern(datum, collective_.reduces ? rank_ : 0, i, call));
      });
  }

  // The number of wrong bytes.
  int wrong(int call) {
    int result = 0;
    const int contributors = !collective_.reduces ? 1
                             : collective_.contributors != nullptr
                                 ? collective_.contributors(shape_, rank_)
                                 : shape_.p;
    for_each_datum(
        collective_.after, Buffer::recv, [&](Datum datum, const char* block, std::int64_t bytes) {
          for (std::int64_t i = 0; i < bytes; ++i) {
            unsigned char expected = 0;
            for (int rank = 0; rank < contributors; ++rank)
              expected = static_cast<unsigned char>(expected + pattern(datum, rank, i, call));
            result += static_cast<unsigned char>(block[i]) != expected ? 1 : 0;
          }
        });
    return result;
  }

  // Overwrites the results, so that a later call cannot reuse them.
  void spoil() {
    for (auto& each : memory_) std::ranges::fill(each, 'x');
  }

  node::Memory memory() {
    node::Memory result;
    for (const Buffer buffer : {Buffer::send, Buffer::recv, Buffer::scratch})
      result.sides[static_cast<int>(buffer)] = {at(buffer).data(), 0,
                                                begins_[static_cast<int>(buffer)]};
    return result;
  }

 private:
  std::vector<char>& at(Buffer buffer) { return memory_[static_cast<int>(buffer)]; }

  template <typename Holds, typename Visit>
  void for_each_datum(Holds holds, Buffer buffer, Visit&& visit) {
    for (int block = 0; block < collective_.blocks(shape_, rank_, buffer); ++block)
      if (const Datum datum = holds(shape_, rank_, buffer, block); datum != nothing) {
        const auto& begins = begins_[static_cast<int>(buffer)];
        visit(datum, at(buffer).data() + begins[block], begins[block + 1] - begins[block]);
      }
  }

  const Collective& collective_;
  const Shape& shape_;
  int rank_;
  std::vector<char> memory_[3];
  std::vector<std::int64_t> begins_[3];  // the offset of each block
};

// With the middle rank as the root.
Shape shape_of(const Algorithm& algorithm, int p) {
  return algorithm.complete({.p = p, .root = algorithm.collective.rooted ? p / 2 : 0});
}

// Empty if the algorithm cannot run, or its schedule cannot be published or does not consist of
// stretches.
std::optional<std::vector<Schedule>> published(const Algorithm& algorithm, const Shape& shape) {
  if (!algorithm.why_impossible(shape).empty()) return {};
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < shape.p; ++rank) {
    schedules.push_back(algorithm.schedule(shape, rank));
    schedules.back().set_travel(Travel::published);
    if (!Program::compile(schedules.back())) return {};
  }
  struct : WalkVisitor {
    void moved(int, const Message&, int, const Message&) override {}
    void stepped(int, int, const Step&) override {}
  } nothing;
  if (!walk(schedules, nothing).empty()) return {};
  return schedules;
}

// One rank, which makes several calls, so that it reuses slots.
class Rank {
 public:
  Rank(const Algorithm& algorithm, const Shape& shape, int rank, const Schedule& schedule,
       Node& node, std::uint64_t first_call, int calls, std::int64_t block, bool uneven)
      : program_(*Program::compile(schedule)),
        board_(node.states[rank], node.parts(), rank, first_call, node.reading(rank)),
        buffers_(algorithm.collective, shape, rank, schedule, block, uneven),
        sum_(algorithm.collective.reduces
                 ? node::Operator{add, nullptr, 1, rank % 2 == 0 ? combine : nullptr}
                 : node::Operator{}),
        calls_(calls) {
    begin();
  }

  // Runs until the rank must wait; true after the last call.
  bool go_on() {
    for (; call_ < calls_; begin()) {
      if (!run_.go_on()) return false;
      wrong_ += buffers_.wrong(call_++);
    }
    return true;
  }
  // Runs to the end, and waits. If messages are short, every second call runs as a ShortProgram, so
  // that both kinds meet.
  void run_to_end() {
    const node::Memory memory = buffers_.memory();
    const auto again = [] { std::this_thread::yield(); };
    auto bound = ShortProgram::bind(program_, board_, 0, memory, sum_);
    while (call_ < calls_) {
      if (bound && (board_.own() + call_) % 2 == 0) {
        bound->run(board_, number_, memory.sides[0].base, memory.sides[1].base, sum_, again);
        ++shortened;
      } else {
        while (!run_.go_on()) again();
      }
      wrong_ += buffers_.wrong(call_++);
      begin();
    }
  }
  int wrong() const { return wrong_; }  // bytes

  static inline std::atomic<int> shortened;  // number of short calls

 private:
  void begin() {
    if (call_ == calls_) return;
    buffers_.spoil();
    buffers_.fill(call_);
    number_ = board_.begin_call();
    run_.start(program_, board_, number_, 0, buffers_.memory(), sum_);
  }

  Program program_;
  Board board_;
  Buffers buffers_;
  node::Operator sum_;
  Program::Run run_;
  int calls_;
  int call_ = 0;
  std::uint64_t number_ = 0;  // the number of the call on the board
  int wrong_ = 0;
};

std::vector<std::unique_ptr<Rank>> ranks(const Algorithm& algorithm, const Shape& shape,
                                         const std::vector<Schedule>& schedules, Node& node,
                                         int calls, std::int64_t block, bool uneven) {
  std::uint64_t first_call = 0;
  for (const PartState& each : node.states) first_call = std::max(first_call, each.last_call + 1);
  std::vector<std::unique_ptr<Rank>> result;
  for (int rank = 0; rank < shape.p; ++rank)
    result.push_back(std::make_unique<Rank>(algorithm, shape, rank, schedules[rank], node,
                                            first_call, calls, block, uneven));
  return result;
}

int wrong(const std::vector<std::unique_ptr<Rank>>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), 0,
                         [](int sum, const auto& each) { return sum + each->wrong(); });
}

// Each rank runs at its own speed. Returns the number of wrong bytes, or -1 if the algorithm cannot
// run.
int run_on_threads(const Algorithm& algorithm, const Shape& shape, std::int64_t block, int calls,
                   Node& node, bool uneven = false) {
  const auto schedules = published(algorithm, shape);
  if (!schedules) return -1;
  const auto running = ranks(algorithm, shape, *schedules, node, calls, block, uneven);
  std::vector<std::thread> threads;
  for (const auto& each : running) threads.emplace_back([&] { each->run_to_end(); });
  for (std::thread& each : threads) each.join();
  return wrong(running);
}

// Runs in one thread, in an order drawn from `seed`. In each series of turns, some ranks rest, so
// that the other ranks run ahead as far as possible. Returns the number of wrong bytes, or -1 for a
// deadlock.
int run_in_turns(const Algorithm& algorithm, const Shape& shape,
                 const std::vector<Schedule>& schedules, std::int64_t block, int calls, Node& node,
                 unsigned seed) {
  const auto running = ranks(algorithm, shape, schedules, node, calls, block, false);
  std::mt19937 random(seed);
  std::vector<bool> done(running.size());
  for (int stretch = 0; std::ranges::count(done, false) > 0; ++stretch) {
    if (stretch == 20'000) return -1;
    const unsigned resting = static_cast<unsigned>(random());
    for (int turn = 0; turn < 2 * shape.p; ++turn) {
      const std::size_t rank = random() % running.size();
      if ((resting >> rank & 1) == 0) done[rank] = running[rank]->go_on();
    }
  }
  return wrong(running);
}

TEST(Program, RunsEveryAlgorithmOnThreads) {
  int served = 0;
  for (const int p : {1, 2, 3, 5, 8}) {
    Node node(p);  // the boards of all algorithms use its parts in turn
    for (const Algorithm* algorithm : all_algorithms()) {
      const Shape shape = shape_of(*algorithm, p);
      for (const std::int64_t block : {8, 5000}) {
        const bool uneven = block > 8 && !algorithm->blocks_alike;
        const int wrong = run_on_threads(*algorithm, shape, block, 3, node, uneven);
        if (wrong < 0) continue;
        ++served;
        ASSERT_EQ(wrong, 0) << algorithm->path() << " among " << p << " ranks, blocks of " << block;
      }
    }
  }
  EXPECT_GT(served, 300);
  EXPECT_GT(Rank::shortened, 1000);
}

// Three calls, with late ranks at any point. Most orders are tested for steps in place, the most
// difficult case.
TEST(Program, RunsEveryAlgorithmInAnyOrder) {
  int served = 0;
  for (const int p : {2, 3, 8}) {
    Node node(p);
    for (const Algorithm* algorithm : all_algorithms()) {
      const Shape shape = shape_of(*algorithm, p);
      const auto schedules = published(*algorithm, shape);
      if (!schedules) continue;
      const bool in_place = Program::compile(schedules->front())->reads_in_place() > 0;
      for (unsigned seed = 0; seed < (in_place ? 8 : 1); ++seed) {
        const std::int64_t block = 3000 + 1000 * (seed % 8);
        ++served;
        ASSERT_EQ(run_in_turns(*algorithm, shape, *schedules, block, 3, node, seed), 0)
            << algorithm->path() << " among " << p << " ranks, seed " << seed;
      }
    }
  }
  EXPECT_GT(served, 300);
}

// A message much longer than the slots, in many calls. A rank has large slots in its first part
// only, and a communicator may use different parts on different ranks.
TEST(Program, RunsLongMessagesInPieces) {
  constexpr std::uint32_t usual = Part::usual, large = Part::large;
  for (const auto& slots : std::vector<std::vector<std::uint32_t>>{
           {usual, usual, usual}, {large, large, large}, {large, usual, large}}) {
    Node node(slots);
    for (const Algorithm* algorithm : all_algorithms()) {
      if (algorithm->name != "shared") continue;
      const Shape shape = algorithm->complete({.p = 3});
      ASSERT_EQ(run_on_threads(*algorithm, shape, 100'003, 2, node), 0) << algorithm->path();
      ASSERT_EQ(run_on_threads(*algorithm, shape, 24, 500, node), 0) << algorithm->path();
    }
  }
}

// The memory of another thread, which is also our own.
class ThreadMemory final : public PeerMemory {
 public:
  enum class Works : std::uint8_t { never, sometimes, always };
  ThreadMemory(Works copying, Works mapping) : reads_(copying), maps_(mapping) {}

  // Every fifth call fails, after it has copied half of the bytes.
  bool read(int, const char* from, char* into, std::int64_t bytes) final {
    const bool works = is_turn(reads_);
    std::memcpy(into, from, static_cast<std::size_t>(works ? bytes : bytes / 2));
    ++(works ? reads : failed_reads);
    return works;
  }
  bool write(int, const char* from, char* into, std::int64_t bytes) final {
    const bool works = is_turn(reads_);
    std::memcpy(into, from, static_cast<std::size_t>(works ? bytes : bytes / 2));
    ++(works ? writes : failed_writes);
    return works;
  }
  std::shared_ptr<const char> map(int, const char* from, std::int64_t) final {
    if (!is_turn(maps_)) {
      ++failed_maps;
      return nullptr;
    }
    ++maps;
    ++mapped;
    return {from, [](const char*) { --mapped; }};
  }

  static inline std::atomic<int> reads, failed_reads, writes, failed_writes, maps, failed_maps;
  static inline std::atomic<int> mapped;  // now

 private:
  bool is_turn(Works works) {
    return works == Works::always || (works == Works::sometimes && turn_++ % 5 != 4);
  }
  Works reads_, maps_;
  std::atomic<int> turn_ = 0;
};

// Runs all algorithms, or every fourth with a sanitizer. Long messages stay in the memory of their
// publishers: of all ranks or of some, and sometimes unreadable. A reduction then uses some
// operands in place, copies others, and gets others in pieces.
void read_long_messages(const std::vector<std::uint32_t>& slots, bool share_cores) {
  using Directly = Node::Directly;
  using Works = ThreadMemory::Works;
  ThreadMemory memories[] = {{Works::always, Works::never},
                             {Works::sometimes, Works::never},
                             {Works::always, Works::always},
                             {Works::never, Works::sometimes},
                             {Works::sometimes, Works::sometimes}};
  unsigned seed = 0;
  int number = 0;
  const int p = static_cast<int>(slots.size());
  Node node(slots);
  node.share_cores(share_cores);
  for (const Algorithm* algorithm : all_algorithms()) {
    const Shape shape = shape_of(*algorithm, p);
    const auto schedules = published(*algorithm, shape);
    if (!schedules || (test::sanitized && ++number % 4 != 0)) continue;
    for (ThreadMemory& memory : memories) {
      // There are five memories, so each of them meets both cases.
      node.read_by(memory, ++seed % 2 == 0 ? Directly::all : Directly::even_ranks);
      const std::string what = algorithm->path() + " among " + std::to_string(p) + " ranks, case " +
                               std::to_string(seed);
      ASSERT_EQ(run_in_turns(*algorithm, shape, *schedules, 40'000, 3, node, seed), 0) << what;
      ASSERT_EQ(run_on_threads(*algorithm, shape, 40'001, 2, node, !algorithm->blocks_alike), 0)
          << what;
    }
  }
}

TEST(Program, ReadsLongMessagesDirectly) {
  read_long_messages(std::vector(2, Part::usual), false);
  read_long_messages(std::vector(5, Part::large), false);
  EXPECT_GT(ThreadMemory::reads, 2'000);
  EXPECT_GT(ThreadMemory::failed_reads, 100);
  EXPECT_GT(ThreadMemory::writes, 20);
  EXPECT_GT(ThreadMemory::failed_writes, 0);  // how many depends on which rank comes first
  EXPECT_GT(ThreadMemory::maps, 400);
  EXPECT_GT(ThreadMemory::failed_maps, 200);
  EXPECT_EQ(ThreadMemory::mapped, 0);
}

TEST(Program, ReadsLongMessagesOfRanksThatShareCores) {
  read_long_messages({Part::large, Part::usual, Part::large}, true);
  EXPECT_GT(ThreadMemory::reads, 500);
  EXPECT_GT(ThreadMemory::maps, 200);
}

// In a tree, some messages of a round are long enough for a direct publication, and others short
// enough for a ShortProgram.
TEST(Program, ReadsShortMessagesNextToDirectOnes) {
  ThreadMemory memory(ThreadMemory::Works::always, ThreadMemory::Works::never);
  // Two ranks publish more than 6 KiB directly, if only one of them publishes.
  for (const int p : {2, 6, 7, 11}) {
    Node node(std::vector(p, p == 7 ? Part::large : Part::usual));
    node.read_by(memory, Node::Directly::all);
    for (const Algorithm* algorithm : all_algorithms()) {
      const Shape shape = algorithm->complete({.p = p});
      for (const std::int64_t block : p == 2
                                          ? std::vector<std::int64_t>{6144, 6145, 7000, 8432, 8433}
                                          : std::vector<std::int64_t>{2500, 3500, 7000})
        ASSERT_LE(run_on_threads(*algorithm, shape, block, test::sanitized ? 1 : 4, node), 0)
            << algorithm->path() << " among " << p << " ranks, blocks of " << block;
    }
  }
  EXPECT_GT(ThreadMemory::reads, 100);
}

// In a gather among ten ranks, the offers to two publishers have the same place.
TEST(Program, HelpsManyRanks) {
  ThreadMemory memory(ThreadMemory::Works::always, ThreadMemory::Works::never);
  Node node(10);
  node.read_by(memory, Node::Directly::all);
  ASSERT_LT(Part::offers, 9);
  for (const Collective* collective : {&gather, &scatter, &bcast, &scan})
    for (const std::string_view name : {"shared", "linear"}) {
      const Algorithm* const algorithm = find_algorithm(*collective, name);
      if (algorithm == nullptr) continue;
      ASSERT_LE(run_on_threads(*algorithm, algorithm->complete({.p = 10}), 200'003, 3, node), 0)
          << algorithm->path();
    }
}

// A program passes a wrong size: the reader expects less than a slot, so it runs a ShortProgram,
// but the message is direct.
TEST(Program, CopiesNothingOfAWrongDirectMessage) {
  ThreadMemory memory(ThreadMemory::Works::always, ThreadMemory::Works::never);
  Node node(2);
  node.read_by(memory, Node::Directly::all);
  const Algorithm& algorithm = *find_algorithm(bcast, "shared");
  const Shape shape = algorithm.complete({.p = 2});
  std::vector<char> sent(7000, 'a'), received(5000, 'x');
  const auto sides = [](std::vector<char>& buffer) {
    const node::Memory::Side side{buffer.data(), static_cast<std::int64_t>(buffer.size())};
    return node::Memory{{side, side, side}};
  };
  Board root(node.states[0], node.parts(), 0, 1, node.reading(0));
  Board reader(node.states[1], node.parts(), 1, 1, node.reading(1));
  const auto of_root = Program::compile(algorithm.schedule(shape, 0));
  Program::Run run;
  run.start(*of_root, root, root.begin_call(), 0, sides(sent), {});
  EXPECT_FALSE(run.go_on());
  const auto of_reader = Program::compile(algorithm.schedule(shape, 1));
  auto bound = ShortProgram::bind(*of_reader, reader, 0, sides(received), {});
  ASSERT_TRUE(bound.has_value());
  EXPECT_TRUE(bound->run(reader, reader.begin_call(), received.data(), received.data(), {},
                         [] { FAIL() << "the message is there"; }));
  EXPECT_TRUE(run.go_on());
  EXPECT_EQ(received, std::vector<char>(5000, 'x'));
}

// Data that are received only for a reduction are read in place: the program needs no memory for
// them.
TEST(Program, ReadsOperandsInPlace) {
  const Algorithm& algorithm = *find_algorithm(allreduce, "shared");
  const Shape shape = algorithm.complete({.p = 4});
  const Schedule schedule = algorithm.schedule(shape, 1);
  const auto program = Program::compile(schedule);
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(program->reads_in_place(), 3);
}

TEST(Program, LeavesScheduleOfManyChannelsToOthers) {
  for (const int channels : {Board::most_channels, Board::most_channels + 1}) {
    ScheduleBuilder schedule;
    schedule.round();
    for (int channel = 0; channel < channels; ++channel)
      schedule.channel(channel).publish(1, recv(channel));
    EXPECT_EQ(Program::compile(std::move(schedule).build()).has_value(),
              channels == Board::most_channels);
  }
}

TEST(Program, LeavesScheduleOfSeveralStretchesToOthers) {
  ScheduleBuilder schedule;
  schedule.round().send(1, BlockRanges{recv(0), recv(2)}, Travel::published);
  EXPECT_FALSE(Program::compile(std::move(schedule).build()).has_value());
  ScheduleBuilder message;
  message.round().send(1, recv(0));
  EXPECT_FALSE(Program::compile(std::move(message).build()).has_value());
}

}  // namespace
}  // namespace toccata
