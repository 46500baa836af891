#include "node/exchange.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "parts.h"

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
    for (Part* const part : parts_.all) states_.emplace_back(part);
    const DirectReading direct{.peers = {0, 1, 2}, .memory = &memory_, .least = 4 << 10};
    for (int rank = 0; rank < ranks; ++rank) {
      boards.emplace_back(states_[rank], parts_.all, rank, 1);
      direct_boards.emplace_back(states_[rank], parts_.all, rank, 1, direct);
    }
  }

  std::vector<Board> boards;
  // Ranks can read each other's memory. A test uses these boards or the others.
  std::vector<Board> direct_boards;
  Exchange exchange[ranks];

 private:
  struct Memory final : PeerMemory {
    bool read(int, const char* from, char* into, std::int64_t bytes) final {
      std::memcpy(into, from, static_cast<std::size_t>(bytes));
      return true;
    }
    bool write(int peer, const char* from, char* into, std::int64_t bytes) final {
      return read(peer, from, into, bytes);
    }
    std::shared_ptr<const char> map(int, const char*, std::int64_t) final { return nullptr; }
  } memory_;
  test::Parts parts_{ranks};
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

// 2 from + other: the order of operands counts.
void twice_and(void*, const char* from, char* into, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) into[i] = static_cast<char>(2 * from[i] + into[i]);
}
void combine_twice_and(const char* from, const char* other, char* into, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) into[i] = static_cast<char>(2 * from[i] + other[i]);
}

// Rank 0 publishes 64 KiB for rank 1. It runs, if at all, in the middle of rank 1's copy: then the
// offer exists, and is not yet withdrawn.
class HelpTest : public testing::Test {
 protected:
  static constexpr std::int64_t bytes = 64 << 10;
  static std::vector<char> all(int value) {
    return std::vector<char>(static_cast<std::size_t>(bytes), static_cast<char>(value));
  }

  HelpTest() {
    for (Part* const part : parts_.all) states_.emplace_back(part);
    for (int rank = 0; rank < 2; ++rank)
      boards.emplace_back(
          states_[rank], parts_.all, rank, 1,
          DirectReading{.peers = {0, 1}, .memory = &memory, .least = 4 << 10, .always = true});
  }

  // A broadcast to rank 1, whose buffer has that length.
  std::vector<char> broadcast(std::int64_t length = bytes) {
    std::vector<char> result(static_cast<std::size_t>(length));
    run({result.data(), length}, {}, {});
    return result;
  }
  // A reduction to rank 1: of the message and its operand, or of these in the other order.
  std::vector<char> reduce(const Operator& operation, bool message_is_first) {
    std::vector<char> result(static_cast<std::size_t>(bytes));
    const Operand theirs{nullptr, 0}, own{operand.data(), -1};
    const Combination only{message_is_first ? theirs : own, message_is_first ? own : theirs,
                           result.data(), true};
    run({nullptr, bytes}, {&only, 1}, operation);
    return result;
  }

  struct Memory final : PeerMemory {
    HelpTest& test;
    std::int64_t bytes_read = 0, bytes_written = 0;
    explicit Memory(HelpTest& of) : test(of) {}
    bool read(int peer, const char* from, char* into, std::int64_t some) final {
      if (peer == 0 && test.publisher_runs) {
        EXPECT_FALSE(test.exchange[0].go_on());
      }
      std::memcpy(into, from, static_cast<std::size_t>(some));
      bytes_read += some;
      return true;
    }
    // Copies a part, also if it fails.
    bool write(int, const char* from, char* into, std::int64_t some) final {
      std::memcpy(into, from, static_cast<std::size_t>(test.can_write ? some : some / 2));
      bytes_written += test.can_write ? some : 0;
      return test.can_write;
    }
    std::shared_ptr<const char> map(int, const char*, std::int64_t) final { return nullptr; }
  } memory{*this};

  bool publisher_runs = true, can_write = true;
  std::vector<char> message = all(7), operand = all(2);
  std::vector<Board> boards;
  Exchange exchange[2];

 private:
  void run(const Stretch& into, std::span<const Combination> combinations,
           const Operator& operation) {
    const Stretch own{message.data(), bytes};
    const Publication to_1[] = {{0, rank_1, {&own, 1}}};
    const Reading of_0[] = {{0, 0, into}};
    const std::uint64_t call = boards[0].begin_call();
    exchange[0].open(boards[0], call, 0, 1, to_1, {}, {}, operation);
    exchange[1].open(boards[1], boards[1].begin_call(), 0, 1, {}, of_0, combinations, operation);
    EXPECT_FALSE(exchange[0].go_on());
    EXPECT_TRUE(exchange[1].go_on());
    EXPECT_TRUE(exchange[0].go_on());
  }

  test::Parts parts_{2};
  std::vector<PartState> states_;
};

TEST_F(HelpTest, PublisherWritesTheEnd) {
  EXPECT_EQ(broadcast(), message);
  EXPECT_GE(memory.bytes_written, bytes / 2);
  EXPECT_EQ(memory.bytes_read + memory.bytes_written, bytes);
}

TEST_F(HelpTest, PublisherWritesNoMoreThanTheReaderTakes) {
  const std::int64_t less = 40'000;
  EXPECT_EQ(broadcast(less), std::vector<char>(less, 7));
  EXPECT_TRUE(exchange[1].was_cut());
  EXPECT_GT(memory.bytes_written, 0);
  EXPECT_EQ(memory.bytes_read + memory.bytes_written, less);
}

TEST_F(HelpTest, PublisherCombinesTheEnd) {
  for (const bool with_function : {true, false})
    for (const bool message_is_first : {true, false}) {
      memory.bytes_read = memory.bytes_written = 0;
      const Operator operation{twice_and, nullptr, 1, with_function ? combine_twice_and : nullptr};
      EXPECT_EQ(reduce(operation, message_is_first), all(message_is_first ? 16 : 11));
      // Without a function for three operands, a publisher would copy its own operand again.
      if (with_function || message_is_first)
        EXPECT_GE(memory.bytes_written, bytes / 5 * 2);
      else
        EXPECT_EQ(memory.bytes_written, 0);
      // The publisher reads the reader's operand of what it combines.
      EXPECT_EQ(memory.bytes_read, bytes);
    }
}

TEST_F(HelpTest, ReaderDoesAllIfThePublisherDoesNotRun) {
  publisher_runs = false;
  EXPECT_EQ(broadcast(), message);
  EXPECT_EQ(reduce({twice_and, nullptr, 1, combine_twice_and}, true), all(16));
  EXPECT_EQ(memory.bytes_written, 0);
}

TEST_F(HelpTest, ReaderCopiesWhatThePublisherCannot) {
  can_write = false;
  EXPECT_EQ(broadcast(), message);
  EXPECT_EQ(memory.bytes_read, bytes);
  EXPECT_FALSE(boards[0].helps());
}

TEST_F(HelpTest, ReaderCombinesWhatThePublisherCannot) {
  can_write = false;
  EXPECT_EQ(reduce({twice_and, nullptr, 1, combine_twice_and}, true), all(16));
  EXPECT_GT(memory.bytes_read, bytes);  // the publisher has read, too
  EXPECT_FALSE(boards[0].helps());
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
