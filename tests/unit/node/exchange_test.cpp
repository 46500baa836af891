#include "node/exchange.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace toccata::node {
namespace {

void add(void*, const char* from, char* into, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) into[i] = static_cast<char>(into[i] + from[i]);
}

constexpr Operator sum{add, nullptr, 1};

// Ranks in one thread, which proceed in the order that a test specifies.
class ExchangeTest : public testing::Test {
 protected:
  static constexpr int ranks = 3;

  ExchangeTest() {
    for (int rank = 0; rank < ranks; ++rank) {
      parts_.push_back(std::unique_ptr<Part>(new Part{}));
      addresses_.push_back(parts_.back().get());
      states_.emplace_back(addresses_.back());
    }
    const DirectReading direct{.peers = {0, 1, 2}, .memory = &memory, .least = 4 << 10};
    for (int rank = 0; rank < ranks; ++rank) {
      boards.emplace_back(states_[rank], addresses_, rank, 1);
      direct_boards.emplace_back(states_[rank], addresses_, rank, 1, direct);
    }
  }

  std::vector<Board> boards;
  // Ranks can read each other's memory. A test uses these boards or the others.
  std::vector<Board> direct_boards;
  Exchange exchange[ranks];
  struct Memory final : PeerMemory {
    std::int64_t bytes_read = 0, bytes_written = 0;
    bool can_write = true;

    bool read(int, const char* from, char* into, std::int64_t bytes) final {
      std::memcpy(into, from, static_cast<std::size_t>(bytes));
      bytes_read += bytes;
      return true;
    }
    bool write(int, const char* from, char* into, std::int64_t bytes) final {
      if (can_write) std::memcpy(into, from, static_cast<std::size_t>(bytes));
      bytes_written += can_write ? bytes : 0;
      return can_write;
    }
    std::shared_ptr<const char> map(int, const char*, std::int64_t) final { return nullptr; }
  } memory;

 private:
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Part*> addresses_;
  std::vector<PartState> states_;
};

constexpr int rank_0[] = {0};
constexpr int rank_1[] = {1};

// Ranks 0 and 1 add each other's vector to their own, in six pieces; a slot holds one, and there
// are four slots. Rank 1 also waits for rank 2, which comes late.
//
//   rank 1   publishes pieces 0 to 3; waits for rank 2
//   rank 0   publishes pieces 0 to 3; adds pieces 0 to 3
//   rank 1   publishes pieces 4 and 5, because rank 0 has read; waits for rank 2
//   rank 0   cannot publish piece 4 yet, and must not add rank 1's piece 4 to it before
TEST_F(ExchangeTest, CombinesNoPieceThatIsStillToBePublished) {
  const std::int64_t bytes = 6 * std::int64_t{boards[0].piece(false)};
  std::vector<char> vectors[ranks];
  for (int rank = 0; rank < ranks; ++rank)
    vectors[rank].assign(static_cast<std::size_t>(bytes), static_cast<char>(1 << rank));
  std::vector<char> aside(static_cast<std::size_t>(bytes));

  const Stretch own[] = {
      {vectors[0].data(), bytes}, {vectors[1].data(), bytes}, {vectors[2].data(), bytes}};
  const Publication to_1[] = {{0, rank_1, {&own[0], 1}}};
  const Publication to_0[] = {{0, rank_0, {&own[1], 1}}};
  const Publication late[] = {{0, rank_1, {&own[2], 1}}};
  const Reading of_1[] = {{1, 0, {nullptr, bytes}}};
  const Reading of_0_and_2[] = {{2, 0, {aside.data(), bytes}}, {0, 0, {nullptr, bytes}}};
  const Combination add_to_0[] = {{{nullptr, 0}, {vectors[0].data(), -1}, vectors[0].data(), true}};
  const Combination add_to_1[] = {{{nullptr, 1}, {vectors[1].data(), -1}, vectors[1].data(), true}};

  exchange[0].open(boards[0], 1, 0, 1, to_1, of_1, add_to_0, sum);
  exchange[1].open(boards[1], 1, 0, 1, to_0, of_0_and_2, add_to_1, sum);
  exchange[2].open(boards[2], 1, 0, 1, late, {}, {}, sum);
  EXPECT_FALSE(exchange[1].go_on());
  EXPECT_FALSE(exchange[0].go_on());
  EXPECT_FALSE(exchange[1].go_on());
  EXPECT_FALSE(exchange[0].go_on());
  bool done = false;
  for (int turn = 0; turn < 20 && !done; ++turn) {
    done = true;
    for (const int rank : {2, 1, 0}) done = exchange[rank].go_on() && done;
  }
  ASSERT_TRUE(done);
  EXPECT_EQ(vectors[0], std::vector<char>(static_cast<std::size_t>(bytes), 3));
  EXPECT_EQ(vectors[1], std::vector<char>(static_cast<std::size_t>(bytes), 3));
}

// Rank 0 publishes for rank 1. Its first two rounds, in slots, end at once. The next ones are
// tries: they end when rank 1 has the message, because the program waits for rank 1, too.
TEST_F(ExchangeTest, TriesEndWithTheirReaders) {
  const std::int64_t bytes = 16 << 10;
  const std::vector<char> message(static_cast<std::size_t>(bytes), 7);
  const Stretch own{const_cast<char*>(message.data()), bytes};
  const Publication to_1[] = {{0, rank_1, {&own, 1}}};
  for (std::uint64_t call = 1; call <= 6; ++call) {
    std::vector<char> found(static_cast<std::size_t>(bytes));
    const Reading of_0[] = {{0, 0, {found.data(), bytes}}};
    exchange[0].open(direct_boards[0], call, 0, 1, to_1, {});
    exchange[1].open(direct_boards[1], call, 0, 1, {}, of_0);
    EXPECT_EQ(exchange[0].go_on(), call <= 2) << call;
    EXPECT_TRUE(exchange[1].go_on());
    EXPECT_TRUE(call <= 2 || exchange[0].go_on()) << call;
    EXPECT_EQ(found, message);
  }
}

// Rank 0 publishes 64 KiB for rank 1. It runs, if at all, in the middle of rank 1's copy: then the
// offer exists, and is not yet withdrawn.
class HelpTest : public ExchangeTest {
 protected:
  static constexpr std::int64_t bytes = 64 << 10;
  struct Late final : PeerMemory {
    HelpTest& test;
    explicit Late(HelpTest& of) : test(of) {}
    bool read(int peer, const char* from, char* into, std::int64_t some) final {
      if (peer == 0 && test.publisher_runs) {
        EXPECT_FALSE(test.exchange[0].go_on());
      }
      return test.memory.read(peer, from, into, some);
    }
    bool write(int peer, const char* from, char* into, std::int64_t some) final {
      return test.memory.write(peer, from, into, some);
    }
    std::shared_ptr<const char> map(int, const char*, std::int64_t) final { return nullptr; }
  } late{*this};

  // A broadcast, or a reduction to rank 1, of which both ranks run. Returns the result.
  std::vector<char> run(std::uint64_t call, bool reduces) {
    const Stretch own{message.data(), bytes};
    const Publication to_1[] = {{0, rank_1, {&own, 1}}};
    std::vector<char> result(static_cast<std::size_t>(bytes));
    const Reading of_0[] = {{0, 0, {reduces ? nullptr : result.data(), bytes}}};
    const Combination add_own[] = {{{nullptr, 0}, {operand.data(), -1}, result.data(), true}};
    const std::span<const Combination> combinations(add_own, reduces ? 1 : 0);
    const Operator operation = reduces ? sum : Operator{};
    exchange[0].open(boards_of_two[0], call, 0, 1, to_1, {}, {}, operation);
    exchange[1].open(boards_of_two[1], call, 0, 1, {}, of_0, combinations, operation);
    EXPECT_FALSE(exchange[0].go_on());
    EXPECT_TRUE(exchange[1].go_on());
    EXPECT_TRUE(exchange[0].go_on());
    return result;
  }

  HelpTest() {
    for (int rank = 0; rank < 2; ++rank)
      states_of_two.emplace_back(parts_of_two[rank] = new_part());
    for (int rank = 0; rank < 2; ++rank)
      boards_of_two.emplace_back(states_of_two[rank],
                                 std::vector<Part*>{parts_of_two[0], parts_of_two[1]}, rank, 1,
                                 DirectReading{{0, 1}, &late, 4 << 10, true});
  }

  bool publisher_runs = true;
  std::vector<char> message = std::vector<char>(static_cast<std::size_t>(bytes), 7);
  std::vector<char> operand = std::vector<char>(static_cast<std::size_t>(bytes), 2);
  std::vector<char> sums = std::vector<char>(static_cast<std::size_t>(bytes), 9);
  std::vector<Board> boards_of_two;

 private:
  Part* new_part() { return kept.emplace_back(new Part{}).get(); }
  std::vector<std::unique_ptr<Part>> kept;
  Part* parts_of_two[2] = {};
  std::vector<PartState> states_of_two;
};

TEST_F(HelpTest, PublisherWritesTheEnd) {
  EXPECT_EQ(run(1, false), message);
  EXPECT_GE(memory.bytes_written, bytes / 2);
  EXPECT_EQ(memory.bytes_read + memory.bytes_written, bytes);
}

TEST_F(HelpTest, PublisherCombinesTheEnd) {
  EXPECT_EQ(run(1, true), sums);
  EXPECT_GE(memory.bytes_written, bytes / 5 * 2);
  // The publisher also reads the operand of what it combines.
  EXPECT_EQ(memory.bytes_read, bytes);
}

TEST_F(HelpTest, ReaderDoesAllIfThePublisherDoesNotRun) {
  publisher_runs = false;
  EXPECT_EQ(run(1, false), message);
  EXPECT_EQ(run(2, true), sums);
  EXPECT_EQ(memory.bytes_written, 0);
}

TEST_F(HelpTest, ReaderRepeatsWhatFails) {
  memory.can_write = false;
  EXPECT_EQ(run(1, true), sums);
  EXPECT_FALSE(boards_of_two[0].helps());
  EXPECT_EQ(run(2, false), message);
  EXPECT_EQ(memory.bytes_written, 0);
}

// The readers of a message that fits their slot expect it there. In reductions, all ranks know the
// length of a piece.
TEST_F(ExchangeTest, ShortMessagesAreNotDirect) {
  const Board& board = direct_boards[0];
  const std::int64_t slot = board.piece(true) - announcement_bytes;
  for (const bool exchanges : {true, false}) {
    EXPECT_FALSE(board.may_publish_directly(slot, false, exchanges));
    EXPECT_TRUE(board.may_publish_directly(slot + 1, false, exchanges));
    EXPECT_EQ(board.most_in_slot(false, exchanges), slot);
    EXPECT_FALSE(board.may_publish_directly((4 << 10) - 1, true, exchanges))
        << "a system call takes longer";
    EXPECT_TRUE(board.may_publish_directly(4 << 10, true, exchanges));
    EXPECT_FALSE(boards[0].may_publish_directly(1 << 20, false, exchanges))
        << "no rank can read the memory";
  }
  EXPECT_LT(board.piece(false), 4 << 10);
}

}  // namespace
}  // namespace toccata::node
