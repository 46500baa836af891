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
    const DirectReading direct{.peers = {0, 1, 2}, .memory = &memory_, .least = 4 << 10};
    for (int rank = 0; rank < ranks; ++rank) {
      boards.emplace_back(states_[rank], addresses_, rank, 1);
      direct_boards.emplace_back(states_[rank], addresses_, rank, 1, direct);
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
    std::shared_ptr<const char> map(int, const char*, std::int64_t) final { return nullptr; }
  } memory_;
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

// The readers of a message that fits their slot expect it there. In reductions, all ranks know the
// length of a piece.
TEST_F(ExchangeTest, ShortMessagesAreNotDirect) {
  const Board& board = direct_boards[0];
  const std::int64_t slot = board.piece(true);
  EXPECT_FALSE(board.may_publish_directly(slot, false));
  EXPECT_TRUE(board.may_publish_directly(slot + 1, false));
  EXPECT_FALSE(board.may_publish_directly((4 << 10) - 1, true)) << "a system call takes longer";
  EXPECT_LT(board.piece(false), 4 << 10);
  EXPECT_TRUE(board.may_publish_directly(4 << 10, true));
  EXPECT_FALSE(boards[0].may_publish_directly(1 << 20, false)) << "no rank can read the memory";
}

}  // namespace
}  // namespace toccata::node
